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
