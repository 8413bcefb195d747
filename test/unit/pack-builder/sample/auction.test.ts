import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import { sampleAuction } from "../../../../src/pack-builder/sample/auction.ts";
import { auctionPackBytes, writeAuctionPack } from "../../../../src/pack-builder/sample/auction-pack.ts";

const DATE = "20260311" as BeijingDate;
const ticks = sampleAuction(DATE);
const folder = mkdtempSync(join(tmpdir(), "edgetape-auction-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a sample auction day", () => {
  it("is the same for the same date, and differs for another date", () => {
    expect(sampleAuction(DATE)).toEqual(ticks);
    expect(sampleAuction("20260312" as BeijingDate)).not.toEqual(ticks);
    expect(auctionPackBytes(ticks)).toEqual(auctionPackBytes(sampleAuction(DATE)));
  });

  it("runs from 09:15 to 09:25, sorted by symbol and time, without the halted security", () => {
    const times = ticks.map(({ time }) => time);
    expect(times.toSorted().at(0)).toBe("091500000");
    expect(times.toSorted().at(-1)).toBe("092500000");
    const order = ticks.map(({ symbol, time }) => symbol + time);
    expect(order.toSorted()).toEqual(order);
    expect(new Set(ticks.map(({ symbol }) => symbol)).size).toBe(19);
    expect(ticks.some(({ symbol }) => symbol === "603000")).toBe(false);
  });

  it("has amounts of price × quantity, and a side exactly where a remainder exists", () => {
    for (const { m_price, auc_vol, auc_amt, um_vol, um_side } of ticks) {
      expect(m_price).toBeGreaterThan(0);
      expect(auc_amt).toBeCloseTo(m_price * auc_vol, 2);
      expect(um_side === "").toBe(um_vol === 0);
      expect(["", "B", "S"]).toContain(um_side);
    }
  });
});

describe("the file of a sample auction day (contract 8.7)", () => {
  it("is named after the day, and DuckDB reads from it eight ZSTD columns with the generated rows", async () => {
    const { path, rows } = await writeAuctionPack(DATE, folder);
    expect(path).toBe(join(folder, "20260311_aucde.parquet"));
    expect(rows).toBe(ticks.length);
    const connection = await (await DuckDBInstance.create()).connect();
    const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjects();
    expect(await read(`SELECT DISTINCT compression FROM parquet_metadata('${path}')`)).toEqual([
      { compression: "ZSTD" },
    ]);
    const expected = ticks.map((tick) => ({
      ...tick,
      auc_vol: BigInt(tick.auc_vol),
      um_vol: BigInt(tick.um_vol),
    }));
    expect(await read(`SELECT * FROM '${path}'`)).toEqual(expected);
  });
});
