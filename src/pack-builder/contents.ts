/** A hash of a security's rows without their day, equal for the same rows on another day. */
import { orders } from "../datasets/orders.ts";
import type { OrderColumns } from "../orders/record.ts";
import type { TradeColumns } from "../quality/security-rows.ts";
import { Fingerprint, TIME_COLUMN } from "./fingerprint.ts";

/** Returns the hash of times, exchange order numbers and volumes. */
export function orderContents({ time, exchangeOrderId, volume }: OrderColumns): number {
  return contentsOf([time, exchangeOrderId, volume]);
}

/** Returns the hash of times, trade numbers and volumes. */
export function tradeContents({ time, tradeId, volume }: TradeColumns): number {
  return contentsOf([time, tradeId, volume]);
}

function contentsOf(columns: readonly (Int32Array | Float64Array)[]): number {
  const fingerprint = new Fingerprint(orders);
  for (const [place, values] of columns.entries()) {
    fingerprint.addNumbers(TIME_COLUMN + place, values, 0, values.length);
  }
  return fingerprint.value();
}
