/** The trading calendar that the operator loaded: open and closed days. */
import { addDays, type BeijingDate } from "../calendar/beijing.ts";
import type { Actor } from "../entitlement/operators.ts";
import { auditStatement } from "./audit.ts";

export interface CalendarDay {
  day: BeijingDate;
  /** Whether the exchanges trade on this day. */
  open: boolean;
}

/** Sets these days, which must be distinct, and leaves all others. Returns how many are new or changed. */
export async function setCalendarDays(
  db: D1Database,
  change: { days: CalendarDay[]; source: string; actor: Actor; nowMs: number },
): Promise<number> {
  const { days, source, actor, nowMs } = change;
  const values = JSON.stringify(days.map(({ day, open }) => [day, open ? 1 : 0]));
  const { results } = await db
    .prepare(
      `SELECT given.value ->> 0 AS day, known.open AS was, given.value ->> 1 AS becomes
       FROM json_each(?1) given LEFT JOIN trading_days known ON known.day = given.value ->> 0
       WHERE known.open IS NOT given.value ->> 1`,
    )
    .bind(values)
    .all<{ day: string; was: number | null; becomes: number }>();
  const before = results.filter(({ was }) => was !== null).map(({ day, was }) => [day, was]);
  const after = results.map(({ day, becomes }) => [day, becomes]);
  const set = db
    .prepare(
      `INSERT OR REPLACE INTO trading_days (day, open, source)
       SELECT value ->> 0, value ->> 1, ?2 FROM json_each(?1)`,
    )
    .bind(values, source);
  const entry = { atMs: nowMs, actor, action: "calendar.set", subject: source, before, after };
  await db.batch(results.length === 0 ? [set] : [set, auditStatement(db, entry)]);
  return results.length;
}

/** Returns the calendar from `first` to `last`, both inclusive, in order. */
export async function calendarDays(
  db: D1Database,
  first: BeijingDate,
  last: BeijingDate,
): Promise<(CalendarDay & { source: string })[]> {
  const { results } = await db
    .prepare("SELECT day, open, source FROM trading_days WHERE day BETWEEN ?1 AND ?2 ORDER BY day")
    .bind(first, last)
    .all<{ day: BeijingDate; open: number; source: string }>();
  return results.map(({ day, open, source }) => ({ day, open: open === 1, source }));
}

/** The extent to which the calendar is complete, as of one day. */
export interface CalendarReach {
  /** The newest trading day up to that day, or null. */
  newestTradingDay: BeijingDate | null;
  /** The first day after it, up to that day, that is missing from the calendar, or null. */
  missing: BeijingDate | null;
  /**
   * The last day without a gap before it, counted from the newest calendar day up to that day, or from the first
   * calendar day when all are later. Null when the calendar is empty. A single day set years ahead does not extend it.
   */
  knownUntil: BeijingDate | null;
  /** The last day in the calendar; later than `knownUntil` when there is a gap. */
  lastDay: BeijingDate | null;
}

/** Returns the SQL of the column `day` (YYYYMMDD) as YYYY-MM-DD for SQLite's date functions. */
function isoOf(day: string): string {
  return `substr(${day}, 1, 4) || '-' || substr(${day}, 5, 2) || '-' || substr(${day}, 7, 2)`;
}

const REACH = `
  WITH reach AS (SELECT max(day) AS newest FROM trading_days WHERE open = 1 AND day <= ?1)
  SELECT newest,
    (SELECT group_concat(day) FROM trading_days WHERE day > newest AND day <= ?1) AS closed,
    (SELECT day FROM (SELECT day, lead(day) OVER (ORDER BY day) AS next FROM trading_days WHERE day >= coalesce(
        (SELECT max(day) FROM trading_days WHERE day <= ?1), (SELECT min(day) FROM trading_days)))
     WHERE next IS NULL OR julianday(${isoOf("next")}) - julianday(${isoOf("day")}) > 1
     ORDER BY day LIMIT 1) AS knownUntil,
    (SELECT max(day) FROM trading_days) AS lastDay
  FROM reach`;

/** Returns the reach of the calendar as of `today`. */
export async function calendarReach(db: D1Database, today: BeijingDate): Promise<CalendarReach> {
  const row = await db
    .prepare(REACH)
    .bind(today)
    .first<
      { newest: BeijingDate | null; closed: string | null } & Pick<CalendarReach, "knownUntil" | "lastDay">
    >();
  const { newest = null, closed = null, knownUntil = null, lastDay = null } = row ?? {};
  const known = new Set(closed?.split(","));
  let missing: BeijingDate | null = null;
  for (let day = newest ?? today; missing === null && day < today; ) {
    day = addDays(day, 1);
    if (!known.has(day)) missing = day;
  }
  return { newestTradingDay: newest, missing, knownUntil, lastDay };
}

/** Returns the served days that the calendar marks as closed, ascending. */
export async function servedOnClosedDays(db: D1Database): Promise<BeijingDate[]> {
  const { results } = await db
    .prepare(
      `SELECT DISTINCT day FROM trading_days JOIN order_days ON tradedate = day
       WHERE open = 0 AND state = 'available' ORDER BY day`,
    )
    .all<{ day: BeijingDate }>();
  return results.map(({ day }) => day);
}

/** Returns the pairs of calendar days between which days are missing, ascending. */
export async function calendarGaps(db: D1Database): Promise<{ after: BeijingDate; before: BeijingDate }[]> {
  const { results } = await db
    .prepare(
      `SELECT after, before FROM
         (SELECT day AS after, lead(day) OVER (ORDER BY day) AS before FROM trading_days)
       WHERE julianday(${isoOf("before")}) - julianday(${isoOf("after")}) > 1 ORDER BY after`,
    )
    .all<{ after: BeijingDate; before: BeijingDate }>();
  return results;
}
