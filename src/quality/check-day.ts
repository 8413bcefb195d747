/** Checks a day as a whole: its datasets are compared with each other and with other days. */
import { upperMedian } from "../base/upper-median.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import type { Market } from "../orders/record.ts";
import type { Contents, SecurityReport } from "./check-security.ts";
import { kindOf } from "./security-kind.ts";
import { FaultCounter, notProvable, type Verdict } from "./verdict.ts";

export const MARKETS = ["SH", "SZ"] as const satisfies readonly Market[];

/** The checks of a day as a whole. */
export const DAY_CHECKS = ["coverage", "other_days"] as const;
export type DayCheckName = (typeof DAY_CHECKS)[number];

/** The number of securities with rows, and the number of rows. */
export interface Size {
  securities: number;
  rows: number;
}

/** The size of each dataset by exchange; `null` where the day has no pack of the dataset. */
export type Sizes = Record<Market, Record<DatasetName, Size | null>>;

/** The sizes in a sheet of any version. Sheets of earlier versions can lack datasets. */
export type OtherSizes = Record<Market, { [Name in DatasetName]?: Size | null | undefined }>;

/** What the quality sheet of another day says about that day. */
export interface OtherDay {
  tradedate: BeijingDate;
  sizes: OtherSizes;
  /** The contents of each security, by code with suffix. */
  contents: ReadonlyMap<string, Contents>;
}

/** The first day for which sources have Shanghai's orders. */
export const SHANGHAI_ORDERS_SINCE = "20210607";
/** A share with this many orders nearly always has trades. */
const ENOUGH_ORDERS = 100;
const ENOUGH_TRADES = 20;
/**
 * A share with this many snapshots nearly always has trades. A full day has about 5,000 snapshots, one every three
 * seconds.
 */
const ENOUGH_QUOTES = 1_000;
const MOST_MISSING = 0.05;
/** The minimum number of other days for a comparison of sizes; with fewer days, sizes are not compared. */
const ENOUGH_DAYS = 3;
/** A normal day has at least this fraction of the rows that the other days have. */
const LEAST_ROWS = 0.4;
/** A normal day has at least this fraction of the securities that the other days have. */
const LEAST_SECURITIES = 0.8;

/** Returns how many securities and rows each dataset has on each exchange. */
export function sizesOf(securities: readonly SecurityReport[]): Sizes {
  const sizes = (market: Market) => {
    const own = securities.filter((each) => each.market === market);
    return perDataset("name", (dataset): Size | null => {
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
    checkQuoteCoverage(market, { sizes, shares }, faults);
    const { orders, trades } = sizes[market];
    if (orders === null || trades === null) continue;
    if (orders.rows > 0 && trades.rows === 0) faults.add("exchange_missing", null, 1, `${market} trades`);
    const isExpected = market === "SZ" || tradedate >= SHANGHAI_ORDERS_SINCE;
    if (trades.rows > 0 && orders.rows === 0 && isExpected) {
      faults.add("exchange_missing", null, 1, `${market} orders`);
    }
    if (orders.rows === 0 || trades.rows === 0) continue;
    countMissing(shares, { of: "orders", enough: ENOUGH_ORDERS, in: "trades", market }, faults);
    countMissing(shares, { of: "trades", enough: ENOUGH_TRADES, in: "orders", market }, faults);
  }
  const has = (dataset: DatasetName) => securities.some(({ rows }) => rows[dataset] !== null);
  if (has("orders") && has("trades")) return faults.verdict();
  return faults.verdict(notProvable(has("orders") ? "no_trades" : "no_orders"));
}

/** Checks that traded shares have quotes, and that an exchange has trades if its shares have many snapshots. */
function checkQuoteCoverage(
  market: Market,
  { sizes, shares }: { sizes: Sizes; shares: readonly SecurityReport[] },
  faults: FaultCounter,
): void {
  const { trades, quotes } = sizes[market];
  if (trades === null || quotes === null) return;
  if (trades.rows > 0 && quotes.rows === 0) faults.add("exchange_missing", null, 1, `${market} quotes`);
  // A security with quotes and no other rows is halted or an index; this cannot be true of all shares of an exchange.
  const isQuoted = shares.some(({ rows }) => (rows.quotes ?? 0) >= ENOUGH_QUOTES);
  if (trades.rows === 0 && isQuoted) faults.add("exchange_missing", null, 1, `${market} trades`);
  if (trades.rows === 0 || quotes.rows === 0) return;
  countMissing(shares, { of: "trades", enough: ENOUGH_TRADES, in: "quotes", market }, faults);
  countMissing(shares, { of: "quotes", enough: ENOUGH_QUOTES, in: "trades", market }, faults);
}

function countMissing(
  shares: readonly SecurityReport[],
  said: { of: DatasetName; enough: number; in: DatasetName; market: Market },
  faults: FaultCounter,
): void {
  const active = shares.filter(({ rows }) => (rows[said.of] ?? 0) >= said.enough);
  const missing = active.filter(({ rows }) => rows[said.in] === 0).length;
  if (missing > active.length * MOST_MISSING) {
    faults.add("securities_missing", null, missing, `${said.market} ${said.in}`);
  }
}

/** Checks each exchange's rows and securities against the medians of `others`. */
export function checkOtherDays(sizes: Sizes, others: readonly OtherDay[]): Verdict {
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
