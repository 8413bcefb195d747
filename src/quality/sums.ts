/** Checks the trades against the totals of the last snapshot before 15:05. */
import type { Security } from "../orders/record.ts";
import { kindOf } from "./security-kind.ts";
import type { LastSnapshot, TradeColumns } from "./security-rows.ts";
import { shenzhenCancels } from "./shenzhen.ts";
import { FaultCounter, notProvable, type Verdict } from "./verdict.ts";

/** HHMMSSmmm: after-hours trades are in no snapshot before it. */
const SUMMED_BEFORE = 150500000;
/** Yuan. Snapshots have at most two decimals. */
const MOST_APART = 1;

/**
 * Checks that the volumes add up to the day's, the amounts to within 1 yuan of it, and that every price is within the
 * day's range. Not provable without quotes; for bonds and repos, whose units differ, it reports and never fails.
 */
export function checkSums(
  security: Security,
  trades: TradeColumns | null,
  snapshot: LastSnapshot | null,
): Verdict {
  if (snapshot === null) return notProvable("no_quotes");
  if (trades === null) return notProvable("no_trades");
  const isCancel = shenzhenCancels(trades);
  const faults = new FaultCounter();
  const amount = new ExactSum();
  let volume = 0;
  for (let row = 0; row < trades.rows; row++) {
    const time = trades.time[row] ?? 0;
    if (isCancel[row] === 1 || time >= SUMMED_BEFORE) continue;
    const [price, shares] = [trades.priceE4[row] ?? 0, trades.volume[row] ?? 0];
    volume += shares;
    amount.addProduct(price, shares);
    if (price < snapshot.lowE4 || price > snapshot.highE4) {
      faults.add("price_range", { dataset: "trades", row, time });
    }
  }
  if (volume !== snapshot.volume) faults.add("sum_volume");
  if (Math.abs(amount.value() / 10_000 - snapshot.amount) > MOST_APART) faults.add("sum_amount");
  const verdict = faults.verdict();
  if (verdict.verdict !== "failed" || kindOf(security) !== "other") return verdict;
  return notProvable("unmeasured_market", verdict.faults);
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

  /** The double nearest to the sum. */
  value(): number {
    return Number(this.carried + BigInt(this.sum));
  }
}
