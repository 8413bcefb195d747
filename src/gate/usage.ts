/**
 * Determines which daily totals the catalog lacks, in pure functions. Whole totals of a day are written, not
 * differences, so a repeated write changes nothing.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DayUsage, UsageOwner } from "../catalog/usage.ts";

/** The most days whose totals are kept while the catalog cannot be written. The oldest are dropped first. */
const DAYS_KEPT = 62;

/** The part of the gate's row for usage. */
export interface UsageRow {
  /** The Beijing day of the counts. */
  day: BeijingDate;
  /** Accepted requests of the day, JSON and Parquet together. */
  requests: number;
  /** Accepted Parquet requests of the day. */
  files: number;
  /** Bytes of the bodies that ended on the day; absent while none did. */
  bytes?: number;
  /** The owner of this usage; absent until a worker has named it. */
  owner?: UsageOwner;
  /** Totals of earlier days that the catalog lacks; absent without any. */
  earlier?: readonly DayUsage[];
  /** The totals that the last write stored. They count only if their day is `day`. */
  written?: DayUsage;
  /** When the object will write into the catalog (Unix milliseconds of its own clock); absent while nothing is due. */
  writeAtMs?: number;
}

/** Returns the days whose totals the catalog may lack, oldest first. */
export function unwrittenDays(row: UsageRow): DayUsage[] {
  const { day, requests, files, bytes = 0, earlier = [], written } = row;
  const present = { day, requests, files, bytes };
  const known = written?.day === day ? written : { day, requests: 0, files: 0, bytes: 0 };
  return (isSame(known, present) ? [...earlier] : [...earlier, present]).slice(-DAYS_KEPT);
}

/** Returns `row` after `days` were written. What was counted during the write is still unwritten. */
export function afterWrite<Row extends UsageRow>(row: Row, days: readonly DayUsage[]): Row {
  // A day may have ended with higher totals during the write.
  const waiting = row.earlier?.filter((one) => !days.some((done) => isSame(done, one))) ?? [];
  const written = days.find(({ day }) => day === row.day);
  const left: Row = { ...row };
  delete left.writeAtMs;
  delete left.earlier;
  if (waiting.length > 0) left.earlier = waiting;
  if (written !== undefined) left.written = written;
  return left;
}

/**
 * Returns `row` with the time of the next write when something is unwritten and no write is planned; otherwise the same
 * row. A write that was planned for more than `everyMs` ago counts as lost.
 */
export function planWrite<Row extends UsageRow>(row: Row, nowMs: number, everyMs: number): Row {
  const { owner, writeAtMs } = row;
  const isPlanned = writeAtMs !== undefined && writeAtMs > nowMs - everyMs;
  if (owner === undefined || isPlanned || unwrittenDays(row).length === 0) return row;
  return { ...row, writeAtMs: nowMs + everyMs };
}

function isSame(one: DayUsage, other: DayUsage): boolean {
  const { day, requests, files, bytes } = other;
  return one.day === day && one.requests === requests && one.files === files && one.bytes === bytes;
}
