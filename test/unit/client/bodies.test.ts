/** Tests the TypeScript client with answers that have missing, additional or wrong bytes. */
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  BrokenConnection,
  Client,
  ConnectionFailed,
  IntegrityError,
} from "../../../src/client/typescript/index.ts";
import { sha256 } from "../../../src/client/typescript/sha256.ts";
import { clock } from "../../../src/client/typescript/waiting.ts";
import { listening } from "../../support/listening.ts";

const TYPE = "application/vnd.apache.parquet";
const QUERY = { symbol: "600519", date: "20260311" };
const FILE = new TextEncoder().encode(`PAR1${"x".repeat(3_000)}PAR1`);
const NAMED = {
  "content-type": TYPE,
  "content-length": String(FILE.length),
  "content-disposition": 'attachment; filename="600519.SH_20260311_orders.parquet"',
  "x-row-count": "7",
  "x-revision": "3",
  "x-build": "b1",
};

let waits: number[] = [];
const { sleep } = clock;
beforeEach(() => {
  waits = [];
  clock.sleep = async (ms) => void waits.push(ms);
});
afterEach(() => {
  clock.sleep = sleep;
});

let keys = 0;
/** Returns a client that receives the answers of `answer`. Each client has its own key and therefore its own queue. */
function clientOf(answer: (url: string, init: RequestInit) => Response, baseUrls = "http://a.test") {
  const asked: string[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    asked.push(String(init.body ?? url));
    return answer(url, init);
  };
  return { client: new Client({ key: `key ${keys++}`, baseUrls, fetch }), asked };
}

const portal = () => new Response("<html>sign in</html>", { headers: { "content-type": "text/html" } });

describe("a Parquet answer to the TypeScript client", () => {
  it("is received at the first attempt if a proxy compresses it", async () => {
    let requests = 0;
    await using server = await listening((_, response) => {
      requests++;
      const body = gzipSync(FILE);
      response.writeHead(200, { ...NAMED, "content-encoding": "gzip", "content-length": body.length });
      response.end(body);
    });
    const client = new Client({ key: "gzip", baseUrls: server.url });
    expect(await client.ordersParquet(QUERY)).toMatchObject({ sizeBytes: FILE.length, rows: 7, build: "b1" });
    const stream = await client.ordersParquetStream(QUERY);
    expect((await new Response(stream.body).bytes()).length).toBe(FILE.length);
    expect(requests).toBe(2);
  });

  it("is recognised by its bytes when a proxy drops the headers that describe it", async () => {
    const { client } = clientOf(() => new Response(FILE));
    expect(await client.ordersParquet(QUERY)).toMatchObject({
      name: "orders.parquet",
      sizeBytes: FILE.length,
    });
    const stream = await client.ordersParquetStream(QUERY);
    expect(await new Response(stream.body).bytes()).toEqual(FILE);
  });

  it("is requested only once if its whole body arrived but is not a Parquet file", async () => {
    const noFile = FILE.slice(0, -4);
    const length = { "content-length": String(noFile.length) };
    for (const body of [noFile, new TextEncoder().encode("y".repeat(noFile.length))]) {
      const { client, asked } = clientOf(() => new Response(body, { headers: { ...NAMED, ...length } }));
      await expect(client.ordersParquet(QUERY)).rejects.toBeInstanceOf(IntegrityError);
      expect(asked).toHaveLength(1);
    }
  });

  it("is requested only twice if both attempts fail in the same way", async () => {
    for (const answer of [() => new Response(FILE.slice(0, 900), { headers: NAMED }), portal]) {
      const { client, asked } = clientOf(answer);
      await expect(client.ordersParquet(QUERY)).rejects.toBeInstanceOf(IntegrityError);
      expect(asked).toHaveLength(2);
    }
    let cut = 900;
    const { client } = clientOf(() => new Response(FILE.slice(0, cut++), { headers: NAMED }));
    await expect(client.ordersParquet(QUERY)).rejects.toBeInstanceOf(ConnectionFailed);
    const good = new Response(FILE, { headers: NAMED });
    const both = clientOf((url) => (url.includes("a.test") ? portal() : good), "http://a.test,http://b.test");
    expect((await both.client.ordersParquet(QUERY)).rows).toBe(7);
  });

  it("has a name that is safe to use as a file name", async () => {
    const names = ["../../x.parquet", "a/b.parquet", ".bashrc", "c:\\x", "x\u0000", `${"x".repeat(201)}`, ""];
    for (const name of [...names, "600519.SH_1.parquet"]) {
      const headers = new Headers(NAMED);
      const disposition = `attachment; filename="${name}"`;
      const answer = () => new Response(FILE, { headers });
      headers.get = (asked) =>
        asked === "Content-Disposition" ? disposition : Headers.prototype.get.call(headers, asked);
      const { client } = clientOf(() => Object.defineProperty(answer(), "headers", { value: headers }));
      const expected = names.includes(name) ? "orders.parquet" : name;
      expect((await client.ordersParquet(QUERY)).name).toBe(expected);
    }
  });
});

