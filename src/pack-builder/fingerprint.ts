/**
 * A number over all rows of a security and their order. The builder takes it of the rows it read, verification
 * of the rows that a foreign reader finds in the pack: any lost, changed or moved row shows.
 */
import type { OrderColumns } from "../orders/record.ts";

/** A fingerprint is 52 bits, two independent lanes of 26: an exact integer. */
const LANE = 2 ** 26;

/** Adds rows to a fingerprint one by one. */
export class Fingerprint {
  private a = 17;
  private b = 71;

  /** Adds an integer within ±2^53. */
  add(value: number): void {
    this.addWords(value | 0, (value / 0x1_0000_0000) | 0);
  }

  /** Adds an integer given as its low and high 32 bits, as they lie in a 64-bit column. */
  addWords(low: number, high: number): void {
    this.a = Math.imul(this.a ^ low, 0x01000193) ^ Math.imul(high, 0x9e3779b1) ^ (this.a >>> 15);
    this.b = (Math.imul(this.b, 0x85ebca6b) + low + Math.imul(high, 0xc2b2ae35)) | 0;
    this.b ^= this.b >>> 13;
  }

  value(): number {
    return (this.a >>> 6) * LANE + (this.b >>> 6);
  }
}

/** A short text as a number for `Fingerprint.add`. */
export function textNumber(text: string): number {
  let number = 0;
  for (const byte of Buffer.from(text, "utf8")) number = (Math.imul(number, 257) + byte + 1) | 0;
  return number >>> 0;
}

/** The fingerprint of all rows in order. */
export function fingerprintOf(columns: OrderColumns): number {
  const types = columns.orderType.values.map(textNumber);
  const codes = columns.orderCode.values.map(textNumber);
  const fingerprint = new Fingerprint();
  for (let row = 0; row < columns.rows; row++) {
    fingerprint.add(columns.time[row] ?? 0);
    fingerprint.add(columns.orderId[row] ?? 0);
    fingerprint.add(columns.exchangeOrderId[row] ?? 0);
    fingerprint.add(types[columns.orderType.index[row] ?? 0] ?? 0);
    fingerprint.add(codes[columns.orderCode.index[row] ?? 0] ?? 0);
    fingerprint.add(columns.priceE4[row] ?? 0);
    fingerprint.add(columns.volume[row] ?? 0);
  }
  return fingerprint.value();
}
