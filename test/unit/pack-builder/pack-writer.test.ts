import { zstdDecompressSync } from "node:zlib";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { amountOf, type OrderColumns } from "../../../src/orders/record.ts";
import type { Section } from "../../../src/pack-builder/section-writer.ts";
import { locateIndex } from "../../../src/packs/locate.ts";
import { buildPackBytes } from "../../support/pack-bytes.ts";

const DAY = "20240102" as BeijingDate;
const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

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

function expectedRows({ symbol, columns }: Section) {
  return Array.from({ length: columns.rows }, (_, row) => ({
    symbol,
    tradedate: "20240102",
    time: String(columns.time[row]).padStart(9, "0"),
    order_id: BigInt(columns.orderId[row] ?? -1),
    exchange_order_id: BigInt(columns.exchangeOrderId[row] ?? -1),
    order_type: columns.orderType.values[columns.orderType.index[row] ?? -1],
    order_code: columns.orderCode.values[columns.orderCode.index[row] ?? -1],
    price: (columns.priceE4[row] ?? -1) / 10_000,
    volume: BigInt(columns.volume[row] ?? -1),
    amount: amountOf(columns.priceE4[row] ?? -1, columns.volume[row] ?? -1),
  }));
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

  it("writes a pack that can be read as one Parquet file and section by section", async () => {
    const pack = await buildPackBytes(DAY, sections);
    expect(await parquetReadObjects({ file: pack.buffer, compressors })).toEqual(
      sections.flatMap(expectedRows),
    );
    const { entries } = await indexOf(pack);
    for (const [i, entry] of entries.entries()) {
      const source = sections[i];
      if (source === undefined || entry.rows === 0) continue;
      const file = pack.slice(entry.offset, entry.offset + entry.length).buffer;
      expect(await parquetReadObjects({ file, compressors })).toEqual(expectedRows(source));
    }
  });

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

  it("stores the time of a security's last row, or 0 for a security without orders", async () => {
    const securities = [section("000001", "SZ", 0), section("600519", "SH", 10_001)];
    const { entries } = await indexOf(await buildPackBytes(DAY, securities));
    expect(entries.map(({ lastTime }) => lastTime)).toEqual([0, 93_000_000 + 3_333 * 10]);
  });

  it("keeps ids and volumes up to 2^53 - 1 and amounts beyond 2^53 exactly", async () => {
    const wild = section("600519", "SH", 300, (columns) => {
      for (let row = 0; row < 300; row++) columns.orderId[row] = row % 2 ? 2 ** 53 - 1 - row : row;
      columns.exchangeOrderId[7] = 2 ** 52 - 1;
      columns.volume[9] = 2 ** 53 - 1;
      columns.priceE4[9] = 99_999_999;
    });
    const pack = await buildPackBytes(DAY, [wild]);
    expect(await parquetReadObjects({ file: pack.buffer, compressors })).toEqual(expectedRows(wild));
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
