import { describe, expect, it } from "vitest";
import { exampleSecurity } from "../../../src/catalog/day-securities.ts";
import { loadIndexRows } from "../../../src/catalog/publish-day.ts";
import type { Market } from "../../../src/orders/record.ts";
import { DB, putDay } from "./catalog-day.ts";

const TRADEDATE = "20240104";

/** Serves a day of quotes whose index lists these securities with their numbers of rows. Stores no pack in R2. */
async function serve(packId: number, securities: [symbol: string, market: Market, rows: number][]) {
  await putDay(TRADEDATE, packId, { dataset: "quotes", revision: packId });
  const place = { offset: 4, length: 700, footerLength: 99, lastTime: 145_959_990, crc: 1 };
  const index = securities.map(([symbol, market, rows]) => ({
    ...place,
    ...{ symbol, market, rows },
    blocksBlob: new Uint8Array(40),
  }));
  await loadIndexRows(DB, packId, index);
}

const example = () => exampleSecurity(DB, TRADEDATE, "600519", "quotes");

describe("the example security of a day", () => {
  it("is the preferred security if it has rows, and otherwise the first non-index security that has rows", async () => {
    expect(await example()).toBeNull();
    await serve(1, [
      ["000001", "SH", 5],
      ["600519", "SH", 9],
    ]);
    expect(await example()).toBe("600519");
    await serve(2, [
      ["000001", "SH", 5],
      ["000300", "SH", 5],
      ["000400", "SZ", 0],
      ["600000", "SH", 7],
      ["600519", "SH", 0],
    ]);
    expect(await example()).toBe("600000.SH");
    await serve(3, [
      ["000001", "SH", 5],
      ["000001", "SZ", 6],
    ]);
    expect(await example()).toBe("000001.SZ");
  });

  it("is an index when only indices have rows", async () => {
    await serve(4, [
      ["000300", "SH", 5],
      ["600519", "SH", 0],
    ]);
    expect(await example()).toBe("000300.SH");
  });
});
