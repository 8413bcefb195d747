import { describe, expect, it } from "vitest";
import {
  NUMBER_BYTES,
  putInteger,
  putNumber,
  putTenThousandths,
  unitsOf,
} from "../../../src/orders/number-text.ts";
import { writeItems } from "../../../src/orders/page-json.ts";
import type { JsonColumn } from "../../../src/orders/row-template.ts";
import { exactTenThousandths } from "../../support/builders.ts";
import { printedRandom, type Random } from "../../support/random.ts";

const decoder = new TextDecoder();

function written(put: (out: DataView, at: number, value: number) => number, value: number): string {
  const bytes = new Uint8Array(NUMBER_BYTES + 3).fill(0x78);
  const end = put(new DataView(bytes.buffer), 3, value);
  expect(end - 3).toBeLessThanOrEqual(NUMBER_BYTES);
  return decoder.decode(bytes.subarray(3, end));
}

/** Returns a random integer from 0 to 2^53 - 1. Short and long numbers are about equally likely. */
function anyInteger(random: Random): number {
  return Math.floor(random.next() ** 2 * 2 ** random.integer(0, 53));
}

describe("numbers written as JSON bytes", () => {
  it("match JSON.stringify for integers of every length", () => {
    const random = printedRandom("integers");
    const edges = Array.from({ length: 16 }, (_, power) => [
      10 ** power - 1,
      10 ** power,
      10 ** power + 1,
    ]).flat();
    const drawn = Array.from({ length: 50_000 }, () => anyInteger(random));
    for (const value of [...edges, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, ...drawn]) {
      expect(written(putInteger, value)).toBe(JSON.stringify(value));
    }
  });

  it("match JSON.stringify for decimals with four places, up to 10^15 ten-thousandths", () => {
    const random = printedRandom("ten-thousandths");
    const edges = [0, 1, 10, 100, 1_000, 9_999, 10_000, 10_001, 99_990_000, 999_999_999_999_999];
    const drawn = Array.from({ length: 50_000 }, () => anyInteger(random)).filter((units) => units < 1e15);
    for (const units of [...edges, ...drawn]) {
      const double = exactTenThousandths(BigInt(units));
      expect(written(putTenThousandths, units)).toBe(JSON.stringify(double));
      expect(unitsOf(double)).toBe(units);
    }
  });

  it("match JSON.stringify for any finite double", () => {
    const random = printedRandom("doubles");
    const view = new DataView(new ArrayBuffer(8));
    const bits = () => {
      view.setUint32(0, random.integer(0, 2 ** 32 - 1));
      view.setUint32(4, random.integer(0, 2 ** 32 - 1));
      return view.getFloat64(0);
    };
    const edges = [0, -0, -1, 0.1, 1e-7, 1e21, 1e15, 900719925474.0991, 123456789012.3456, 5e-324, 1.797e308];
    const near = Array.from({ length: 20_000 }, () => exactTenThousandths(BigInt(anyInteger(random))));
    for (const value of [...edges, ...near, ...Array.from({ length: 20_000 }, bits)]) {
      if (Number.isFinite(value)) expect(written(putNumber, value)).toBe(JSON.stringify(value));
    }
  });
});

/** Returns columns of every kind with `rows` rows, each with its expected values. */
function randomColumns(random: Random, rows: number): { column: JsonColumn; values: (string | number)[] }[] {
  const each = <T>(value: () => T) => Array.from({ length: rows }, value);
  const indexInto = (size: number) => Uint16Array.from(each(() => random.integer(0, size - 1)));
  const texts = ["A", "", '"', "\\", "\n", "买", "🀄", "\u2028", "long ".repeat(40)];
  const textIndex = indexInto(texts.length);
  const prices = Float64Array.from({ length: 60 }, () => anyInteger(random));
  const volumes = Float64Array.from({ length: 40 }, () => anyInteger(random));
  const [priceIndex, volumeIndex] = [indexInto(60), indexInto(40)];
  const ids = Float64Array.from(each(() => anyInteger(random)));
  const times = each(() => String(random.integer(0, 235_959_999)).padStart(9, "0"));
  const timeBytes = new TextEncoder().encode(times.map((time) => `....${time}`).join(""));
  const yuan = prices.map((priceE4) => exactTenThousandths(BigInt(priceE4)));
  const doubles = Float64Array.from(
    each(() => random.pick([0, 0.1, 1e12 + 0.01, yuan[0] ?? 0, random.next()])),
  );
  const at = (table: Float64Array, index: Uint16Array, row: number) => table[index[row] ?? 0] ?? 0;
  const rowValues = <T>(value: (row: number) => T) => Array.from({ length: rows }, (_, row) => value(row));
  return [
    { column: { kind: "constant", text: "600519" }, values: each(() => "600519") },
    { column: { kind: "constant", text: 'quote " 买' }, values: each(() => 'quote " 买') },
    {
      column: { kind: "texts", texts, index: textIndex },
      values: rowValues((row) => texts[textIndex[row] ?? 0] ?? ""),
    },
    {
      column: { kind: "numbers", numbers: yuan, index: priceIndex },
      values: rowValues((row) => at(yuan, priceIndex, row)),
    },
    { column: { kind: "nineDigits", bytes: timeBytes, first: 4, stride: 13 }, values: times },
    { column: { kind: "integers", values: ids }, values: [...ids] },
    { column: { kind: "doubles", values: doubles }, values: [...doubles] },
    {
      column: {
        kind: "amounts",
        prices: { numbers: prices, index: priceIndex },
        volumes: { numbers: volumes, index: volumeIndex },
      },
      values: rowValues((row) =>
        exactTenThousandths(BigInt(at(prices, priceIndex, row)) * BigInt(at(volumes, volumeIndex, row))),
      ),
    },
  ];
}

describe("items written as JSON bytes (contract 4.2, 5.1)", () => {
  it("match JSON.stringify of the rows, for any columns in any order, in one block or several", () => {
    const random = printedRandom("items");
    for (let run = 0; run < 300; run++) {
      const picks = Array.from({ length: random.integer(1, 12) }, () => random.integer(0, 7));
      const expected: (string | number)[][] = [];
      const parts = Array.from({ length: random.integer(1, 3) }, () => {
        const rows = random.pick([random.integer(1, 40), 255, 256, 257, random.integer(500, 800)]);
        const all = randomColumns(random, rows);
        const chosen = picks.flatMap((pick) => all[pick] ?? []);
        const startRow = random.integer(0, rows);
        const endRow = random.integer(startRow, rows);
        for (let row = startRow; row < endRow; row++) {
          expected.push(chosen.map(({ values }) => values[row] ?? "missing"));
        }
        return { columns: chosen.map(({ column }) => column), startRow, endRow };
      });
      const pieces = writeItems(parts);
      expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(expected));
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
      expect(new Set(pieces.map(({ buffer }) => buffer)).size).toBe(pieces.length);
    }
  });

  it("are an empty array when there are no rows", () => {
    expect(Buffer.concat(writeItems([])).toString()).toBe("[]");
  });
});
