/**
 * The table `usage`: what each account was served on each Beijing day, by service. The gate writes its totals of the
 * day every few minutes (`gate/lease.ts`), and shares add what they have sent (`shares/download.ts`).
 */
import { addDays, type BeijingDate } from "../calendar/beijing.ts";
import { rows, sql } from "./sql.ts";

/** Number of days for which usage is kept for billing: two years and a month. */
export const USAGE_KEPT_DAYS = 761;

/** The accepted requests that were not credited, how many were for whole files, and the bytes of response bodies. */
export interface Served {
  requests: number;
  files: number;
  bytes: number;
}

/** What was served on one Beijing day. */
export interface DayUsage extends Served {
  day: string;
}

/** The account and the service: an interface (`level2_order_history`) or the data type of a share's files. */
export interface UsageOwner {
  accountId: string;
  service: string;
}

/** Replaces the totals of `days`. Idempotent; without days nothing is written. */
export async function writeUsage(
  db: D1Database,
  { accountId, service }: UsageOwner,
  days: readonly DayUsage[],
): Promise<void> {
  if (days.length === 0) return;
  await sql(db)`
    INSERT INTO usage (day, account_id, service, requests, files, bytes)
    SELECT value ->> 'day', ${accountId}, ${service}, value ->> 'requests', value ->> 'files', value ->> 'bytes'
    FROM json_each(${JSON.stringify(days)}) WHERE TRUE
    ON CONFLICT (day, account_id, service)
      DO UPDATE SET requests = excluded.requests, files = excluded.files, bytes = excluded.bytes`.run();
}

/** Usage of one account, service and day. */
export type AccountUsage = UsageOwner & DayUsage;

/** Adds `usage` to the stored totals, in one write. Repeating the call counts the usage twice. */
export async function addUsage(db: D1Database, usage: readonly AccountUsage[]): Promise<void> {
  await sql(db)`
    INSERT INTO usage (day, account_id, service, requests, files, bytes)
    SELECT value ->> 'day', value ->> 'accountId', value ->> 'service', value ->> 'requests', value ->> 'files',
      value ->> 'bytes'
    FROM json_each(${JSON.stringify(usage)}) WHERE TRUE
    ON CONFLICT (day, account_id, service) DO UPDATE SET requests = requests + excluded.requests,
      files = files + excluded.files, bytes = bytes + excluded.bytes`.run();
}

/** Returns the account's usage of the `count` Beijing days up to `today`, oldest first, without empty days. */
export async function usageOfAccount(
  db: D1Database,
  accountId: string,
  { today, count }: { today: BeijingDate; count: number },
): Promise<(DayUsage & { service: string })[]> {
  // The query needs one seek for each day, because the key begins with the day.
  const days = Array.from({ length: count }, (_, place) => addDays(today, place + 1 - count));
  return rows<DayUsage & { service: string }>(sql(db)`
    SELECT day, service, requests, files, bytes FROM usage
    WHERE day IN (SELECT value FROM json_each(${JSON.stringify(days)}))
      AND account_id = ${accountId} ORDER BY day, service`);
}

/** Returns the usage of every account and service from `from` to `to` (both included), sorted by both. */
export async function usageBetween(
  db: D1Database,
  { from, to }: { from: BeijingDate; to: BeijingDate },
): Promise<(UsageOwner & Served)[]> {
  return rows<UsageOwner & Served>(sql(db)`
    SELECT account_id AS accountId, service, sum(requests) AS requests, sum(files) AS files,
      sum(bytes) AS bytes
    FROM usage WHERE day BETWEEN ${from} AND ${to} GROUP BY account_id, service ORDER BY account_id, service`);
}

/** Deletes usage before the day `before`. Returns the number of deleted rows. */
export async function forgetUsage(db: D1Database, before: BeijingDate): Promise<number> {
  const { meta } = await sql(db)`DELETE FROM usage WHERE day < ${before}`.run();
  return meta.changes;
}
