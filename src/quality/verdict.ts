/** The result of a check: passed, failed with its faults, or not provable with the reason. */
import type { DatasetName } from "../datasets/registry.ts";

/** The checks of one security, in the order of the sheet. `README.md` beside this file describes each. */
export const CHECKS = [
  "matching",
  "sequence",
  "gaps",
  "priority",
  "calendar",
  "shape",
  "scale",
  "opening_auction",
  "closing_auction",
  "auction_rows",
  "sums",
  "other_days",
] as const;

export type CheckName = (typeof CHECKS)[number];

/** The reasons why a check can prove the rows neither right nor wrong. */
export const UNPROVABLE = [
  "no_orders",
  "no_trades",
  "no_quotes",
  "no_other_days",
  "too_few_rows",
  "no_flag",
  "no_number",
  "shared_numbers",
  "market_orders",
  "unmeasured_market",
] as const;

export type Unprovable = (typeof UNPROVABLE)[number];

/** The kinds of faults that a failed check can find. */
export const FAULT_KINDS = [
  "order_repeated",
  "cancel_unknown",
  "cancel_differs",
  "cancel_remainder",
  "fill_unknown",
  "fill_side",
  "fill_price",
  "fill_exceeds",
  "trade_repeated",
  "trade_number",
  "after_cancel",
  "numbers_missing",
  "priority",
  "order_outside_hours",
  "cancel_outside_hours",
  "trade_outside_hours",
  "flag_unknown",
  "flag_aggressor",
  "flag_outside_phase",
  "begins_late",
  "ends_early",
  "no_cancels",
  "nothing_after_noon",
  "price_factor",
  "volume_factor",
  "auction_price",
  "auction_volume",
  "auction_missing",
  "auction_snapshot",
  "auction_sides",
  "auction_row",
  "auction_result",
  "sum_volume",
  "sum_amount",
  "price_range",
  "same_as_other_day",
  "dataset_missing",
  "exchange_missing",
  "securities_missing",
  "rows_missing",
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** Where a fault occurred first: a row of the security, counted from 0, and its time HHMMSSmmm. */
export interface FaultPlace {
  dataset: DatasetName;
  row: number;
  time: number;
}

export interface Fault {
  kind: FaultKind;
  count: number;
  /** `null` for a fault of the rows as a whole. */
  first: FaultPlace | null;
  /** The subject of a fault without a row, such as `SH trades`. */
  subject?: string | undefined;
}

export type Verdict =
  | { verdict: "passed" }
  | { verdict: "failed"; faults: Fault[] }
  /** `faults` holds findings for which no rule of the exchange is confirmed. */
  | { verdict: "not_provable"; reason: Unprovable; faults?: Fault[] | undefined };

export const PASSED: Verdict = { verdict: "passed" };

export function notProvable(reason: Unprovable, faults: Fault[] = []): Verdict {
  return { verdict: "not_provable", reason, ...(faults.length === 0 ? {} : { faults }) };
}

/** Counts the faults of one check and records where each kind occurred first. */
export class FaultCounter {
  private readonly faults: Fault[] = [];

  add(kind: FaultKind, first: FaultPlace | null = null, count = 1, subject?: string): void {
    const fault = this.faults.find((each) => each.kind === kind && each.subject === subject);
    if (fault === undefined)
      this.faults.push({ kind, count, first, ...(subject === undefined ? {} : { subject }) });
    else fault.count += count;
  }

  /** Returns `failed` with the faults, the most frequent first, or `otherwise` when there are none. */
  verdict(otherwise: Verdict = PASSED): Verdict {
    if (this.faults.length === 0) return otherwise;
    return { verdict: "failed", faults: this.faults.toSorted((a, b) => b.count - a.count) };
  }
}
