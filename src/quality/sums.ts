/** Checks the trades against the totals of the last snapshot before 15:05. */
import type { Rows } from "../datasets/dataset.ts";
import { kindOf } from "./security-kind.ts";
import { type DayTotals, type SecurityDay, shenzhenCancels, type TradeColumns } from "./security-rows.ts";
import type { Verdict } from "./sheet.ts";
import { FaultCounter, notProvable, rowPlace, unproven } from "./verdict.ts";

/** 15:05 as HHMMSSmmm. Snapshots before this time contain no after-hours trades. */
export const SUMMED_BEFORE = 150500000;
/** The largest tolerated difference in yuan. Differences occur because snapshots have at most two decimals. */
const MOST_APART = 1;

/**
 * Returns the totals of the trades before 15:05, without Shenzhen's cancels. The amount is the sum of price × volume,
 * added exactly and rounded once. Without trades, `lowE4` is above `highE4`.
 */
export function tradedTotals(trades: TradeColumns): DayTotals {
  const isCancel = shenzhenCancels(trades);
  const amount = new ExactSum();
  let [volume, lowE4, highE4] = [0, Number.POSITIVE_INFINITY, 0];
  for (let row = 0; row < trades.rows; row++) {
    if (isCancel[row] === 1 || (trades.time[row] ?? 0) >= SUMMED_BEFORE) continue;
    const [price, shares] = [trades.priceE4[row] ?? 0, trades.volume[row] ?? 0];
    volume += shares;
    amount.addProduct(price, shares);
    if (price < lowE4) lowE4 = price;
    if (price > highE4) highE4 = price;
  }
  return { volume, amount: amount.value() / 10_000, lowE4, highE4 };
}

/** The quote columns that hold the day's cumulative totals. */
export type QuoteTotals = Rows & Record<keyof DayTotals, Float64Array>;

/**
 * Returns the totals of the last snapshot before 15:05; `null` when there is none. The quotes must be sorted by time.
 */
export function lastSnapshot({ time, volume, amount, highE4, lowE4 }: QuoteTotals): DayTotals | null {
  const row = time.findLastIndex((each) => each < SUMMED_BEFORE);
  if (row < 0) return null;
  const at = (values: Float64Array) => values[row] ?? 0;
  return { volume: at(volume), amount: at(amount), highE4: at(highE4), lowE4: at(lowE4) };
}

/**
 * Checks that the sum of the volumes equals the day's volume, and that the sum of the amounts differs from the day's
 * amount by at most 1 yuan. Every price must be within the day's range. Not provable without quotes or trades. For
 * bonds and repos, whose units differ, differences are reported but never fail the check.
 */
export function checkSums(day: SecurityDay): Verdict {
  const { trades, lastSnapshot: snapshot } = day;
  if (snapshot === null) return notProvable("no_quotes");
  if (trades === null) return notProvable("no_trades");
  const totals = tradedTotals(trades);
  const faults = new FaultCounter();
  if (totals.volume !== snapshot.volume) faults.add("sum_volume");
  if (Math.abs(totals.amount - snapshot.amount) > MOST_APART) faults.add("sum_amount");
  const isWithin = totals.lowE4 >= snapshot.lowE4 && totals.highE4 <= snapshot.highE4;
  if (!isWithin) addOutside(trades, snapshot, faults);
  return kindOf(day) === "other" ? unproven(faults.verdict(), "unmeasured_market") : faults.verdict();
}

/** Counts the trades before 15:05 whose price is outside the day's range. */
function addOutside(trades: TradeColumns, { lowE4, highE4 }: DayTotals, faults: FaultCounter): void {
  const isCancel = shenzhenCancels(trades);
  for (let row = 0; row < trades.rows; row++) {
    const price = trades.priceE4[row] ?? 0;
    if (isCancel[row] === 1 || (trades.time[row] ?? 0) >= SUMMED_BEFORE) continue;
    if (price < lowE4 || price > highE4) faults.add("price_range", rowPlace("trades", row, trades));
  }
}

/** A sum of products that stays exact beyond 2^53. */
class ExactSum {
  private sum = 0;
  private carried = 0n;

  addProduct(a: number, b: number): void {
    const next = this.sum + a * b;
    if (next <= Number.MAX_SAFE_INTEGER) {
      this.sum = next;
      return;
    }
    this.carried += BigInt(this.sum) + BigInt(a) * BigInt(b);
    this.sum = 0;
  }

  /** Returns the double nearest to the sum. */
  value(): number {
    return Number(this.carried + BigInt(this.sum));
  }
}
