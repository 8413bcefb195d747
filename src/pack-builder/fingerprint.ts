/**
 * Computes a fingerprint of all rows of a security and of their order. The builder computes it from the source rows.
 * Verification computes it again from the rows that a different reader finds in the pack. Any lost, changed or moved
 * row changes the fingerprint.
 */
import { codesOf, type Dataset, numbersOf, type Rows, storedColumns } from "../datasets/dataset.ts";
import { orders } from "../datasets/orders.ts";
import type { OrderColumns } from "../orders/record.ts";
import type { TradeColumns } from "../quality/security-rows.ts";
import type { QuoteTotals } from "../quality/sums.ts";

/** A fingerprint has 52 bits in two independent lanes of 26 bits, so that it is an exact integer in a double. */
const LANE = 2 ** 26;
const TWO_32 = 0x1_0000_0000;

/** The column number of the time in a fingerprint; the dataset's stored columns follow. */
export const TIME_COLUMN = 0;

/**
 * Accumulates the values of a dataset's columns. The values of each column are added in row order, in pieces of any
 * size.
 */
export class Fingerprint {
  private readonly a: Int32Array;
  private readonly b: Int32Array;

  constructor(dataset: Dataset) {
    const columns = 1 + storedColumns(dataset).length;
    this.a = new Int32Array(columns).fill(17);
    this.b = new Int32Array(columns).fill(71);
  }

  /** Adds `values[from, to)`, integers within ±2^53, to a column. */
  addNumbers(column: number, values: Float64Array | Int32Array, from: number, to: number): void {
    let [a, b] = [this.a[column] ?? 0, this.b[column] ?? 0];
    for (let row = from; row < to; row++) {
      const value = values[row] ?? 0;
      const low = value | 0;
      const high = (value / TWO_32) | 0;
      a = Math.imul(a ^ low, 0x01000193) ^ Math.imul(high, 0x9e3779b1) ^ (a >>> 15);
      b = (Math.imul(b, 0x85ebca6b) + low + Math.imul(high, 0xc2b2ae35)) | 0;
      b ^= b >>> 13;
    }
    this.a[column] = a;
    this.b[column] = b;
  }

  /** Adds the integers of the rows `[from, to)`, each given as its low and high 32 bits, to a column. */
  addPairs(column: number, pairs: Int32Array, from: number, to: number): void {
    let [a, b] = [this.a[column] ?? 0, this.b[column] ?? 0];
    for (let row = from; row < to; row++) {
      const low = pairs[2 * row] ?? 0;
      const high = pairs[2 * row + 1] ?? 0;
      a = Math.imul(a ^ low, 0x01000193) ^ Math.imul(high, 0x9e3779b1) ^ (a >>> 15);
      b = (Math.imul(b, 0x85ebca6b) + low + Math.imul(high, 0xc2b2ae35)) | 0;
      b ^= b >>> 13;
    }
    this.a[column] = a;
    this.b[column] = b;
  }

  /** Adds the bits of the doubles `values[from, to)` to a column. */
  addDoubles(column: number, values: Float64Array, from: number, to: number): void {
    this.addPairs(column, new Int32Array(values.buffer, values.byteOffset, 2 * values.length), from, to);
  }

  /** Adds the value `table[index[row]]` of each row in `[from, to)` to a column. */
  addIndexed(column: number, table: number[], index: ArrayLike<number>, from: number, to: number): void {
    const values = new Float64Array(to - from);
    for (let row = from; row < to; row++) values[row - from] = table[index[row] ?? 0] ?? 0;
    this.addNumbers(column, values, 0, to - from);
  }

  value(): number {
    let [a, b] = [17, 71];
    for (let column = 0; column < this.a.length; column++) {
      a = Math.imul(a ^ (this.a[column] ?? 0), 0x01000193) ^ (a >>> 15);
      b = (Math.imul(b, 0x85ebca6b) + (this.b[column] ?? 0)) | 0;
      b ^= b >>> 13;
    }
    return (a >>> 6) * LANE + (b >>> 6);
  }
}

/** Converts a short text to a number for `Fingerprint.addIndexed`. */
export function textNumber(text: string): number {
  let number = 0;
  for (const byte of Buffer.from(text, "utf8")) number = (Math.imul(number, 257) + byte + 1) | 0;
  return number >>> 0;
}

/** Returns the fingerprint of all rows in order. */
export function fingerprintOf(rows: Rows, dataset: Dataset): number {
  const fingerprint = new Fingerprint(dataset);
  fingerprint.addNumbers(TIME_COLUMN, rows.time, 0, rows.rows);
  for (const [number, column] of storedColumns(dataset).entries()) {
    const place = TIME_COLUMN + 1 + number;
    if (column.kind === "code") {
      const { values, index } = codesOf(rows, column);
      fingerprint.addIndexed(place, values.map(textNumber), index, 0, rows.rows);
    } else if (column.kind === "yuan") fingerprint.addDoubles(place, numbersOf(rows, column), 0, rows.rows);
    else fingerprint.addNumbers(place, numbersOf(rows, column), 0, rows.rows);
  }
  return fingerprint.value();
}

/** The maximum number of rows that `contentsHash` reads. These rows and the number of rows suffice to distinguish days. */
const MOST_ROWS = 2_000;

/**
 * For each dataset, a function that hashes some columns of a security's first rows, and the number of rows. The date is
 * not included, so equal rows have equal hashes on different days.
 */
export const contentsHash = {
  orders: ({ time, exchangeOrderId, volume }: OrderColumns) => hashOf([time, exchangeOrderId, volume]),
  trades: ({ time, tradeId, volume }: TradeColumns) => hashOf([time, tradeId, volume]),
  quotes: ({ time, volume, highE4, lowE4 }: QuoteTotals) => hashOf([time, volume, highE4, lowE4]),
};

function hashOf(columns: readonly (Int32Array | Float64Array)[]): number {
  const fingerprint = new Fingerprint(orders);
  for (const [place, values] of columns.entries()) {
    fingerprint.addNumbers(place, values, 0, Math.min(MOST_ROWS, values.length));
    if (values.length > MOST_ROWS) fingerprint.addNumbers(place, Int32Array.of(values.length), 0, 1);
  }
  return fingerprint.value();
}
