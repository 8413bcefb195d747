/**
 * The one catalog query of a history request: whether the dataset's day is loaded, which revision is served from which
 * object, and where the security's blocks are. It reads the primary, because a replica can be arbitrarily old, and
 * withdrawals must take effect within 10 s. `kept-days.ts` caches the answers in an isolate.
 */
import { addDays, type BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName } from "../datasets/registry.ts";
import type { AskedMarket, DayDenial } from "../orders/query/query-denial.ts";
import { isIndexCode } from "../orders/query/symbol.ts";
import type { Market, Security } from "../orders/record.ts";

export interface OrderDayQuestion {
  dataset: DatasetName;
  /** The requested day; null for the calendar's newest trading day up to `today`. */
  tradedate: BeijingDate | null;
  /** The six digits of the code. Both exchanges are read, because both can have the code. */
  symbol: string;
  /** Today in Beijing. */
  today: BeijingDate;
}

export type DayState = "available" | "withdrawn" | "damaged";

/** The current revision of a dataset's day. */
export interface LoadedDay {
  revision: number;
  /**
   * The pack ids of the day's other datasets, joined by commas; empty when there are none. Their securities also help
   * to decide which exchange a code without a suffix means.
   */
  others: string;
  state: DayState;
  /** Number of securities in the pack. */
  securities: number;
  /** The pack's object in R2; `etag` is without quotes, for conditional reads. */
  pack: { objectKey: string; etag: string; sha256: string; buildId: string; tradedate: BeijingDate };
}

/**
 * A security's row of the day index, with its blocks still encoded. A security without rows in the dataset has `rows` 0
 * and no blocks.
 */
export interface SectionRow extends Security {
  offset: number;
  length: number;
  footerLength: number;
  rows: number;
  /** The time of the last row, HHMMSSmmm as a number. */
  lastTime: number;
  crc: number;
  blocksBlob: Uint8Array;
}

export interface OrderDay {
  tradedate: BeijingDate;
  /** Null when the day is not loaded. */
  day: LoadedDay | null;
  /** The index rows of the symbol in the dataset that day: none, one, or Shanghai's and then Shenzhen's. */
  sections: SectionRow[];
  /** The exchanges on which another dataset of the day has rows of the symbol. */
  elsewhere: Market[];
  /** The facts for the refusal of a day that is not loaded; absent for a loaded day. */
  facts?: DayFacts;
}

/** The facts with which a refusal explains that a day is not loaded. */
export interface DayFacts {
  /** The newest served day; null when no day is served. */
  newest: BeijingDate | null;
  /** The earliest served day; null when no day is served. */
  earliest: BeijingDate | null;
  /** 1 for an open day, 0 for a closed one; null when the calendar lacks the day. */
  open: number | null;
}

/** Thrown when the calendar does not determine the newest day; an older day is never the answer (contract 3.5). */
export class CalendarGapError extends Error {
  override name = "CalendarGapError";
}

/** The columns of `LoadedDay` are null when `revision` is, and those of `SectionRow` when `market` is. */
interface OrderDayRow
  extends DayFacts,
    Pick<LoadedDay, "state" | "securities">,
    Omit<LoadedDay["pack"], "tradedate">,
    Omit<SectionRow, "symbol" | "market" | "blocksBlob"> {
  tradedate: BeijingDate | null;
  others: string | null;
  /** Joined by commas. */
  elsewhere: string | null;
  /** The number of calendar rows after `tradedate` up to today; 0 if the request names the date. */
  closedSince: number;
  /** Null when the day is not loaded. */
  revision: number | null;
  /** Null when the day has no row of the symbol. */
  market: Market | null;
  /** D1 returns a BLOB as an array of numbers. */
  blocks: number[];
}

/**
 * Returns the SQL of a fact for the refusal of an unloaded day. It is part of the same query, so that the refusal needs
 * no second one, and is computed only if the day is not loaded.
 */
const fact = (name: string, sql: string) => `CASE WHEN p.pack_id IS NULL THEN (${sql}) END AS ${name}`;

const COLUMNS = `asked.tradedate,
  iif(asked.tradedate = ?1, 0,
    (SELECT count(*) FROM trading_days c WHERE c.day > asked.tradedate AND c.day <= ?1)) AS closedSince,
  x.others, x.elsewhere, d.revision, d.state, p.object_key AS objectKey, p.etag, p.sha256,
  p.build_id AS buildId, p.securities, s.market, s.section_offset AS offset, s.section_length AS length,
  s.footer_length AS footerLength, s.rows, s.last_time AS lastTime, s.crc, s.blocks,
  ${fact("newest", "SELECT max(tradedate) FROM order_days WHERE dataset = ?3 AND state = 'available'")},
  ${fact("earliest", "SELECT min(tradedate) FROM order_days WHERE dataset = ?3 AND state = 'available'")},
  ${fact("open", "SELECT open FROM trading_days WHERE day = asked.tradedate")}`;

const NEWEST_DAY = "(SELECT max(day) FROM trading_days WHERE open = 1 AND day <= ?1)";

/**
 * Returns the FROM clause that finds the dataset's day and the exchanges on which the day's other datasets have rows of
 * the code. `asked` is the SQL expression of the date. Other datasets that are withdrawn do not count. An aggregate in
 * the FROM clause is computed once, not for each exchange.
 */
