/**
 * Tests the behaviour of public clients as their sources show it: which bodies they send, when they stop, and what they
 * retry.
 */
import { afterAll, describe, expect, it } from "vitest";
import { day, type Row } from "../support/builders.ts";
import { ownFile, publishFiles } from "../support/files.ts";
import type { Answer } from "../support/http-client.ts";
import { account } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { readSlowly } from "../support/slow-reader.ts";
import { CROWDED, LARGE, MAIN, publishLarge, sharedWorld, startWorld } from "./world.ts";

const LEGACY = "symbol,tradedate,time,order_id,price,volume,amount,side,order_type,order_no";

const crowdedRows = day({ tradedate: LARGE, securities: [CROWDED] }).rowsOf(CROWDED.symbol);
const world = await sharedWorld("publish");
await publishLarge(world);
await publishFiles(world.service, ownFile(MAIN, "trades of a day"));
afterAll(() => world.stop());

type Params = Record<string, unknown>;

/** Reads all pages with the clients' stop rule and with their guard against a repeated cursor. */
async function readAll(params: Params, extra: Record<string, unknown> = {}) {
  const rows: Row[] = [];
  const seen = new Set<unknown>();
  let cursor: unknown = null;
  for (let pages = 1; ; pages++) {
    const body = {
      apiname: "level2_order_history",
      apikey: world.keys.flagship,
      params: { ...params, cursor },
      ...extra,
    };
    const page = pageOf(await world.service.post(body));
    rows.push(...page.items);
    if (!page.has_more || !page.next_cursor) return { rows, pages, page };
    if (seen.has(page.next_cursor)) throw new Error("the server repeats a cursor");
    seen.add(page.next_cursor);
    cursor = page.next_cursor;
  }
}

describe("request bodies of public clients", () => {
  it('may contain fields: "" in every request, which means the standard fields', async () => {
    const { rows, page } = await readAll({ symbol: "600519", tradedate: MAIN }, { fields: "" });
    expect(page.fields).toHaveLength(10);
    expect(rows).toEqual(world.main.rowsOf("600519"));
  });

  it("may name the ten legacy fields, which are returned under these names in this order", async () => {
    const { rows, page } = await readAll({ symbol: "600519", tradedate: MAIN }, { fields: LEGACY });
    expect(page.fields).toEqual(LEGACY.split(","));
    const expected = world.main
      .rowsOf("600519")
      .map(([symbol, date, time, id, exchangeId, type, code, price, volume, amount]) => [
        ...[symbol, date, time, id, price, volume, amount, code, type, exchangeId],
      ]);
    expect(rows).toEqual(expected);
  });

  it("may contain page_size: 50000, which is served as 10000, and the answer says so", async () => {
    const params = { symbol: "600000", tradedate: LARGE, page_size: 50_000 };
    const { rows, pages, page } = await readAll(params);
    expect([page.page_size, pages]).toEqual([10_000, 2]);
    expect(rows).toEqual(crowdedRows);
  });

  it('may contain every value as a string, and null or "" for absent parameters', async () => {
    const params = {
      ...{ symbol: "600519", tradedate: MAIN, page_size: "5", limit: "5", format: "json" },
      ...{ start_time: "", end_time: null },
    };
    const { rows, pages } = await readAll(params);
    expect(pages).toBe(3);
    expect(rows).toEqual(world.main.rowsOf("600519"));
    const share = await world.service.post({
      apiname: "file_download",
      apikey: world.keys.flagship,
      params: { data_type: "level2", year: "2026" },
    });
    expect(share.envelope.code).toBe(200);
  });

  it("may have any Content-Type, wrong credentials in headers, and unknown members", async () => {
    const body = {
      ...orderHistory({ apikey: world.keys.flagship, params: { symbol: "600519", tradedate: MAIN } }),
    };
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json;charset=UTF-8",
    ]) {
      const headers = { "content-type": type, authorization: "Bearer nothing", "x-api-key": "nothing" };
      const answer = await world.service.post(JSON.stringify({ ...body, token: "", version: 2 }), headers);
      expect(pageOf(answer).items).toEqual(world.main.rowsOf("600519"));
    }
  });
});

