/**
 * Refused requests, kept for some days so that one can be explained from its request id. Who writes them
 * bounds how many (`operations/keep-refusal.ts`). Instants are Unix milliseconds.
 */

/** How long refusals are kept; the scheduled task forgets older ones. */
export const REFUSALS_KEPT_MS = 14 * 86_400_000;

export interface Refusal {
  requestId: string;
  atMs: number;
  /** Null before the key was known. */
  accountId: string | null;
  keyId: string | null;
  /** The `apiname`, as far as it was known. */
  interface: string | null;
  /** Of an order request whose parameters were in order; a day that was left out is null. */
  symbol: string | null;
  tradedate: string | null;
  /** The denial's facts as JSON. */
  denial: string;
}

const COLUMNS = `request_id AS requestId, at_ms AS atMs, account_id AS accountId, key_id AS keyId, interface, symbol, tradedate,
  denial`;

/** Keeps `refusal`; the first one of a request id stands. */
export async function addRefusal(db: D1Database, refusal: Refusal): Promise<void> {
  const { requestId, atMs, accountId, keyId, interface: asked, symbol, tradedate, denial } = refusal;
  await db
    .prepare(
      `INSERT OR IGNORE INTO refusals
         (request_id, at_ms, account_id, key_id, interface, symbol, tradedate, denial)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .bind(requestId, atMs, accountId, keyId, asked, symbol, tradedate, denial)
    .run();
}

/** The refusal of this request, or null. */
export function findRefusal(db: D1Database, requestId: string): Promise<Refusal | null> {
  return db.prepare(`SELECT ${COLUMNS} FROM refusals WHERE request_id = ?1`).bind(requestId).first<Refusal>();
}

/** The account's last refusals, newest first, at most `count`. */
export async function lastRefusals(db: D1Database, accountId: string, count: number): Promise<Refusal[]> {
  const statement = db
    .prepare(`SELECT ${COLUMNS} FROM refusals WHERE account_id = ?1 ORDER BY at_ms DESC LIMIT ?2`)
    .bind(accountId, count);
  return (await statement.all<Refusal>()).results;
}

/** Forgets refusals from before `beforeMs`; returns how many there were. */
export async function forgetRefusals(db: D1Database, beforeMs: number): Promise<number> {
  const { meta } = await db.prepare("DELETE FROM refusals WHERE at_ms < ?1").bind(beforeMs).run();
  return meta.changes;
}
