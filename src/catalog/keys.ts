/** API keys in the catalog: hashes, never the keys. Instants are Unix milliseconds. */
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";
import { signOutStatements } from "./console-access.ts";

export interface ApiKey {
  keyId: string;
  accountId: string;
  name: string;
  firstCharacters: string;
  createdAtMs: number;
  expiresAtMs: number | null;
  revokedAtMs: number | null;
  /** The last use, up to an hour late; null when the key was never used. */
  lastUsedAtMs: number | null;
}

/** A key's last use is recorded at most this often, which keeps writes cheap. */
export const USE_NOTED_EVERY_MS = 3_600_000;

const KEY = `
  SELECT key_id AS keyId, account_id AS accountId, name, first_characters AS firstCharacters,
    created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs, revoked_at_ms AS revokedAtMs,
    last_used_at_ms AS lastUsedAtMs
  FROM api_keys`;

/** Returns the keys of an account, oldest first. */
export async function keysOfAccount(db: D1Database, accountId: string): Promise<ApiKey[]> {
  const statement = db.prepare(`${KEY} WHERE account_id = ?1 ORDER BY created_at_ms, key_id`).bind(accountId);
  return (await statement.all<ApiKey>()).results;
}

/** Returns the key with this id, or null. */
export async function findKey(db: D1Database, keyId: string): Promise<ApiKey | null> {
  return db.prepare(`${KEY} WHERE key_id = ?1`).bind(keyId).first<ApiKey>();
}

/**
 * An SQL condition with the values of `capOf`: fewer keys than allowed are in force. It is part of the insert, so that
 * concurrent requests cannot exceed the limit.
 */
const belowCap = (first: number) => `(SELECT count(*) FROM api_keys k WHERE k.account_id = ?${first}
  AND k.revoked_at_ms IS NULL AND coalesce(k.expires_at_ms > ?${first + 1}, 1)
  AND k.key_id IS NOT ?${first + 2}) < ?${first + 3}`;

/** Returns the values of `belowCap`; `notCounted` is the id of a key that ends now, or null. */
function capOf(accountId: string, by: By, notCounted: string | null, most: number) {
  return [accountId, by.nowMs, notCounted, most];
}

/**
 * Stores a new key of an existing account by its SHA-256. Returns false and changes nothing when the account already
 * has `most` keys in force.
 */
export async function addKey(
  db: D1Database,
  key: Pick<ApiKey, "keyId" | "accountId" | "name" | "firstCharacters" | "expiresAtMs"> & { sha256: string },
  by: By,
  most = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
  const { sha256, keyId, accountId, name, firstCharacters, expiresAtMs } = key;
  const after = { accountId, name, firstCharacters, expiresAtMs };
  const entry = { atMs: by.nowMs, actor: by.actor, action: "key.issue", subject: keyId, before: null, after };
  const cap = capOf(accountId, by, null, most);
  const results = await db.batch<{ key_id: string }>([
    auditStatement(db, entry, { sql: belowCap(7), values: cap }),
    db
      .prepare(
        `INSERT INTO api_keys (sha256, key_id, account_id, name, first_characters, created_at_ms, expires_at_ms)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE ${belowCap(8)} RETURNING key_id`,
      )
      .bind(sha256, keyId, accountId, name, firstCharacters, by.nowMs, expiresAtMs, ...cap),
  ]);
  return results[1]?.results.length === 1;
}

/** The result of rolling a key: the new key, and the instant from which the old one is refused. */
export interface Rolled {
  fresh: Pick<ApiKey, "keyId" | "firstCharacters"> & { sha256: string };
  oldExpiresAtMs: number;
  /** The most keys in force, including the old one during its overlap. */
  most?: number;
}

/**
 * Issues `fresh` in addition to the key `old`, which then ends at `oldExpiresAtMs` at the latest. Returns false and
 * changes nothing when `old` is not in force, has changed since it was read, or the account would exceed `most` keys.
 */
export async function rollKey(
  db: D1Database,
  old: ApiKey,
  { fresh, oldExpiresAtMs, most = Number.MAX_SAFE_INTEGER }: Rolled,
  by: By,
): Promise<boolean> {
  const endsAtMs = Math.min(old.expiresAtMs ?? oldExpiresAtMs, oldExpiresAtMs);
  const allowed = (first: number) => `EXISTS (SELECT 1 FROM api_keys WHERE key_id = ?${first}
    AND revoked_at_ms IS NULL AND expires_at_ms IS ?${first + 1} AND coalesce(expires_at_ms > ?${first + 2}, 1))
    AND ${belowCap(first + 3)}`;
  const cap = capOf(old.accountId, by, endsAtMs <= by.nowMs ? old.keyId : null, most);
  const values = [old.keyId, old.expiresAtMs, by.nowMs, ...cap];
  const results = await db.batch<{ key_id: string }>([
    auditStatement(
      db,
      {
        atMs: by.nowMs,
        actor: by.actor,
        action: "key.roll",
        subject: old.keyId,
        before: { expiresAtMs: old.expiresAtMs },
        after: { expiresAtMs: endsAtMs, accountId: old.accountId, newKeyId: fresh.keyId },
      },
      { sql: allowed(7), values },
    ),
    db
      .prepare(
        `INSERT INTO api_keys (sha256, key_id, account_id, name, first_characters, created_at_ms)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ${allowed(7)} RETURNING key_id`,
      )
      .bind(fresh.sha256, fresh.keyId, old.accountId, old.name, fresh.firstCharacters, by.nowMs, ...values),
    db
      .prepare(
        `UPDATE api_keys SET expires_at_ms = ?2
         WHERE key_id = ?1 AND EXISTS (SELECT 1 FROM api_keys WHERE key_id = ?3)`,
      )
      .bind(old.keyId, endsAtMs, fresh.keyId),
  ]);
  return results[1]?.results.length === 1;
}

/**
 * Revokes the key from now on. An already revoked key keeps its instant. An operator's revocation also signs the
 * account out of the console, where a thief with a session could create another key.
 */
export async function revokeKey(db: D1Database, keyId: string, by: By): Promise<void> {
  const guard = {
    sql: "EXISTS (SELECT 1 FROM api_keys WHERE key_id = ?7 AND revoked_at_ms IS NULL)",
    values: [keyId],
  };
  const after = { revokedAtMs: by.nowMs };
  const ownerOfKey = "(SELECT account_id FROM api_keys WHERE key_id = ?1)";
  await db.batch([
    auditStatement(
      db,
      { atMs: by.nowMs, actor: by.actor, action: "key.revoke", subject: keyId, before: null, after },
      guard,
    ),
    db
      .prepare("UPDATE api_keys SET revoked_at_ms = ?2 WHERE key_id = ?1 AND revoked_at_ms IS NULL")
      .bind(keyId, by.nowMs),
    ...(by.actor.kind === "account"
      ? []
      : signOutStatements(db, { accountId: ownerOfKey, subject: keyId }, by)),
  ]);
}

/** Records that the key was used at `nowMs`, unless a use was recorded within the last hour. */
export async function noteKeyUse(db: D1Database, keyId: string, nowMs: number): Promise<void> {
  await db
    .prepare(
      `UPDATE api_keys SET last_used_at_ms = ?2
       WHERE key_id = ?1 AND (last_used_at_ms IS NULL OR last_used_at_ms <= ?2 - ?3)`,
    )
    .bind(keyId, nowMs, USE_NOTED_EVERY_MS)
    .run();
}
