/** The result of a check: passed, failed with its faults, or not provable with the reason. */
import type { Rows } from "../datasets/dataset.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { CHECK_TEXTS, FAULT_TEXTS, REASON_TEXTS } from "./sheet-messages.ts";

/** The checks of one security. `README.md` beside this file describes each. */
export type CheckName = keyof typeof CHECK_TEXTS;
/** Why a check cannot prove that the rows are right or that they are wrong. */
export type Unprovable = keyof typeof REASON_TEXTS;
/** What a failed check found. */
export type FaultKind = keyof typeof FAULT_TEXTS;

/** Where a fault occurred first: a row of the security, counted from 0, and its time HHMMSSmmm. */
export interface FaultPlace {
  dataset: DatasetName;
  row: number;
  time: number;
}

export interface Fault {
  kind: FaultKind;
  count: number;
  /** `null` for a fault that concerns all rows together. */
  first: FaultPlace | null;
  /** The exchange and dataset that a fault of the whole day concerns, such as `SH trades`. */
  subject?: string | undefined;
}

export type Verdict =
  | { verdict: "passed" }
  | { verdict: "failed"; faults: Fault[] }
  /** `faults` do not prove that the data is wrong, for example because no real data confirms the exchange's rule. */
  | { verdict: "not_provable"; reason: Unprovable; faults?: Fault[] | undefined };

export const PASSED: Verdict = { verdict: "passed" };

export function notProvable(reason: Unprovable, faults: Fault[] = []): Verdict {
  return { verdict: "not_provable", reason, ...(faults.length === 0 ? {} : { faults }) };
}

/**
 * Converts a failed verdict to `not_provable` with `reason` and the same faults. Returns any other verdict unchanged.
 */
export function unproven(verdict: Verdict, reason: Unprovable): Verdict {
  return verdict.verdict === "failed" ? notProvable(reason, verdict.faults) : verdict;
}

/** Returns the place of a row of `dataset`. */
export function rowPlace(dataset: DatasetName, row: number, { time }: Pick<Rows, "time">): FaultPlace {
  return { dataset, row, time: time[row] ?? 0 };
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
