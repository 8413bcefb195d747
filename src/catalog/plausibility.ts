/**
 * Checks whether a day has the usual size and is not a copy of another day. Half a delivery, two deliveries in one, and
 * yesterday's delivery under today's date all build into valid packs. Before a day is served, its numbers of rows and
 * securities are therefore compared, per exchange, with the medians of the nearest loaded days of the dataset. Its rows
 * per security are compared with those of every other loaded day.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { Market } from "../orders/record.ts";
import { UNKNOWN_LAST_TIME } from "./day-securities.ts";
import { type DatasetDay, ofDay } from "./days.ts";
import { type Part, part, plain, sql } from "./sql.ts";

/** The number of nearest loaded days with which a day is compared. For the newest day, these are the days before it. */
const COMPARED_DAYS = 20;
/** With fewer compared days, every day is plausible. */
const FEWEST_DAYS = 5;
/** A count below this fraction of the median is implausible. */
const PLAUSIBLE_PART = 0.9;
/** A count above this multiple of the median is implausible. */
const PLAUSIBLE_MULTIPLE = 2;
/** A count is a loss when it is at most this many tenths of the count in the replaced revision. */
const LOSS_TENTHS = 9;
/** The maximum number of securities that are listed in a `Loss`. */
const NAMED_SECURITIES = 5;
/** A pack with fewer rows is never taken for a copy, because such small counts can be equal by chance. */
const FEWEST_COMPARED_ROWS = 1_000;

/** A pack's counts for one exchange. `securities` counts only those with rows. */
export interface MarketCounts {
  market: Market;
  securities: number;
  rows: number;
}

/** Counts with the medians of the compared days. */
export interface MarketComparison extends MarketCounts {
  medianSecurities: number;
  medianRows: number;
  plausible: boolean;
}

export interface Comparison {
  /** Number of compared days; with fewer than 5 every day is plausible. */
  days: number;
  markets: MarketComparison[];
}

/** Compares the pack `packId` of `tradedate`, whose index rows are loaded, with the nearest other available days. */
export async function comparisonOf(db: D1Database, day: DatasetDay, packId: number): Promise<Comparison> {
  const { dataset, tradedate } = day;
  const isoDate = `${tradedate.slice(0, 4)}-${tradedate.slice(4, 6)}-${tradedate.slice(6)}`;
  const [own, others] = await db.batch<MarketCounts & { tradedate: BeijingDate }>([
    sql(db)`SELECT market, securities, rows FROM pack_markets WHERE pack_id = ${packId}`,
    sql(db)`
      WITH days AS (
        SELECT tradedate, julianday(substr(tradedate, 1, 4) || '-' || substr(tradedate, 5, 2) || '-' || substr(tradedate, 7, 2)) AS n
        FROM order_days WHERE dataset = ${dataset} AND state = 'available' AND tradedate <> ${tradedate}),
      nearest AS (
        SELECT tradedate FROM days ORDER BY abs(n - julianday(${isoDate})), tradedate LIMIT ${COMPARED_DAYS})
      SELECT d.tradedate, m.market, m.securities, m.rows
      FROM nearest n JOIN order_days d ON d.dataset = ${dataset} AND d.tradedate = n.tradedate
      JOIN pack_markets m ON m.pack_id = d.pack_id`,
  ]);
  const byDay = Map.groupBy(others?.results ?? [], (row) => row.tradedate);
  return compare(own?.results ?? [], [...byDay.values()]);
}

/** Compares `own` with the other days by exchange. For an exchange that `own` lacks, the counts of `own` are 0. */
export function compare(
  own: readonly MarketCounts[],
  others: readonly (readonly MarketCounts[])[],
): Comparison {
  const markets = [...new Set([own, ...others].flat().map(({ market }) => market))].toSorted();
  const enough = others.length >= FEWEST_DAYS;
  return {
    days: others.length,
    markets: markets.map((market) => {
      const of = (day: readonly MarketCounts[]) =>
        day.find((each) => each.market === market) ?? { securities: 0, rows: 0 };
      const { securities, rows } = of(own);
      const medianSecurities = median(others.map((day) => of(day).securities));
      const medianRows = median(others.map((day) => of(day).rows));
      const plausible = !enough || (isUsual(securities, medianSecurities) && isUsual(rows, medianRows));
      return { market, securities, rows, medianSecurities, medianRows, plausible };
    }),
  };
}

function isUsual(count: number, usual: number): boolean {
  // An exchange that the other days lack is new and therefore plausible.
  return count >= PLAUSIBLE_PART * usual && (usual === 0 || count <= PLAUSIBLE_MULTIPLE * usual);
}

