/** Runs the checks of one security on a test's rows, and shortens the verdict. */
import { auctionOf } from "../../../src/auction/rows.ts";
import {
  checkSecurity,
  type OtherContents,
  type SecurityVerdicts,
} from "../../../src/quality/check-security.ts";
import type { SecurityDay } from "../../../src/quality/security-rows.ts";
import type { Verdict } from "../../../src/quality/sheet.ts";
import type { CheckName } from "../../../src/quality/verdict.ts";
import { quotesOf, type Snapshot } from "../auction/quotes.ts";
import { type OrderRow, ordersOf, type TradeRow, tradesOf } from "./rows.ts";

const SHARE = { symbol: "600519", market: "SH" } as const;

export interface Day extends Partial<Pick<SecurityDay, "lastSnapshot" | "quoteSpan">> {
  orders?: readonly OrderRow[] | null;
  trades?: readonly TradeRow[] | null;
  /** The snapshots of the opening auction; `null`, like an omitted list, for a day without quotes. */
  quotes?: readonly Snapshot[] | null;
  security?: { symbol: string; market: "SH" | "SZ" };
  /** The hashes of the security's rows on other days; on this day they are 1 for orders and 2 for trades. */
  others?: OtherContents;
}

/** Checks one security. Omitted orders or trades mean that there are no rows. */
export function checked({ security = SHARE, others = [], ...day }: Day): SecurityVerdicts {
  const { orders = [], trades = [], quotes = null, lastSnapshot = null, quoteSpan } = day;
  const rows = {
    ...{ ...security, lastSnapshot, quoteSpan },
    orders: orders === null ? null : ordersOf(orders),
    trades: trades === null ? null : tradesOf(trades),
    auction: quotes === null ? undefined : auctionOf(quotesOf(quotes)),
  };
  return checkSecurity(rows, { orders: 1, trades: 2 }, others);
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
