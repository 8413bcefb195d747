import { zstdCompressSync } from "node:zlib";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { auctionProblem } from "../../../src/packs/auction-file.ts";
import { auctionPack } from "../../support/files.ts";

const DAY = "20260312" as BeijingDate;

function problemOf(bytes: Uint8Array, tradedate = DAY): Promise<string | null> {
  return auctionProblem(
    bytes.length,
    async (offset, length) => bytes.subarray(offset, offset + length),
    tradedate,
  );
}

function written(...columnData: ColumnSource[]): Uint8Array {
  const compressors = { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) };
  return new Uint8Array(parquetWriteBuffer({ columnData, codec: "ZSTD", compressors }));
}

const symbol: ColumnSource = { name: "code", data: ["600519", "300750"], type: "STRING" };

describe("the footer of an auction pack (contract 8.7)", () => {
  it("is accepted for the pack's own day; for another day it is refused and both dates are named", async () => {
    const bytes = auctionPack(DAY).bytes;
    expect(await problemOf(bytes)).toBeNull();
    expect(await problemOf(bytes, "20260313" as BeijingDate)).toBe(
      "its column tradedate has 20260312, not 20260313",
    );
  });

  it.each<[string, ColumnSource["type"], unknown, unknown]>([
    ["tradedate", "STRING", "20260312", "20260311"],
    ["Trade_Date", "STRING", "2026-03-12", "2026-03-11"],
    ["date", "INT32", 20260312, 20260311],
    ["TradingDay", "INT64", 20260312n, 20260311n],
    ["trade_date", "STRING", "2026/03/12 09:15:00", "2026/03/11 09:15:00"],
    ["日期", "TIMESTAMP", new Date("2026-03-12T09:25:00Z"), new Date("2026-03-10T09:25:00Z")],
    // Midnight in Beijing.
    ["date", "TIMESTAMP", new Date("2026-03-11T16:00:00Z"), new Date("2026-03-10T15:00:00Z")],
  ])("is refused if its column %s of type %s contains another day", async (name, type, right, wrong) => {
    const of = (...data: unknown[]) => written(symbol, { name, type, data } as ColumnSource);
    expect(await problemOf(of(right, right))).toBeNull();
    expect(await problemOf(of(right, wrong))).toMatch(/^its column .* has 202603\d\d, not 20260312$/);
    expect(await problemOf(of(wrong, wrong))).toMatch(/^its column .* has 202603\d\d, not 20260312$/);
  });

  it("is accepted even if it shows no recognisable day, because the vendor chooses the columns", async () => {
    expect(await problemOf(written(symbol))).toBeNull();
    expect(
      await problemOf(written(symbol, { name: "date", data: [19_793, 19_794], type: "INT32" })),
    ).toBeNull();
  });
});

describe("the footer of an order pack", () => {
  it("is refused where an auction pack is expected", async () => {
    const orders = written(symbol, { name: "order_type", data: ["A", "D"], type: "STRING" });
    expect(await problemOf(orders)).toBe(
      "it has the column order_type, so it contains orders, not the auction",
    );
  });
});
