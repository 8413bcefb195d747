/** Checks a day as a whole: its datasets are compared with each other and with other days. */
import { upperMedian } from "../base/upper-median.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import type { Market } from "../orders/record.ts";
import { kindOf } from "./security-kind.ts";
import type { OtherDay, QualitySheet, SecurityReport, Verdict } from "./sheet.ts";
import { FaultCounter, notProvable } from "./verdict.ts";

export const MARKETS = ["SH", "SZ"] as const satisfies readonly Market[];

/** The checks of a day as a whole. */
export const DAY_CHECKS = ["coverage", "other_days"] as const;
export type DayCheckName = (typeof DAY_CHECKS)[number];

/** The first day for which sources have Shanghai's orders. */
export const SHANGHAI_ORDERS_SINCE = "20210607";
/**
 * Pairs of datasets that are compared: a share with `enough` rows `of` one dataset nearly always has rows `in` the
 * other. A full day has about 5,000 snapshots, one every three seconds.
 */
const COMPARED = [
  { of: "trades", enough: 20, in: "quotes" },
  { of: "quotes", enough: 1_000, in: "trades" },
  { of: "orders", enough: 100, in: "trades" },
  { of: "trades", enough: 20, in: "orders" },
] as const;
const MOST_MISSING = 0.05;
/** The minimum number of other days for a comparison of sizes; with fewer days, sizes are not compared. */
const ENOUGH_DAYS = 3;
/** A normal day has at least this fraction of the rows that the other days have. */
const LEAST_ROWS = 0.4;
/** A normal day has at least this fraction of the securities that the other days have. */
const LEAST_SECURITIES = 0.8;

/** Returns how many securities and rows each dataset has on each exchange. */
export function sizesOf(securities: readonly SecurityReport[]): QualitySheet["sizes"] {
  const sizes = (market: Market) => {
    const own = securities.filter((each) => each.market === market);
    return perDataset("name", (dataset) => {
      const rows = own.flatMap((each) => each.rows[dataset] ?? []);
      if (rows.length < own.length || rows.length === 0) return null;
      return {
        securities: rows.filter((each) => each > 0).length,
        rows: rows.reduce((sum, each) => sum + each, 0),
      };
    });
  };
  return { SH: sizes("SH"), SZ: sizes("SZ") };
}

/** Checks that the datasets have the same exchanges and, with few exceptions, the same shares. */
export function checkCoverage(tradedate: BeijingDate, securities: readonly SecurityReport[]): Verdict {
  const faults = new FaultCounter();
  const sizes = sizesOf(securities);
  for (const market of MARKETS) {
    const shares = securities.filter((each) => each.market === market && kindOf(each) === "share");
    for (const { of, enough, in: other } of COMPARED) {
      const [size, otherSize] = [sizes[market][of], sizes[market][other]];
      if (size === null || otherSize === null) continue;
      const active = shares.filter(({ rows }) => (rows[of] ?? 0) >= enough);
      const missing = active.filter(({ rows }) => rows[other] === 0).length;
      // A security with quotes and no other rows is halted or an index; this cannot be true of all active shares.
      const isExpected = of === "quotes" ? active.length > 0 : size.rows > 0;
      const isCarried = other !== "orders" || market === "SZ" || tradedate >= SHANGHAI_ORDERS_SINCE;
      const subject = `${market} ${other}`;
      if (otherSize.rows === 0) {
        if (isExpected && isCarried) faults.add("exchange_missing", null, 1, subject);
      } else if (missing > active.length * MOST_MISSING) {
        faults.add("securities_missing", null, missing, subject);
      }
    }
  }
  const has = (dataset: DatasetName) => securities.some(({ rows }) => rows[dataset] !== null);
  if (has("orders") && has("trades")) return faults.verdict();
  return faults.verdict(notProvable(has("orders") ? "no_trades" : "no_orders"));
}

/** Checks each exchange's rows and securities against the medians of `others`. */
export function checkOtherDays(sizes: QualitySheet["sizes"], others: readonly OtherDay[]): Verdict {
  if (others.length === 0) return notProvable("no_other_days");
  const faults = new FaultCounter();
  for (const dataset of DATASET_NAMES) {
    // A dataset that was not delivered makes the day degraded, which the build reports.
    if (MARKETS.every((market) => sizes[market][dataset] === null)) continue;
    for (const market of MARKETS) {
      const before = others.flatMap((other) => other.sizes[market][dataset] ?? []);
      const usual = {
        rows: upperMedian(before.map(({ rows }) => rows)),
        securities: upperMedian(before.map(({ securities }) => securities)),
      };
      if (usual.rows === 0) continue;
      const now = sizes[market][dataset] ?? { rows: 0, securities: 0 };
      const subject = `${market} ${dataset}`;
      if (now.rows === 0) faults.add("exchange_missing", null, 1, subject);
      if (now.rows === 0 || before.length < ENOUGH_DAYS) continue;
      if (now.rows < usual.rows * LEAST_ROWS)
        faults.add("rows_missing", null, usual.rows - now.rows, subject);
      if (now.securities < usual.securities * LEAST_SECURITIES) {
        faults.add("securities_missing", null, usual.securities - now.securities, subject);
      }
    }
  }
  return faults.verdict();
}