/** What a pack lacks compared with the revision that it would replace. */
export interface Loss {
  revision: number;
  /** Exchanges that lost at least 10 % of their rows. */
  markets: { market: Market; rows: number; before: number }[];
  /** Number of securities that no longer have rows. */
  lost: number;
  /** Number of other securities that lost at least 10 % of their rows. */
  fewer: number;
  /** At most `NAMED_SECURITIES` of the `lost` and `fewer` securities; those without rows come first. */
  securities: { code: string; rows: number; before: number }[];
}

/**
 * Returns what the pack `packId`, whose index rows are loaded, lacks compared with the day's current revision, which
 * may be withdrawn or damaged. Null when it lacks nothing or the day was never loaded.
 */
export async function lossOf(db: D1Database, seen: DatasetDay, packId: number): Promise<Loss | null> {
  const day = ofDay(seen, "d.");
  /**
   * Returns the SQL that selects the rows of `table` whose count in the new pack is at most nine tenths of their count
   * in the current pack. `of` lists the columns that identify a row of `table`.
   */
  const lossIn = (table: string, of: string[]) => {
    const isSame = of.map((column) => `a.${column} = b.${column}`).join(" AND ");
    return part`b.rows AS before, coalesce(a.rows, 0) AS rows
      FROM order_days d JOIN ${plain(table)} b ON b.pack_id = d.pack_id
      LEFT JOIN ${plain(table)} a ON a.pack_id = ${packId} AND ${plain(isSame)}
      WHERE ${day} AND b.rows > 0 AND 10 * coalesce(a.rows, 0) <= ${LOSS_TENTHS} * b.rows`;
  };
  const [served, markets, securities] = await db.batch([
    sql(db)`SELECT revision FROM order_days d WHERE ${day}`,
    sql(db)`SELECT b.market, ${lossIn("pack_markets", ["market"])}`,
    sql(db)`
      SELECT b.symbol || '.' || b.market AS code, ${lossIn("day_securities", ["symbol", "market"])}
      ORDER BY coalesce(a.rows, 0) > 0, b.symbol, b.market`,
  ]);
  const [revision] = (served?.results ?? []) as { revision: number }[];
  const less = (securities?.results ?? []) as Loss["securities"];
  const loss = (markets?.results ?? []) as Loss["markets"];
  if (revision === undefined || (less.length === 0 && loss.length === 0)) return null;
  const lost = less.filter(({ rows }) => rows === 0).length;
  const named = less.slice(0, NAMED_SECURITIES);
  return { ...revision, markets: loss, lost, fewer: less.length - lost, securities: named };
}

function marketsOf(packId: number | Part): Part {
  return part`SELECT market, securities, rows FROM pack_markets WHERE pack_id = ${packId}`;
}

/**
 * Returns the newest other available day that looks like a copy of the pack `packId`, whose index rows are loaded; null
 * when there is none. On such a day, every security has the same number of rows and the same last time as in the pack.
 * Most likely both were built from the same delivery.
 */
export async function repeatedDay(
  db: D1Database,
  { dataset, tradedate }: DatasetDay,
  packId: number,
): Promise<BeijingDate | null> {
  const [own, other] = [marketsOf(packId), marketsOf(part`d.pack_id`)];
  const day = sql(db)`
    SELECT d.tradedate FROM order_days d
    WHERE d.dataset = ${dataset} AND d.state = 'available' AND d.tradedate <> ${tradedate}
      AND (SELECT sum(rows) FROM pack_markets WHERE pack_id = ${packId}) >= ${FEWEST_COMPARED_ROWS}
      AND NOT EXISTS (${own} EXCEPT ${other}) AND NOT EXISTS (${other} EXCEPT ${own})
      AND NOT EXISTS (SELECT 1 FROM day_securities a
        LEFT JOIN day_securities b ON b.pack_id = d.pack_id AND b.symbol = a.symbol AND b.market = a.market
        WHERE a.pack_id = ${packId} AND a.rows > 0 AND (b.rows IS NOT a.rows
          OR (b.last_time <> a.last_time AND ${UNKNOWN_LAST_TIME} NOT IN (a.last_time, b.last_time))))
    ORDER BY d.tradedate DESC LIMIT 1`;
  return day.first<BeijingDate>("tradedate");
}

/** Returns the median; 0 for an empty list. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : Math.round(((sorted[middle - 1] ?? 0) + upper) / 2);
}
