/** The trading calendar that the operator loaded: open and closed days. */
import { addDays, type BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";
import { decoded, type Part, plain, rows, sql } from "./sql.ts";

export interface CalendarDay {
  day: BeijingDate;
  /** Whether the exchanges trade on this day. */
  open: boolean;
}

/** Sets the given days, which must be distinct. Returns how many are new or changed; other days stay unchanged. */
export async function setCalendarDays(
  db: D1Database,
  { days, source }: { days: CalendarDay[]; source: string },
  by: By,
): Promise<number> {
  const values = JSON.stringify(days.map(({ day, open }) => [day, open ? 1 : 0]));
  const { results } = await sql(db)`
    SELECT given.value ->> 0 AS day, known.open AS was, given.value ->> 1 AS becomes
    FROM json_each(${values}) given LEFT JOIN trading_days known ON known.day = given.value ->> 0
    WHERE known.open IS NOT given.value ->> 1`.all<{ day: string; was: number | null; becomes: number }>();
  const before = results.filter(({ was }) => was !== null).map(({ day, was }) => [day, was]);
  const after = results.map(({ day, becomes }) => [day, becomes]);
  const set = sql(db)`
    INSERT OR REPLACE INTO trading_days (day, open, source)
    SELECT value ->> 0, value ->> 1, ${source} FROM json_each(${values})`;
  const entry = auditStatement(db, by, { action: "calendar.set", subject: source, before, after });
  await db.batch(results.length === 0 ? [set] : [set, entry]);
  return results.length;
}

/** Returns the calendar from `first` to `last`, both inclusive, in order. */
export async function calendarDays(
  db: D1Database,
  first: BeijingDate,
  last: BeijingDate,
): Promise<(CalendarDay & { source: string })[]> {
  const found = await rows(sql(db)`
    SELECT day, open, source FROM trading_days WHERE day BETWEEN ${first} AND ${last} ORDER BY day`);
  return found.map((row) => decoded<CalendarDay & { source: string }>(row, [], ["open"]));
}

/** How complete the calendar is on a given day, called today below. */
export interface CalendarReach {
  /** The newest trading day up to today, or null. */
  newestTradingDay: BeijingDate | null;
  /** The first day after `newestTradingDay`, not after today, that the calendar does not contain; null when none is. */
  missing: BeijingDate | null;
  /**
   * The last day up to which the calendar has no gap, searched from the newest calendar day that is not after today, or
   * from the first one when all are later. Null when the calendar is empty. A single day far ahead does not extend it.
   */
  knownUntil: BeijingDate | null;
  /** The last day in the calendar; later than `knownUntil` when there is a gap. */
  lastDay: BeijingDate | null;
}

/** Returns the SQL that converts the column `day` from YYYYMMDD to YYYY-MM-DD, which SQLite's date functions need. */
function isoOf(day: string): Part {
  return plain(`substr(${day}, 1, 4) || '-' || substr(${day}, 5, 2) || '-' || substr(${day}, 7, 2)`);
}

type ReachRow = Pick<CalendarReach, "knownUntil" | "lastDay"> & {
  newest: BeijingDate | null;
  /** The days that the calendar has after `newest` and up to today, joined by commas. All of them are closed. */
  closed: string | null;
};

/** Returns how complete the calendar is as of `today`. */
export async function calendarReach(db: D1Database, today: BeijingDate): Promise<CalendarReach> {
  const row = await sql(db)`
    WITH reach AS (SELECT max(day) AS newest FROM trading_days WHERE open = 1 AND day <= ${today})
    SELECT newest,
      (SELECT group_concat(day) FROM trading_days WHERE day > newest AND day <= ${today}) AS closed,
      (SELECT day FROM (SELECT day, lead(day) OVER (ORDER BY day) AS next FROM trading_days WHERE day >= coalesce(
          (SELECT max(day) FROM trading_days WHERE day <= ${today}), (SELECT min(day) FROM trading_days)))
       WHERE next IS NULL OR julianday(${isoOf("next")}) - julianday(${isoOf("day")}) > 1
       ORDER BY day LIMIT 1) AS knownUntil,
      (SELECT max(day) FROM trading_days) AS lastDay
    FROM reach`.first<ReachRow>();
  const { newest = null, closed = null, knownUntil = null, lastDay = null } = row ?? {};
  const known = new Set(closed?.split(","));
  let missing: BeijingDate | null = null;
  for (let day = newest ?? today; missing === null && day < today; ) {
    day = addDays(day, 1);
    if (!known.has(day)) missing = day;
  }
  return { newestTradingDay: newest, missing, knownUntil, lastDay };
}

/** Returns the served datasets of days that the calendar marks as closed, by day and dataset, ascending. */
export async function servedOnClosedDays(
  db: D1Database,
): Promise<{ dataset: DatasetName; day: BeijingDate }[]> {
  return rows(sql(db)`
    SELECT dataset, day FROM trading_days JOIN order_days ON tradedate = day
    WHERE open = 0 AND state = 'available' ORDER BY day, dataset`);
}

/** Returns the pairs of calendar days between which days are missing, ascending. */
export async function calendarGaps(db: D1Database): Promise<{ after: BeijingDate; before: BeijingDate }[]> {
  return rows(sql(db)`
    SELECT after, before FROM
      (SELECT day AS after, lead(day) OVER (ORDER BY day) AS before FROM trading_days)
    WHERE julianday(${isoOf("before")}) - julianday(${isoOf("after")}) > 1 ORDER BY after`);
}
