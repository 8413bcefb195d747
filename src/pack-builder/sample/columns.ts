/** Helpers that generate a sample security's orders row by row. */
import type { OrderColumns } from "../../orders/record.ts";
import type { Random } from "./random.ts";
import type { SampleSecurity } from "./securities.ts";

/** Returns columns of `times.length` rows in which all values except the times are 0. */
export function blankColumns(times: Int32Array, types: string[], codes: string[]): OrderColumns {
  const rows = times.length;
  return {
    rows,
    time: times,
    orderId: new Float64Array(rows),
    exchangeOrderId: new Float64Array(rows),
    orderType: { values: types, index: new Uint16Array(rows) },
    orderCode: { values: codes, index: new Uint16Array(rows) },
    priceE4: new Float64Array(rows),
    volume: new Float64Array(rows),
  };
}

export const BUY = 0;
export const SELL = 1;
export type Side = typeof BUY | typeof SELL;

/**
 * Returns a function that moves the market price by at most one step and returns a limit price for an order on a side,
 * in yuan × 10000. All prices are multiples of the tick size and stay within 8 % of the reference price.
 */
export function pricePath(random: Random, { priceE4, tickE4 }: SampleSecurity): (side: Side) => number {
  const reference = Math.round(priceE4 / tickE4);
  const [low, high] = [Math.ceil(reference * 0.92), Math.floor(reference * 1.08)];
  const within = (ticks: number) => Math.max(low, Math.min(high, ticks));
  let middle = reference;
  return (side) => {
    const draw = random.next();
    if (draw < 0.1) middle = within(middle + (draw < 0.05 ? -1 : 1));
    // Most prices are near the middle, a few cross it by one step, and some are far away.
    const away = Math.floor(random.next() ** 4 * 60) - 1;
    return within(side === BUY ? middle - away : middle + away) * tickE4;
  };
}

/** The cumulative fractions of orders of 1, 2, 3… lots, measured in real order files. */
const LOT_SHARES = [0.38, 0.54, 0.62, 0.67, 0.745, 0.772, 0.787, 0.803, 0.817, 0.865];

/** Returns a random quantity: a multiple of `lot`, but in 0.3 % of cases an odd lot. */
export function orderVolume(random: Random, lot: number): number {
  if (random.chance(0.003)) return 1 + random.below(lot * 3 - 1);
  const draw = random.next();
  for (let lots = 1; lots <= LOT_SHARES.length; lots++) {
    if (draw < (LOT_SHARES[lots - 1] ?? 1)) return lots * lot;
  }
  return Math.min(9_900, 11 + Math.floor(random.exponential() ** 2 * 18)) * lot;
}

/**
 * Returns a generator of exchange order numbers. For any number of `rows`, they ascend with gaps and have at most eight
 * digits.
 */
export function numbering(random: Random, rows: number): () => number {
  const widestGap = Math.max(2, Math.min(1_600, Math.floor(17_000_000 / Math.max(1, rows))));
  let last = 0;
  return () => {
    last += 1 + random.below(widestGap);
    return last;
  };
}
