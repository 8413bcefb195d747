/** The first and the last day of a dataset that can be read. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";

export interface DaySpan {
  /** Null without a single day. */
  earliest: BeijingDate | null;
  newest: BeijingDate | null;
}

/** The span of the days that are available now, both included. */
export async function servedSpan(db: D1Database, dataset: DatasetName = "orders"): Promise<DaySpan> {
  const span = await db
    .prepare(
      "SELECT min(tradedate) AS earliest, max(tradedate) AS newest FROM order_days WHERE dataset = ?1 AND state = 'available'",
    )
    .bind(dataset)
    .first<DaySpan>();
  return span ?? { earliest: null, newest: null };
}

/** The last day of the span alone: one row is read, however many there are. */
export async function newestDay(
  db: D1Database,
  dataset: DatasetName = "orders",
): Promise<BeijingDate | null> {
  const newest = db.prepare(
    "SELECT tradedate FROM order_days WHERE dataset = ?1 AND state = 'available' ORDER BY tradedate DESC LIMIT 1",
  );
  return newest.bind(dataset).first<BeijingDate>("tradedate");
}
