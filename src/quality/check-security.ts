/** Runs all checks of one security on one day. */
import type { DatasetName } from "../datasets/registry.ts";
import type { Security } from "../orders/record.ts";
import { type AuctionRowCounts, checkAuctionRows } from "./auction-rows.ts";
import { checkHours } from "./hours.ts";
import type { Replay, ReplayCounts } from "./replay.ts";
import { kindOf } from "./security-kind.ts";
import type { SecurityDay } from "./security-rows.ts";
import { checkGaps, checkSequence } from "./sequence.ts";
import { replayShanghai } from "./shanghai.ts";
import { checkScale, checkShape } from "./shape.ts";
import { replayShenzhen } from "./shenzhen.ts";
import { checkSums } from "./sums.ts";
import { type CheckName, FaultCounter, notProvable, unproven, type Verdict } from "./verdict.ts";

/** A hash of a security's rows in each dataset, computed without the date; 0 when the rows are alike on many days. */
export type Contents = { [Name in DatasetName]?: number };

export interface SecurityVerdicts {
  checks: Record<CheckName, Verdict>;
  counts: ReplayCounts & AuctionRowCounts;
}

export interface SecurityReport extends Security, SecurityVerdicts {
  /** The number of rows in each dataset; `null` where the day has no pack of the dataset. */
  rows: Record<DatasetName, number | null>;
  contents: Contents;
}

/** The contents of the same security on other days, by day. */
export type OtherContents = readonly { tradedate: string; contents: Contents }[];

/** Fewer rows are not compared with other days, because they can be equal by chance. */
const ENOUGH_ROWS = 20;
const NO_COUNTS: ReplayCounts = { cancels: 0, cancelsExact: 0, fills: 0, fillsFound: 0 };

/**
 * Runs every check. Findings in bonds, repos and other securities, whose rules no real data confirms, are reported as
 * `not_provable` with their faults. `others` is empty when no other day is available.
 */
export function checkSecurity(day: SecurityDay, contents: Contents, others: OtherContents): SecurityVerdicts {
  const { market, orders, trades } = day;
  const replay = replayOf(day);
  const auctionRows = checkAuctionRows(day);
  const checks: Record<CheckName, Verdict> = {
    matching: replay?.matching.verdict() ?? withoutReplay(day),
    sequence: trades === null ? notProvable("no_trades") : checkSequence(trades, market),
    gaps: trades === null ? notProvable("no_trades") : checkGaps(trades),
    priority: replay?.priority.verdict() ?? withoutReplay(day),
    calendar: checkHours(day),
    shape: checkShape(day, orders, trades),
    scale: checkScale(day, orders),
    opening_auction: replay?.opening.verdict() ?? withoutReplay(day),
    closing_auction: replay?.closing.verdict() ?? withoutReplay(day),
    auction_rows: auctionRows.verdict,
    sums: checkSums(day),
    other_days: checkOtherDays(day, contents, others),
  };
  if (kindOf(day) === "other") {
    for (const name of MEASURED_FOR_SHARES) checks[name] = unproven(checks[name], "unmeasured_market");
  }
  const counts = { ...(replay?.counts ?? NO_COUNTS), ...auctionRows.counts };
  return { checks, counts };
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

/** Returns the replay of the orders; `null` where a replay proves nothing (see `withoutReplay`). */
function replayOf(day: SecurityDay): Replay | null {
  const { market, orders, trades } = day;
  if (orders === null || trades === null || orders.rows + trades.rows === 0) return null;
  if (market === "SZ") return replayShenzhen(day, orders, trades);
  return isWithoutFlags(day) ? null : replayShanghai(day, orders, trades);
}

/** Returns whether there are trades and none of them names the aggressor's side. */
function isWithoutFlags({ trades }: SecurityDay): boolean {
  return trades !== null && trades.rows > 0 && trades.bsFlag.values.every((flag) => flag === "");
}

function withoutReplay(day: SecurityDay): Verdict {
  if (day.orders === null) return notProvable("no_orders");
  if (day.trades === null) return notProvable("no_trades");
  return notProvable(isWithoutFlags(day) ? "no_flag" : "too_few_rows");
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
