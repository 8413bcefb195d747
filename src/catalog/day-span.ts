/** The first and the last day that can be read. */
import type { BeijingDate } from "../calendar/beijing.ts";

export interface DaySpan {
  /** Null without a single day. */
  earliest: BeijingDate | null;
  newest: BeijingDate | null;
}

/** The span of the days that are available now, both included. */
export async function servedSpan(db: D1Database): Promise<DaySpan> {
  const span = await db
    .prepare(
      "SELECT min(tradedate) AS earliest, max(tradedate) AS newest FROM order_days WHERE state = 'available'",
    )
    .first<DaySpan>();
  return span ?? { earliest: null, newest: null };
}

/** The last day of the span alone: one row is read, however many there are. */
export async function newestDay(db: D1Database): Promise<BeijingDate | null> {
  const newest = db.prepare(
    "SELECT tradedate FROM order_days WHERE state = 'available' ORDER BY tradedate DESC LIMIT 1",
  );
  return newest.first<BeijingDate>("tradedate");
}
