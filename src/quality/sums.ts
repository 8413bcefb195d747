/** Checks the trades against the totals of the last snapshot before 15:05. */
import type { Rows } from "../datasets/dataset.ts";
import { kindOf } from "./security-kind.ts";
import type { LastSnapshot, SecurityDay, TradeColumns } from "./security-rows.ts";
import { shenzhenCancels } from "./shenzhen.ts";
import { FaultCounter, notProvable, rowPlace, unproven, type Verdict } from "./verdict.ts";

/** 15:05 as HHMMSSmmm. Snapshots before this time contain no after-hours trades. */
export const SUMMED_BEFORE = 150500000;
/** The largest tolerated difference in yuan. Differences occur because snapshots have at most two decimals. */
const MOST_APART = 1;

/** The totals of the trades before 15:05, without Shenzhen's cancels. */
interface TradedTotals {
  /** Shares. */
  volume: number;
  /** Yuan: the sum of price × volume, added exactly and rounded once. */
  amount: number;
  /** The lowest price, in ten-thousandths of a yuan. Without trades, `lowE4` is above `highE4`. */
  lowE4: number;
  /** The highest price, in ten-thousandths of a yuan. */
  highE4: number;
}

/** Returns the totals of the trades before 15:05. */
export function tradedTotals(trades: TradeColumns): TradedTotals {
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
export interface QuoteTotals extends Rows {
  volume: Float64Array;
  amount: Float64Array;
  highE4: Float64Array;
  lowE4: Float64Array;
}

/**
 * Returns the totals of the last snapshot before 15:05; `null` when there is none. The quotes must be sorted by time.
 */
export function lastSnapshot({ time, rows, ...totals }: QuoteTotals): LastSnapshot | null {
  let row = rows - 1;
  while (row >= 0 && (time[row] ?? 0) >= SUMMED_BEFORE) row -= 1;
  if (row < 0) return null;
  const at = (values: Float64Array) => values[row] ?? 0;
  return {
    volume: at(totals.volume),
    amount: at(totals.amount),
    highE4: at(totals.highE4),
    lowE4: at(totals.lowE4),
  };
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
  const verdict = sumsVerdict(trades, tradedTotals(trades), snapshot);
  return kindOf(day) === "other" ? unproven(verdict, "unmeasured_market") : verdict;
}

function sumsVerdict(trades: TradeColumns, totals: TradedTotals, snapshot: LastSnapshot): Verdict {
  const faults = new FaultCounter();
  if (totals.volume !== snapshot.volume) faults.add("sum_volume");
  if (Math.abs(totals.amount - snapshot.amount) > MOST_APART) faults.add("sum_amount");
  const isWithin = totals.lowE4 >= snapshot.lowE4 && totals.highE4 <= snapshot.highE4;
  if (!isWithin) addOutside(trades, snapshot, faults);
  return faults.verdict();
}

/** Counts the trades before 15:05 whose price is outside the day's range. */
function addOutside(trades: TradeColumns, { lowE4, highE4 }: LastSnapshot, faults: FaultCounter): void {
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
