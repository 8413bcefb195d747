/** The result of a check: passed, failed with its faults, or not provable with the reason. */
import type { Rows } from "../datasets/dataset.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { Fault, FaultPlace, Verdict } from "./sheet.ts";
import type { CHECK_TEXTS, FAULT_TEXTS, REASON_TEXTS } from "./sheet-messages.ts";

/** The checks of one security. `README.md` beside this file describes each. */
export type CheckName = keyof typeof CHECK_TEXTS;
/** Why a check cannot prove that the rows are right or that they are wrong. */
export type Unprovable = keyof typeof REASON_TEXTS;
/** What a failed check found. */
export type FaultKind = keyof typeof FAULT_TEXTS;

export const PASSED: Verdict = { verdict: "passed" };

export function notProvable(reason: Unprovable): Verdict {
  return { verdict: "not_provable", reason };
}

/** Converts a failed verdict to `not_provable` with `reason` and its faults. Returns any other verdict unchanged. */
export function unproven(verdict: Verdict, reason: Unprovable): Verdict {
  return verdict.verdict === "failed" ? { verdict: "not_provable", reason, faults: verdict.faults } : verdict;
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
