/**
 * Hashes a security's first rows and its total number of rows. The date is not included, so equal rows have equal
 * hashes on different days.
 */
import { orders } from "../datasets/orders.ts";
import type { OrderColumns } from "../orders/record.ts";
import type { TradeColumns } from "../quality/security-rows.ts";
import type { QuoteTotals } from "../quality/sums.ts";
import { Fingerprint, TIME_COLUMN } from "./fingerprint.ts";

/** Returns the hash of times, exchange order numbers and volumes. */
export function orderContents({ time, exchangeOrderId, volume }: OrderColumns): number {
  return contentsOf([time, exchangeOrderId, volume]);
}

/** Returns the hash of times, trade numbers and volumes. */
export function tradeContents({ time, tradeId, volume }: TradeColumns): number {
  return contentsOf([time, tradeId, volume]);
}

/** Returns the hash of the times of snapshots, and of the volume, high and low of the day so far in each snapshot. */
export function quoteContents({ time, volume, highE4, lowE4 }: QuoteTotals): number {
  return contentsOf([time, volume, highE4, lowE4]);
}

/** The maximum number of rows that are hashed. These rows and the total number of rows suffice to distinguish days. */
const MOST_ROWS = 2_000;

function contentsOf(columns: readonly (Int32Array | Float64Array)[]): number {
  const fingerprint = new Fingerprint(orders);
  for (const [place, values] of columns.entries()) {
    fingerprint.addNumbers(TIME_COLUMN + place, values, 0, Math.min(MOST_ROWS, values.length));
    if (values.length > MOST_ROWS)
      fingerprint.addNumbers(TIME_COLUMN + place, Int32Array.of(values.length), 0, 1);
  }
  return fingerprint.value();
}
