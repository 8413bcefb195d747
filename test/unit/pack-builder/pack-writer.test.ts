import { parquetMetadata } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import type { OrderColumns } from "../../../src/orders/record.ts";
import { locateIndex } from "../../../src/packs/locate.ts";
import { buildPackBytes } from "../../support/pack-bytes.ts";

const DAY = "20240102" as BeijingDate;

/** Returns a security with generated orders. Each time occurs three times, and every fifth order is a cancel. */
function section(
  symbol: string,
  market: "SH" | "SZ",
  rows: number,
  change?: (columns: OrderColumns) => void,
) {
  const columns: OrderColumns = {
    rows,
    time: Int32Array.from({ length: rows }, (_, row) => 93_000_000 + Math.floor(row / 3) * 10),
    orderId: new Float64Array(rows),
    exchangeOrderId: Float64Array.from({ length: rows }, (_, row) => 1000 + row * 7),
    orderType: {
      values: ["D", "A", "unused"],
      index: Uint16Array.from({ length: rows }, (_, row) => +(row % 5 > 0)),
    },
    orderCode: { values: ["S", "B", ""], index: Uint16Array.from({ length: rows }, (_, row) => row % 3) },
    priceE4: Float64Array.from({ length: rows }, (_, row) => 123_400 + (row % 50) * 100),
    volume: Float64Array.from({ length: rows }, (_, row) => 100 * (1 + (row % 7))),
  };
  change?.(columns);
  return { symbol, market, columns };
}

async function indexOf(pack: Uint8Array) {
  return (await locateIndex(pack.length, async (offset, length) => pack.subarray(offset, offset + length)))
    .index;
}

describe("the pack writer (src/packs/README.md)", () => {
  const sections = [
    section("000001", "SZ", 20_000),
    section("300750", "SZ", 0),
    section("600519", "SH", 1),
    section("600536", "SH", 10_001),
  ];

  it("cuts a security into row groups of 10,000 rows, none of which spans two securities", async () => {
    const pack = await buildPackBytes(DAY, sections);
    expect(parquetMetadata(pack.buffer).row_groups.map((group) => group.num_rows)).toEqual([
      10_000n,
      10_000n,
      1n,
      10_000n,
      1n,
    ]);
    const { entries } = await indexOf(pack);
    expect(entries.map(({ symbol, market, rows, blocks }) => [symbol, market, rows, blocks.length])).toEqual([
      ["000001", "SZ", 20_000, 2],
      ["300750", "SZ", 0, 0],
      ["600519", "SH", 1, 1],
      ["600536", "SH", 10_001, 2],
    ]);
  });

  it("stores in k0 how many rows of the block's first millisecond precede the block", async () => {
    const burst = section("600519", "SH", 25_000, ({ time }) => time.fill(93_030_000, 8_000, 24_000));
    const [entry] = (await indexOf(await buildPackBytes(DAY, [burst]))).entries;
    expect(entry?.blocks.map(({ firstRow, t0, k0 }) => [firstRow, t0, k0])).toEqual([
      [0, 93_000_000, 0],
      [10_000, 93_030_000, 2_000],
      [20_000, 93_030_000, 12_000],
    ]);
  });

  it("writes the same bytes if only codes are numbered differently, and a new build id if rows differ", async () => {
    const recoded = section("600519", "SH", 100, ({ orderType }) => {
      orderType.values = ["A", "D"];
      orderType.index = orderType.index.map((value) => 1 - value);
    });
    const first = await buildPackBytes(DAY, [section("600519", "SH", 100)]);
    expect(await buildPackBytes(DAY, [recoded])).toEqual(first);
    const other = await buildPackBytes(DAY, [
      section("600519", "SH", 100, ({ volume }) => volume.fill(200, 5, 6)),
    ]);
    expect((await indexOf(other)).buildId).not.toBe((await indexOf(first)).buildId);
  });

  it("refuses rows that are not sorted by time, sections out of order and a day without any orders", async () => {
    const unsorted = section("600519", "SH", 10, ({ time }) => time.reverse());
    await expect(buildPackBytes(DAY, [unsorted])).rejects.toThrow("row 1 of 600519.SH is earlier");
    const [first, , , last] = sections;
    if (first === undefined || last === undefined) throw new Error("sections");
    await expect(buildPackBytes(DAY, [last, first])).rejects.toThrow("000001.SZ comes after 600536.SH");
    await expect(buildPackBytes(DAY, [section("600519", "SH", 0)])).rejects.toThrow("at least one order");
  });

  it("marks every column ZSTD and REQUIRED, and stores minima and maxima only for symbol and time", async () => {
    const { schema, row_groups } = parquetMetadata((await buildPackBytes(DAY, sections)).buffer);
    expect(schema.slice(1).every((element) => element.repetition_type === "REQUIRED")).toBe(true);
    for (const group of row_groups) {
      expect(group.columns.every((column) => column.meta_data?.codec === "ZSTD")).toBe(true);
      const withStatistics = group.columns.filter((column) => column.meta_data?.statistics);
      expect(withStatistics.map((column) => column.meta_data?.path_in_schema[0])).toEqual(["symbol", "time"]);
    }
    expect(row_groups[1]?.columns[2]?.meta_data?.statistics).toMatchObject({
      min_value: "093033330",
      max_value: "093066660",
    });
  });
});
