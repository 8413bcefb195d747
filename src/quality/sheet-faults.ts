/** Lists the findings of a quality sheet for its text and its page. */
import { DAY_CHECKS, type DayCheckName } from "./check-day.ts";
import type { QualitySheet } from "./sheet.ts";
import { CHECKS } from "./sheet-messages.ts";
import type { CheckName, Fault, Verdict } from "./verdict.ts";

/** A security with the findings of some checks, in the order of the checks. */
export interface FaultySecurity {
  /** The code with its suffix. */
  code: string;
  faults: { check: CheckName; fault: Fault }[];
}

/**
 * Returns the securities that have faults in checks with the verdict `of`. The faults of a `not_provable` check do not
 * prove that the data is wrong, for example because no real data confirms the exchange's rule.
 */
export function faultySecurities(
  { securities }: QualitySheet,
  of: Exclude<Verdict["verdict"], "passed">,
): FaultySecurity[] {
  return securities.flatMap(({ symbol, market, checks }) => {
    const faults = CHECKS.flatMap((check) => {
      const verdict = checks[check];
      return verdict.verdict === of ? faultsIn(verdict).map((fault) => ({ check, fault })) : [];
    });
    return faults.length === 0 ? [] : { code: `${symbol}.${market}`, faults };
  });
}

/** Returns the faults of the day as a whole. */
export function dayFaults({ day }: QualitySheet): { check: DayCheckName; fault: Fault }[] {
  return DAY_CHECKS.flatMap((check) => faultsIn(day[check]).map((fault) => ({ check, fault })));
}

function faultsIn(verdict: Verdict): readonly Fault[] {
  return verdict.verdict === "passed" ? [] : (verdict.faults ?? []);
}
