/** What the catalog tells those who look after a deployment. */
import type { BeijingDate } from "../calendar/beijing.ts";

/** Names of the migrations that the platform's tool has applied, in their order; null when it keeps no list here. */
export async function appliedMigrations(db: D1Database): Promise<string[] | null> {
  const listed = await db
    .prepare("SELECT count(*) AS count FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'")
    .first<{ count: number }>();
  if (listed?.count !== 1) return null;
  const { results } = await db.prepare("SELECT name FROM d1_migrations ORDER BY id").all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** Returns the SQL of the column `day` (YYYYMMDD) as YYYY-MM-DD, which SQLite's date functions take. */
export function isoOf(day: string): string {
  return `substr(${day}, 1, 4) || '-' || substr(${day}, 5, 2) || '-' || substr(${day}, 7, 2)`;
}

/** Neighbours in the calendar between which days are left out, ascending. */
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