describe("a stream of the TypeScript client", () => {
  const endless = () =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(FILE.slice(0, 900)) }), {
      headers: { "content-type": TYPE },
    });

  it("that is aborted before it was read lets the next request start", async () => {
    let isFirst = true;
    const { client } = clientOf(() => {
      const answer = isFirst ? endless() : new Response(FILE, { headers: NAMED });
      isFirst = false;
      return answer;
    });
    const aborter = new AbortController();
    const stream = await client.ordersParquetStream({ ...QUERY, signal: aborter.signal });
    aborter.abort(new Error("enough"));
    expect((await client.ordersParquet(QUERY)).rows).toBe(7);
    await expect(new Response(stream.body).bytes()).rejects.toThrow("enough");
  });

  it("throws the exported error BrokenConnection when it breaks off", async () => {
    const { client } = clientOf(() => new Response(FILE.slice(0, 900), { headers: NAMED }));
    const stream = await client.ordersParquetStream(QUERY);
    await expect(new Response(stream.body).bytes()).rejects.toBeInstanceOf(BrokenConnection);
  });
});

/** Returns a function that answers with the pages of a day that has `rows` rows. */
function pagesOf(rows: number) {
  const fields = ["time", "exchange_order_id", "volume"];
  return (_: string, init: RequestInit): Response => {
    const { params } = JSON.parse(String(init.body)) as { params: { cursor?: string; page_size: number } };
    const at = Number(params.cursor ?? 0);
    const end = Math.min(rows, at + params.page_size);
    const items = Array.from({ length: end - at }, (_row, n) => ["093000000", at + n, 100]);
    const more = { next_cursor: end < rows ? `${end}` : null, has_more: end < rows };
    const data = { fields, items, tradedate: QUERY.date, page_size: params.page_size, ...more };
    return Response.json({ code: 200, message: "success", data });
  };
}

describe("concurrent iterators of one Orders object", () => {
  it("together return each row exactly once", async () => {
    const { client } = clientOf(pagesOf(25));
    const fields = ["time", "exchange_order_id", "volume"] as const;
    const orders = client.orders({ ...QUERY, fields, pageSize: 4 });
    const seen: number[] = [];
    const read = async () => {
      for await (const row of orders) seen.push(row.exchange_order_id);
    };
    const readPages = async () => {
      for await (const page of orders.pages()) seen.push(...page.items.map((row) => Number(row[1])));
    };
    await Promise.all([read(), read(), readPages()]);
    expect(seen.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 25 }, (_, n) => n));
  });
});

describe("the bytes of a share's file", () => {
  const bytes = new TextEncoder().encode("of a file of a share".repeat(50));
  const digest = sha256();
  digest.update(bytes);
  const file = {
    ...{ path: "20260311/f.zip", tradedate: "20260311", size_bytes: bytes.length },
    ...{ sha256: digest.digest("hex"), revision: 1 },
  };
  const info = { status: "ready", url: "http://a.test/s/id/", password: "p" };
  const json = (value: unknown) => new Response(JSON.stringify(value));

  /** Resumes a download after the first 100 bytes. The service sends `pages` before it sends the file itself. */
  async function resumed(...pages: Response[]) {
    const { client, asked } = clientOf((url) => {
      if (url.endsWith("/api")) return json({ code: 200, message: "success", data: { data: info } });
      if (url.endsWith("manifest.json")) return json({ files: [file] });
      const range = { "content-range": `bytes 100-${bytes.length - 1}/${bytes.length}` };
      return pages.shift() ?? new Response(bytes.slice(100), { status: 206, headers: range });
    });
    const share = await client.share("level2", 2026);
    const [listed] = await share.files();
    if (listed === undefined) throw new Error("the share has a file");
    const rest = await share.download(listed, { have: [bytes.slice(0, 100)] }).bytes();
    return { rest, asked };
  }

  it("are received even if web pages and an answer of a different length arrive first", async () => {
    const html = { headers: { "content-type": "text/html" } };
    const pages = [502, 520, 500].map((status) => new Response("<html></html>", { status, ...html }));
    const { rest, asked } = await resumed(
      portal(),
      ...pages,
      new Response("other", { headers: { "content-length": "5" } }),
    );
    expect([rest.length, asked.length]).toEqual([bytes.length - 100, 8]);
  });
});

describe("the pauses between the client's attempts", () => {
  it("grow when Retry-After is 0", async () => {
    const busy = () =>
      new Response('{"code":503,"message":"busy [slot_busy · r1]","data":null}', {
        status: 503,
        headers: { "retry-after": "0" },
      });
    const answers = Array.from({ length: 6 }, busy);
    const { client } = clientOf(
      () => answers.shift() ?? new Response('{"code":200,"message":"success","data":{"days":[]}}'),
    );
    await client.status();
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(250);
    expect(Math.min(...waits.slice(2))).toBeGreaterThanOrEqual(1_000);
  });

  it("end after maxWaitMs when connections stall", async () => {
    const fetch = (_: string, { signal }: RequestInit) =>
      new Promise<Response>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    const client = new Client({ key: "stalled", baseUrls: "http://a.test", fetch, maxWaitMs: 1_500 });
    const began = performance.now();
    await expect(client.status()).rejects.toBeInstanceOf(ConnectionFailed);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