describe("a public client stops paging", () => {
  it("when has_more is false or next_cursor is null, which are both the case only on the last page", async () => {
    for (const page_size of [1, 4, 12, 13, 14]) {
      const { rows, pages, page } = await readAll({ symbol: "600519", tradedate: MAIN, page_size });
      expect(rows).toEqual(world.main.rowsOf("600519"));
      expect(pages).toBe(Math.ceil(13 / page_size));
      expect([page.has_more, page.next_cursor]).toEqual([false, null]);
    }
  });

  it("at an empty page, which is returned only for a window without rows", async () => {
    const empty = await readAll({
      symbol: "600519",
      tradedate: MAIN,
      start_time: "03:00",
      end_time: "04:00",
    });
    expect([empty.pages, empty.rows]).toEqual([1, []]);
  });

  it("at a repeated cursor, which does not occur even in 200 pages of one millisecond", async () => {
    const params = { symbol: "600000", tradedate: LARGE, page_size: 100 };
    const { rows, pages } = await readAll(params);
    expect(pages).toBe(200);
    expect(rows).toEqual(crowdedRows);
  });

  it("at any code other than 200 in the body of an HTTP 200 answer", async () => {
    const asked = [
      [{ symbol: "600519", tradedate: "20260313" }, 1002],
      [{ symbol: "600519", tradedate: MAIN, page_size: 0 }, 422],
    ] as const;
    for (const [params, code] of asked) {
      const { status, envelope } = await world.ask(params);
      expect([status, envelope.code, envelope.data]).toEqual([200, code, null]);
    }
    const { status, envelope } = await world.ask({ symbol: "600519" }, { apikey: world.keys.free });
    expect([status, envelope.code]).toEqual([200, 403]);
  });
});

/** Retries as these clients do: only after HTTP 429 and 5xx, and after at most 30 s whatever `Retry-After` says. */
async function withRetries(ask: () => Promise<Answer>, sleep: (ms: number) => Promise<unknown>) {
  const waits: number[] = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    const answer = await ask();
    if (![429, 500, 502, 503, 504].includes(answer.status)) return { answer, waits };
    const told = Number(answer.headers["retry-after"] ?? 2 ** attempt);
    waits.push(Math.min(told, 30));
    await sleep(Math.min(told, 30) * 1_000);
  }
  throw new Error("the retries are used up");
}

const holdSlot = (apikey: string) =>
  readSlowly(
    world.service,
    orderHistory({ apikey, params: { symbol: "600519", tradedate: LARGE, format: "parquet" } }),
  );

describe("a public client", () => {
  it("retries when the slot is busy (HTTP 503, Retry-After 1), and is served once the other request has ended", async () => {
    const { key } = await account(world.service, { plan: "flagship" });
    const slow = await holdSlot(key);
    const ask = () => world.ask({ symbol: "600519", tradedate: MAIN }, { apikey: key });
    const { answer, waits } = await withRetries(ask, () => slow.finish());
    expect(waits).toEqual([1]);
    expect(pageOf(answer).items).toEqual(world.main.rowsOf("600519"));
  });

  it("does not retry when the quota is used up (HTTP 200, code 429, 额度 in the message, no Retry-After)", async () => {
    const { key } = await account(world.service, { plan: "trial", limits: { requests: 1 } });
    const ask = () => world.ask({ symbol: "600519", tradedate: MAIN }, { apikey: key });
    expect((await ask()).envelope.code).toBe(200);
    const { answer, waits } = await withRetries(ask, () => Promise.reject(new Error("waited to retry")));
    expect([answer.status, answer.envelope.code, waits]).toEqual([200, 429, []]);
    expect(answer.envelope.message).toContain("额度");
    expect(answer.headers["retry-after"]).toBeUndefined();
  });

  it("does not retry when the key is wrong (HTTP 200, code 403, `invalid api key` in the message)", async () => {
    const ask = () => world.ask({ symbol: "600519", tradedate: MAIN }, { apikey: "et_wrong" });
    const { answer, waits } = await withRetries(ask, () => Promise.reject(new Error("waited to retry")));
    expect([answer.status, answer.envelope.code, waits]).toEqual([200, 403, []]);
    expect(answer.envelope.message).toContain("invalid api key");
  });
});

describe("concurrent requests with one key", () => {
  it("may use two interfaces: a share is returned while an order request holds its slot", async () => {
    const { key } = await account(world.service, { plan: "flagship" });
    const slow = await holdSlot(key);
    const shares = await Promise.all(
      [1, 2, 3].map(() =>
        world.service.post({
          apiname: "file_download",
          apikey: key,
          params: { data_type: "level2", year: 2026 },
        }),
      ),
    );
    expect(shares.map(({ envelope }) => envelope.code)).toEqual([200, 200, 200]);
    const orders = await world.ask({ symbol: "600519", tradedate: MAIN }, { apikey: key });
    expect(orders.reason).toBe("slot_busy");
    expect(await slow.finish()).toBe(Number(slow.headers["content-length"]));
  });
});

describe("the per-second limit for a public client", () => {
  it("returns HTTP 429 with Retry-After 10, below the client's maximum wait of 30 s", async () => {
    const limited = await startWorld({ rateLimit: 3, settings: { RATE_LIMIT: "on" } });
    try {
      const answers: Answer[] = [];
      for (let request = 0; request < 40; request++) {
        answers.push(await limited.ask({ symbol: "600519", tradedate: MAIN, page_size: 1 }));
      }
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      for (const { envelope, headers, reason } of refused) {
        expect([envelope.code, reason, headers["retry-after"]]).toEqual([429, "rate_limited", "10"]);
      }
    } finally {
      await limited.stop();
    }
  });
});
