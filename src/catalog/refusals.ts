/** Stores refused requests, so that operators can explain a request id. Instants are Unix milliseconds. */
import { part, rows, sql } from "./sql.ts";

/** The time for which refusals are kept; the scheduled task deletes older ones. */
export const REFUSALS_KEPT_MS = 14 * 86_400_000;

export interface Refusal {
  requestId: string;
  atMs: number;
  /** The account; null when the key was not identified. */
  accountId: string | null;
  keyId: string | null;
  /** The `apiname`, if known. */
  interface: string | null;
  /** The security of a history request with valid parameters; otherwise null. */
  symbol: string | null;
  /** The day of a history request with valid parameters; null for other requests and when the day was omitted. */
  tradedate: string | null;
  /** The `Denial` as JSON. */
  denial: string;
}

const COLUMNS = part`request_id AS requestId, at_ms AS atMs, account_id AS accountId, key_id AS keyId, interface, symbol, tradedate,
  denial`;

/** Stores `refusal`, unless a refusal with the same request id is already stored. */
export async function addRefusal(db: D1Database, refusal: Refusal): Promise<void> {
  const { requestId, atMs, accountId, keyId, interface: asked, symbol, tradedate, denial } = refusal;
  await sql(db)`
    INSERT OR IGNORE INTO refusals
      (request_id, at_ms, account_id, key_id, interface, symbol, tradedate, denial)
    VALUES (${requestId}, ${atMs}, ${accountId}, ${keyId}, ${asked}, ${symbol}, ${tradedate}, ${denial})`.run();
}

/** Returns the refusal of this request, or null. */
export function findRefusal(db: D1Database, requestId: string): Promise<Refusal | null> {
  return sql(db)`SELECT ${COLUMNS} FROM refusals WHERE request_id = ${requestId}`.first<Refusal>();
}

/** Returns the account's last refusals, at most `count`, newest first. */
export async function lastRefusals(db: D1Database, accountId: string, count: number): Promise<Refusal[]> {
  return rows<Refusal>(sql(db)`
    SELECT ${COLUMNS} FROM refusals WHERE account_id = ${accountId} ORDER BY at_ms DESC LIMIT ${count}`);
}

/** Deletes refusals that were made before `beforeMs`. Returns their number. */
export async function forgetRefusals(db: D1Database, beforeMs: number): Promise<number> {
  const { meta } = await sql(db)`DELETE FROM refusals WHERE at_ms < ${beforeMs}`.run();
  return meta.changes;
}
