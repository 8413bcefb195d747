/** The trading calendar as the operator loaded it: open and closed days. */

import type { BeijingDate } from "../calendar/beijing.ts";
import type { Actor } from "../entitlement/operators.ts";
import { auditStatement } from "./audit.ts";

export interface CalendarDay {
  day: BeijingDate;
  /** The exchanges trade on it. */
  open: boolean;
}

/** Sets these days, which must differ from each other, and leaves all others. Returns how many are new or changed. */
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

/** The calendar from `first` to `last`, both included, in order. */
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

/** The last day the calendar knows, open or closed, or null when it is empty. */
export async function calendarKnownUntil(db: D1Database): Promise<BeijingDate | null> {
  const row = await db
    .prepare("SELECT max(day) AS day FROM trading_days")
    .first<{ day: BeijingDate | null }>();
  return row?.day ?? null;
}
