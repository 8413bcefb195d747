import { zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import { FIELDS } from "../../../../src/orders/record.ts";
import { ByteWriter } from "../../../../src/pack-builder/parquet/byte-writer.ts";
import { bitWidth, rleBitPacked } from "../../../../src/pack-builder/parquet/encodings.ts";
import { columnsOf, day, order, type TestOrder } from "../../../support/builders.ts";
import { buildPackBytes } from "../../../support/pack-bytes.ts";
import { printedRandom, type Random } from "../../../support/random.ts";

const random = printedRandom("random packs");
const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

/** Returns orders that exercise every path of the encodings: runs, few and many values, small and huge steps. */
function wildOrders(from: Random, rows: number): TestOrder[] {
  const number = () => {
    const top = from.pick([0, 1, 255, 65_536, 2 ** 31, 2 ** 40, 2 ** 52, Number.MAX_SAFE_INTEGER]);
    const runs = from.pick([1, 1, 7, 8, 9, 1000]);
    let value = 0;
    return (row: number) => {
      if (row % runs === 0) value = from.integer(0, top);
      return value;
    };
  };
  const steps = () => {
    const step = from.pick([1, 300, 2 ** 24, 2 ** 33]);
    let value = 0;
    return () => {
      value += from.integer(0, step);
      return value % Number.MAX_SAFE_INTEGER;
    };
  };
  const [orderId, exchangeOrderId] = [from.pick([number, steps])(), from.pick([number, steps])()];
  const [priceE4, volume] = [number(), number()];
  const texts = from.pick([["A"], ["A", "D"], ["", "A", "D", "S", "集合竞价"]]);
  return Array.from({ length: rows }, (_, row) =>
    order("093000000", {
      orderId: orderId(row),
      exchangeOrderId: exchangeOrderId(row),
      // Below this limit, the double nearest to a price converts back to the same integer.
      priceE4: priceE4(row) % 10 ** 15,
      volume: volume(row),
      orderType: from.pick(texts),
      orderCode: from.pick(texts),
    }),
  );
}

describe("the Parquet writer", () => {
  it("writes 120 random packs that hyparquet reads back value by value", async () => {
    for (let round = 0; round < 120; round++) {
      const rows = random.pick([1, 2, 31, 32, 33, 127, 128, 129, 130, 255, 1000, 10_000, 10_007]);
      const symbols = ["000001", "600519"].slice(0, random.integer(1, 2));
      const securities = symbols.map((symbol) => ({
        symbol,
        market: symbol === "000001" ? ("SZ" as const) : ("SH" as const),
        orders: wildOrders(random, rows),
      }));
      const test = day({ tradedate: "20240102", securities });
      const pack = await buildPackBytes(
        "20240102" as BeijingDate,
        test.securities.map(({ orders, ...security }) => ({ ...security, columns: columnsOf(orders) })),
      );
      const found = await parquetReadObjects({ file: pack.buffer, compressors });
      const values = found.map((row) =>
        FIELDS.map((field) => (typeof row[field] === "bigint" ? Number(row[field]) : row[field])),
      );
      const expected = test.securities.flatMap(({ symbol, market }) => test.rowsOf(symbol, market));
      expect(values.length).toBe(expected.length);
      const wrong = values.findIndex((row, i) => row.some((value, place) => value !== expected[i]?.[place]));
      expect(wrong < 0 ? null : [values[wrong], expected[wrong]], `round ${round}`).toBeNull();
    }
  });

  it("uses the smallest bit width that holds a number", () => {
    for (let bits = 1; bits <= 53; bits++) {
      expect(bitWidth(2 ** (bits - 1))).toBe(bits);
      expect(bitWidth(2 ** bits - 1)).toBe(bits);
    }
    expect(bitWidth(0)).toBe(0);
  });

  it("writes 10,000 equal values in fewer than 5 bytes", () => {
    const out = new ByteWriter(64);
    rleBitPacked(out, new Uint16Array(10_000).fill(5), 10_000, 3);
    expect(out.length).toBeLessThan(5);
  });
});
