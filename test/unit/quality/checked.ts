/** Runs the checks of one security on a test's rows, and shortens the verdict. */
import { checkSecurity, type SecurityVerdicts } from "../../../src/quality/check-security.ts";
import type { DayTotals } from "../../../src/quality/security-rows.ts";
import type { Verdict } from "../../../src/quality/sheet.ts";
import type { CheckName } from "../../../src/quality/verdict.ts";
import { type OrderRow, ordersOf, type TradeRow, tradesOf } from "./rows.ts";

export const SHARE = { symbol: "600519", market: "SH" } as const;

export interface Day {
  orders?: readonly OrderRow[] | null;
  trades?: readonly TradeRow[] | null;
  lastSnapshot?: DayTotals | null;
  security?: { symbol: string; market: "SH" | "SZ" };
}

/** Checks one security, without other days and without quotes. Omitted orders or trades mean that there are no rows. */
export function checked({
  orders = [],
  trades = [],
  lastSnapshot = null,
  security = SHARE,
}: Day): SecurityVerdicts {
  const day = {
    ...security,
    orders: orders === null ? null : ordersOf(orders),
    trades: trades === null ? null : tradesOf(trades),
    lastSnapshot,
  };
  return checkSecurity(day, { orders: 1, trades: 2 }, []);
}

/** Returns `passed`, or the kind and number of the faults, or the reason why the check proves nothing. */
export function short(verdict: Verdict): string {
  if (verdict.verdict === "passed") return "passed";
  if (verdict.verdict === "not_provable") return verdict.reason;
  return verdict.faults.map(({ kind, count }) => (count === 1 ? kind : `${kind} ${count}`)).join(", ");
}

/** Returns the shortened verdict of one check on a day. */
export function verdictOf(check: CheckName, day: Day): string {
  return short(checked(day).checks[check]);
}
