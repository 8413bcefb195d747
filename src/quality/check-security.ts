/** Runs all checks of one security on one day. */
import { checkAuctionRows } from "./auction-rows.ts";
import { checkHours } from "./hours.ts";
import type { Replay } from "./replay.ts";
import { kindOf } from "./security-kind.ts";
import type { SecurityDay } from "./security-rows.ts";
import { checkGaps, checkSequence } from "./sequence.ts";
import { replayShanghai } from "./shanghai.ts";
import { checkScale, checkShape } from "./shape.ts";
import type { Contents, SecurityReport, Verdict } from "./sheet.ts";
import { replayShenzhen } from "./shenzhen.ts";
import { checkSums } from "./sums.ts";
import { type CheckName, FaultCounter, notProvable, type Unprovable, unproven } from "./verdict.ts";

export type SecurityVerdicts = Pick<SecurityReport, "checks" | "counts">;

/** The contents of the same security on other days, by day. */
export type OtherContents = readonly { tradedate: string; contents: Contents }[];

/** Fewer rows are not compared with other days, because they can be equal by chance. */
const ENOUGH_ROWS = 20;
const NO_COUNTS: Replay["counts"] = { cancels: 0, cancelsExact: 0, fills: 0, fillsFound: 0 };

/**
 * Runs every check. Findings in bonds, repos and other securities, whose rules no real data confirms, are reported as
 * `not_provable` with their faults. `others` is empty when no other day is available.
 */
export function checkSecurity(day: SecurityDay, contents: Contents, others: OtherContents): SecurityVerdicts {
  const replay = replayOf(day);
  const ofReplay = (check: (replay: Replay) => { verdict(): Verdict }) =>
    typeof replay === "string" ? notProvable(replay) : check(replay).verdict();
  const auctionRows = checkAuctionRows(day);
  const checks: Record<CheckName, Verdict> = {
    matching: ofReplay(({ matching }) => matching),
    sequence: checkSequence(day),
    gaps: checkGaps(day),
    priority: ofReplay(({ priority }) => priority),
    calendar: checkHours(day),
    shape: checkShape(day),
    scale: checkScale(day),
    opening_auction: ofReplay(({ opening }) => opening),
    closing_auction: ofReplay(({ closing }) => closing),
    auction_rows: auctionRows.verdict,
    sums: checkSums(day),
    other_days: checkOtherDays(day, contents, others),
  };
  if (kindOf(day) === "other") {
    for (const name of MEASURED_FOR_SHARES) checks[name] = unproven(checks[name], "unmeasured_market");
  }
  const replayed = typeof replay === "string" ? NO_COUNTS : replay.counts;
  return { checks, counts: { ...replayed, ...auctionRows.counts } };
}

/** Checks with rules that have been confirmed on real data for shares only. */
const MEASURED_FOR_SHARES = [
  "matching",
  "priority",
  "calendar",
  "shape",
  "opening_auction",
  "closing_auction",
  "auction_rows",
] as const satisfies readonly CheckName[];

/** Returns the replay of the orders, or the reason why a replay proves nothing. */
function replayOf(day: SecurityDay): Replay | Unprovable {
  const { market, orders, trades } = day;
  if (orders === null) return "no_orders";
  if (trades === null) return "no_trades";
  if (orders.rows + trades.rows === 0) return "too_few_rows";
  if (market === "SZ") return replayShenzhen(day, orders, trades);
  // None of the trades names the aggressor's side.
  if (trades.rows > 0 && trades.bsFlag.values.every((flag) => flag === "")) return "no_flag";
  return replayShanghai(day, orders, trades);
}

/** Fails when the rows of a dataset equal those of another day. */
function checkOtherDays(day: SecurityDay, contents: Contents, others: OtherContents): Verdict {
  if (others.length === 0) return notProvable("no_other_days");
  const faults = new FaultCounter();
  for (const [dataset, rows] of [
    ["orders", day.orders?.rows ?? 0],
    ["trades", day.trades?.rows ?? 0],
    ["quotes", day.quoteSpan?.rows ?? 0],
  ] as const) {
    // The value 0 stands for rows that are alike on many days, such as the quotes of a security without trades.
    if (rows < ENOUGH_ROWS || (contents[dataset] ?? 0) === 0) continue;
    const same = others.find((other) => other.contents[dataset] === contents[dataset]);
    if (same !== undefined) faults.add("same_as_other_day", null, 1, `${dataset} of ${same.tradedate}`);
  }
  return faults.verdict();
}
