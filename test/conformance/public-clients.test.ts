/**
 * Tests the service with the requests that public clients of order history endpoints send, according to the clients'
 * source code. Paging as these clients do must return every row.
 */
import { afterAll, describe, expect, it } from "vitest";
import { DATASETS } from "../../src/datasets/registry.ts";
import type { Row } from "../support/builders.ts";
import { answerRows } from "../support/dataset-days.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { CROWDED, LARGE, MAIN, publishLarge, sharedWorld } from "./world.ts";

const world = await sharedWorld();
await publishLarge(world);
afterAll(() => world.stop());

const maotai = { symbol: "600519", tradedate: MAIN };
const maotaiRows = world.main.rowsOf("600519");
const crowded = { symbol: CROWDED.symbol, tradedate: LARGE };
const crowdedRows = answerRows(DATASETS.orders, CROWDED, LARGE);

/** The ten legacy fields. `legacyRows` contains their values for 600519 on the main day. */
const LEGACY = "symbol,tradedate,time,order_id,price,volume,amount,side,order_type,order_no";
const legacyRows = maotaiRows.map(
  ([symbol, date, time, id, exchangeId, type, code, price, volume, amount]): Row => [
    ...[symbol, date, time, id, price, volume, amount, code, type, exchangeId].map((cell) => cell ?? ""),
  ],
);
/** Parameters with every value as a string. A parameter that is not set is null or "". */
const texts = { page_size: "5", limit: "5", format: "json", start_time: "", end_time: null };

describe("a public client", () => {
  it.each([
    ["empty `fields`", maotai, { fields: "" }, maotaiRows, 1],
    [
      "a list of the ten legacy fields instead of the standard names",
      maotai,
      { fields: LEGACY },
      legacyRows,
      1,
    ],
    ["page_size 50000", { ...crowded, page_size: 50_000 }, {}, crowdedRows, 2],
    ['every value as a string, null or ""', { ...maotai, ...texts }, {}, maotaiRows, 3],
    ["a time window that contains no rows", { ...maotai, start_time: "03:00", end_time: "04:00" }, {}, [], 1],
    ["page_size 100 in a millisecond of 20,000 rows", { ...crowded, page_size: 100 }, {}, crowdedRows, 200],
  ])("that sends %s gets every row and no repeated cursor", async (_, params, extra, expected, pages) => {
    const rows: Row[] = [];
    const seen = new Set<string | null>([null]);
    for (let cursor: string | null = null; ; ) {
      const body = orderHistory({ apikey: world.keys.flagship, params: { ...params, cursor }, ...extra });
      const page = pageOf(await world.service.post(body));
      rows.push(...page.items);
      expect(page.page_size).toBeLessThanOrEqual(10_000);
      if ("fields" in extra && extra.fields !== "") expect(page.fields).toEqual(LEGACY.split(","));
      if (!page.has_more) break;
      cursor = page.next_cursor;
      expect(seen).not.toContain(cursor);
      seen.add(cursor);
    }
    expect(seen.size).toBe(pages);
    expect(rows).toEqual(expected);
  });
});