function found(asked: string, dataset: DatasetName): string {
  const others = DATASET_NAMES.filter((name) => name !== dataset).map((name) => `'${name}'`);
  return `FROM (SELECT ${asked} AS tradedate) AS asked
  JOIN (SELECT group_concat(DISTINCT o.pack_id) AS others, group_concat(DISTINCT e.market) AS elsewhere
    FROM order_days o LEFT JOIN day_securities e ON e.pack_id = o.pack_id AND e.symbol = ?2 AND e.rows > 0
    WHERE o.dataset IN (${others}) AND o.tradedate = ${asked} AND o.state <> 'withdrawn') AS x
  LEFT JOIN order_days d ON d.dataset = ?3 AND d.tradedate = asked.tradedate
  LEFT JOIN day_packs p ON p.pack_id = d.pack_id
  LEFT JOIN day_securities s ON s.pack_id = d.pack_id AND s.symbol = ?2
  ORDER BY s.market`;
}

/** Returns the statement that answers `question` in one read; pass its result to `orderDayOf`. */
export function orderDayStatement(db: D1Database, question: OrderDayQuestion): D1PreparedStatement {
  const { tradedate, today, symbol, dataset } = question;
  const from = found(tradedate === null ? NEWEST_DAY : "?1", dataset);
  return db.prepare(`SELECT ${COLUMNS} ${from}`).bind(tradedate ?? today, symbol, dataset);
}

/**
 * Returns the answer to `question` from the result of `orderDayStatement`. Throws `CalendarGapError` when the date was
 * omitted and the calendar lacks today or a day since its newest trading day.
 */
export function orderDayOf(result: D1Result, question: OrderDayQuestion): OrderDay {
  const rows = result.results as OrderDayRow[];
  const first = rows[0];
  if (first === undefined) throw new Error("The query for the day must return a row but did not.");
  const tradedate = question.tradedate ?? newestTradingDay(first, question.today);
  const day = loadedDay(first, tradedate);
  const sections = rows.flatMap((row) => sectionOf(row, question.symbol));
  const elsewhere = [...new Set(first.elsewhere?.split(","))] as Market[];
  if (day !== null) return { tradedate, day, sections, elsewhere };
  const { newest, earliest, open } = first;
  return { tradedate, day, sections, elsewhere, facts: { newest, earliest, open } };
}

function newestTradingDay(row: OrderDayRow, today: BeijingDate): BeijingDate {
  const newest = row.tradedate;
  // Every day after the newest trading day must be in the calendar as closed; otherwise an open day may be missing.
  if (newest === null || addDays(newest, row.closedSince) !== today) {
    throw new CalendarGapError(
      `The trading calendar does not reach ${today} without a gap; load the calendar up to that day.`,
    );
  }
  return newest;
}

function loadedDay(row: OrderDayRow, tradedate: BeijingDate): LoadedDay | null {
  const { revision, state, objectKey, etag, sha256, buildId, securities } = row;
  if (revision === null) return null;
  const pack = { objectKey, etag, sha256, buildId, tradedate };
  return { revision, state, others: row.others ?? "", securities, pack };
}

function sectionOf(row: OrderDayRow, symbol: string): SectionRow[] {
  const { market, offset, length, footerLength, rows, lastTime, crc, blocks } = row;
  if (market === null) return [];
  const blocksBlob = Uint8Array.from(blocks);
  return [{ symbol, market, rows, lastTime, offset, length, footerLength, crc, blocksBlob }];
}

const STATE_DENIALS = { available: null, withdrawn: "withdrawn", damaged: "day_damaged" } as const;

/** Number of calendar days, including today, whose delivery can still arrive. */
const RECENT_DAYS = 7;

/** Returns why the dataset's day cannot be served, or null when it can. `today` is the Beijing day. */
export function dayDenial(orderDay: OrderDay, today: BeijingDate, dataset: DatasetName): DayDenial | null {
  const { tradedate, day } = orderDay;
  if (day === null) return notLoaded(orderDay, today, dataset);
  const reason = STATE_DENIALS[day.state];
  return reason && { reason, dataset, tradedate };
}

function notLoaded({ tradedate, facts }: OrderDay, today: BeijingDate, dataset: DatasetName): DayDenial {
  const newestLoaded = facts?.newest ?? null;
  const earliestLoaded = facts?.earliest ?? null;
  if (tradedate > today) return { reason: "future_day", dataset, tradedate, today, newestLoaded };
  if (facts?.open === 0) return { reason: "not_trading_day", dataset, tradedate, newestLoaded };
  if (earliestLoaded !== null && tradedate < earliestLoaded) {
    return { reason: "before_history", dataset, tradedate, earliestLoaded };
  }
  const recent = tradedate > addDays(today, -RECENT_DAYS);
  return { reason: "not_loaded", dataset, tradedate, recent, newestLoaded };
}

/**
 * Returns why the day has no rows of the security, or null when it has. `market` is null for a code without a suffix:
 * then rows on either exchange count, except an index's, and `chooseMarket` decides between two.
 */
export function securityDenial(
  { tradedate, sections, elsewhere }: OrderDay,
  symbol: string,
  market: AskedMarket | null,
  dataset: DatasetName,
): DayDenial | null {
  const isMeant = (held: Market) => (market === null ? !isIndexCode(symbol, held) : held === market);
  const meant = sections.filter((section) => isMeant(section.market));
  const [first] = meant;
  if (first === undefined) {
    // Another dataset of the day has rows of the security, so the requested code is correct.
    const known = elsewhere.find((each) => each === market);
    if (known !== undefined) return { reason: "no_orders", dataset, tradedate, symbol, market: known };
    const carriedOn = sections[0]?.market ?? elsewhere[0] ?? null;
    return { reason: "security_unknown", tradedate, symbol, market, carriedOn };
  }
  if (meant.every((section) => section.rows === 0)) {
    return { reason: "no_orders", dataset, tradedate, symbol, market: first.market };
  }
  return null;
}
