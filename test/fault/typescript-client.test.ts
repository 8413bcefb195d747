/**
 * Tests the TypeScript client against the real service: files and shares over broken connections, slots and quotas.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, IntegrityError, QuotaUsed } from "../../src/client/typescript/index.ts";
import { clock } from "../../src/client/typescript/waiting.ts";
import { burst, day, order, security } from "../support/builders.ts";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { tradesFile } from "../support/drive.ts";
import { addFile, publishFiles } from "../support/files.ts";
import { account, asOperator, loadWeekdays, publish, sha256 } from "../support/operator.ts";
import { printedRandom, randomBytes } from "../support/random.ts";
import { startService } from "../support/service.ts";

const TRADEDATE = "20260311";
const MAIN = day({
  tradedate: TRADEDATE,
  securities: [
    burst({ symbol: "600519", time: "093000000", rows: 30_000 }),
    security("300750", [order("093000000")]),
  ],
});
const TRADES = tradesFile(TRADEDATE, randomBytes(1, 600_000));

const sleep = clock.sleep;
clock.sleep = async () => undefined;
const service = await startService();
const line = await startCuttingProxy(service.baseUrl);
await loadWeekdays(service, "20250101", "20261231");
await publish(service, MAIN);
await publishFiles(service, TRADES);
const client = new Client({
  key: (await account(service, { plan: "flagship" })).key,
  baseUrls: line.baseUrl,
});
afterAll(async () => {
  clock.sleep = sleep;
  await line.stop();
  await service.stop();
});

describe("a Parquet answer to the TypeScript client", () => {
  it("is complete, with its metadata, after the connection was cut twice", async () => {
    line.cutAfter([5_000, 40_000]);
    const file = await client.ordersParquet({ symbol: "600519", date: TRADEDATE });
    expect(file).toMatchObject({ name: `600519.SH_${TRADEDATE}_orders.parquet`, rows: 30_000, revision: 1 });
    const direct = await service.post({
      apiname: "level2_order_history",
      apikey: (await account(service, { plan: "flagship" })).key,
      params: { symbol: "600519", tradedate: TRADEDATE, format: "parquet" },
    });
    expect(sha256(file.bytes)).toBe(sha256(direct.bytes));
  });

  it("holds the slot until its stream is read or cancelled", async () => {
    const stream = await client.ordersParquetStream({ symbol: "600519", date: TRADEDATE });
    let isNext = false;
    const next = client.orders({ symbol: "300750", date: TRADEDATE }).toArray();
    next.then(() => {
      isNext = true;
    });
    expect((await new Response(stream.body).bytes()).length).toBe(stream.sizeBytes);
    expect(isNext).toBe(false);
    expect(await next).toHaveLength(1);

    const second = await client.ordersParquetStream({ symbol: "600519", date: TRADEDATE });
    await second.body.cancel();
    expect(await client.orders({ symbol: "300750", date: TRADEDATE }).toArray()).toHaveLength(1);
  });

  it("fails with the code and the reason when the service refuses the request", async () => {
    await expect(client.ordersParquet({ symbol: "999999", date: TRADEDATE })).rejects.toMatchObject({
      name: "NoData",
      code: 1002,
      reason: "security_unknown",
    });
  });
});

describe("the TypeScript client's requests with one key", () => {
  let own = "";
  beforeAll(async () => {
    own = (await account(service, { plan: "flagship" })).key;
  });

  it("are queued, so that 20 concurrent readers never get slot_busy", async () => {
    const readers = Array.from({ length: 20 }, () =>
      new Client({ key: own, baseUrls: service.baseUrl, maxWaitMs: 0 })
        .orders({ symbol: "600519", date: TRADEDATE, fields: ["exchange_order_id"] })
        .toArray(),
    );
    for (const rows of await Promise.all(readers)) {
      expect(rows.map((row) => row.exchange_order_id)).toEqual(
        Array.from({ length: 30_000 }, (_, n) => n + 1),
      );
    }
  });

  it("fail when the quota runs out while paging and, after a credit, continue from the rows already read", async () => {
    const { key, accountId } = await account(service, { plan: "trial", limits: { requests: 2 } });
    const limited = new Client({ key, baseUrls: service.baseUrl });
    const orders = limited.orders({ symbol: "600519", date: TRADEDATE, pageSize: 10_000 });
    const error = await orders.toArray().catch((caught) => caught);
    expect(error).toBeInstanceOf(QuotaUsed);
    expect(error.resetsAt.getTime()).toBeGreaterThan(Date.now());
    const path = `/admin/accounts/${encodeURIComponent(accountId)}/credit`;
    await asOperator(service, "POST", path, { requests: 2 });
    expect(await orders.toArray()).toHaveLength(30_000);
  });

  it("end when the caller's signal aborts while paging", async () => {
    const aborter = new AbortController();
    const orders = client.orders({
      symbol: "600519",
      date: TRADEDATE,
      pageSize: 100,
      signal: aborter.signal,
    });
    const seen: unknown[] = [];
    const paging = (async () => {
      for await (const page of orders.pages()) {
        seen.push(page);
        if (seen.length === 3) aborter.abort(new Error("enough"));
      }
    })();
    await expect(paging).rejects.toThrow("enough");
    expect(seen).toHaveLength(3);
  });
});

describe("the TypeScript client's share downloads", () => {
  it("are complete, byte for byte, over a connection that is cut repeatedly", async () => {
    const random = printedRandom("cuts");
    const share = await client.share("level2", 2026);
    const file = (await share.files()).find(({ path }) => path.endsWith("_trades.zip"));
    if (file === undefined) throw new Error("the share does not hold the file");
    for (let round = 0; round < 5; round++) {
      line.cutAfter(Array.from({ length: 4 }, () => random.integer(1, 200_000)));
      expect(sha256(await share.download(file).bytes())).toBe(sha256(TRADES.bytes));
    }
    const have = TRADES.bytes.subarray(0, 123_456);
    line.cutAfter([50_000]);
    const rest = await share.download(file, { have: [have] }).bytes();
    expect(sha256(Buffer.concat([have, rest]))).toBe(sha256(TRADES.bytes));
    await expect(share.download(file, { have: [have.slice().fill(0)] }).bytes()).rejects.toThrow(/SHA-256/);
  });

  it("report a replaced file before they deliver the first byte", async () => {
    const share = await client.share("level2", 2026);
    const [file] = (await share.files()).filter(({ path }) => path.endsWith("_trades.zip"));
    if (file === undefined) throw new Error("the share does not hold the file");
    const other = { ...TRADES, bytes: randomBytes(2, 600_000) };
    await addFile(service, other);
    await asOperator(service, "POST", `/admin/files/level2/${TRADEDATE}/${TRADES.name}/publish`);
    const download = share.download(file)[Symbol.asyncIterator]();
    await expect(download.next()).rejects.toBeInstanceOf(IntegrityError);
  });
});

describe("the TypeScript client's other operations", () => {
  it("return the service's answers as typed values", async () => {
    expect(await client.account()).toMatchObject({ plan: "flagship", plan_state: "active" });
    expect((await client.status("202603")).days.map(({ tradedate }) => tradedate)).toContain(TRADEDATE);
    expect(await client.symbols(TRADEDATE, { market: "SZ" })).toEqual([
      expect.objectContaining({ symbol: "300750", market: "SZ", rows: 1, first_time: "093000000" }),
    ]);
    expect((await client.estimate({ symbol: "600519", date: TRADEDATE })).rows).toEqual({
      at_least: 30_000,
      at_most: 30_000,
    });
    const changed: string[] = [];
    for await (const change of client.changes({ since: "20260301" })) changed.push(change.tradedate);
    expect(changed).toContain(TRADEDATE);
  });
});
