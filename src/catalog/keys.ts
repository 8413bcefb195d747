/** API keys in the catalog: hashes, never the keys. Instants are Unix milliseconds. */

import type { Principal } from "../entitlement/principal.ts";
import { type By, SUBSCRIPTIONS } from "./accounts.ts";
import { audited } from "./audit.ts";
import { signOutStatements } from "./console-access.ts";
import { decoded, type Part, part, rows, sql } from "./sql.ts";

export interface ApiKey {
  keyId: string;
  accountId: string;
  name: string;
  firstCharacters: string;
  createdAtMs: number;
  expiresAtMs: number | null;
  revokedAtMs: number | null;
  /** The last recorded use, at most an hour before the actual one; null when the key was never used. */
  lastUsedAtMs: number | null;
}

/** The last use of a key or token is recorded at most this often, which keeps writes cheap. */
export const USE_NOTED_EVERY_MS = 3_600_000;

const KEY = part`
  SELECT key_id AS keyId, account_id AS accountId, name, first_characters AS firstCharacters,
    created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs, revoked_at_ms AS revokedAtMs,
    last_used_at_ms AS lastUsedAtMs
  FROM api_keys`;

/** Returns the keys of an account, oldest first. */
export async function keysOfAccount(db: D1Database, accountId: string): Promise<ApiKey[]> {
  return rows<ApiKey>(sql(db)`${KEY} WHERE account_id = ${accountId} ORDER BY created_at_ms, key_id`);
}

/** Returns the key with this id, or null. */
export async function findKey(db: D1Database, keyId: string): Promise<ApiKey | null> {
  return sql(db)`${KEY} WHERE key_id = ${keyId}`.first<ApiKey>();
}

/**
 * Returns the SQL condition that the account has fewer than `most` keys in force, without the key `notCounted`, which
 * ends now. It is part of the insert, so that concurrent requests cannot exceed the limit.
 */
function belowCap(accountId: string, by: By, notCounted: string | null, most: number): Part {
  return part`(SELECT count(*) FROM api_keys k WHERE k.account_id = ${accountId} AND k.revoked_at_ms IS NULL
    AND coalesce(k.expires_at_ms > ${by.nowMs}, 1) AND k.key_id IS NOT ${notCounted}) < ${most}`;
}

/** Stores the SHA-256 of a new key. Returns false, changing nothing, when the account has `most` keys in force. */
export async function addKey(
  db: D1Database,
  key: Pick<ApiKey, "keyId" | "accountId" | "name" | "firstCharacters" | "expiresAtMs"> & { sha256: string },
  by: By,
  most = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
  const { sha256, keyId, accountId, name, firstCharacters, expiresAtMs } = key;
  const after = { accountId, name, firstCharacters, expiresAtMs };
  const guard = belowCap(accountId, by, null, most);
  return audited(db, by, { action: "key.issue", subject: keyId, after, guard }, [
    sql(db)`
      INSERT INTO api_keys (sha256, key_id, account_id, name, first_characters, created_at_ms, expires_at_ms)
      SELECT ${sha256}, ${keyId}, ${accountId}, ${name}, ${firstCharacters}, ${by.nowMs}, ${expiresAtMs}
      WHERE ${guard}`,
  ]);
}

/** How a key is rolled: the new key, and the instant from which the old one is refused. */
export interface Rolled {
  fresh: Pick<ApiKey, "keyId" | "firstCharacters"> & { sha256: string };
  oldExpiresAtMs: number;
  /** The maximum number of keys in force, including the old one during its overlap. */
  most?: number;
}

/**
 * Issues `fresh` in addition to the key `old`, which then ends at `oldExpiresAtMs` at the latest. Returns false and
 * changes nothing when `old` is not in force or has changed, or when the account would exceed `most` keys.
 */
export async function rollKey(db: D1Database, old: ApiKey, change: Rolled, by: By): Promise<boolean> {
  const { fresh, oldExpiresAtMs, most = Number.MAX_SAFE_INTEGER } = change;
  const { keyId, accountId } = old;
  const endsAtMs = Math.min(old.expiresAtMs ?? oldExpiresAtMs, oldExpiresAtMs);
  const guard = part`EXISTS (SELECT 1 FROM api_keys WHERE key_id = ${keyId}
    AND revoked_at_ms IS NULL AND expires_at_ms IS ${old.expiresAtMs} AND coalesce(expires_at_ms > ${by.nowMs}, 1))
    AND ${belowCap(accountId, by, endsAtMs <= by.nowMs ? keyId : null, most)}`;
  const entry = {
    action: "key.roll",
    subject: keyId,
    before: { expiresAtMs: old.expiresAtMs },
    after: { expiresAtMs: endsAtMs, accountId, newKeyId: fresh.keyId },
    guard,
  };
  return audited(db, by, entry, [
    sql(db)`
      INSERT INTO api_keys (sha256, key_id, account_id, name, first_characters, created_at_ms)
      SELECT ${fresh.sha256}, ${fresh.keyId}, ${accountId}, ${old.name}, ${fresh.firstCharacters}, ${by.nowMs}
      WHERE ${guard}`,
    sql(db)`
      UPDATE api_keys SET expires_at_ms = ${endsAtMs}
      WHERE key_id = ${keyId} AND EXISTS (SELECT 1 FROM api_keys WHERE key_id = ${fresh.keyId})`,
  ]);
}

/**
 * Revokes the key. A key that is already revoked keeps the instant of its revocation. An operator's revocation also
 * signs the account out of the console, where a thief with a session could create another key.
 */
export async function revokeKey(db: D1Database, keyId: string, by: By): Promise<void> {
  const isInForce = part`key_id = ${keyId} AND revoked_at_ms IS NULL`;
  const guard = part`EXISTS (SELECT 1 FROM api_keys WHERE ${isInForce})`;
  const owner = part`(SELECT account_id FROM api_keys WHERE key_id = ${keyId})`;
  await audited(db, by, { action: "key.revoke", subject: keyId, after: { revokedAtMs: by.nowMs }, guard }, [
    sql(db)`UPDATE api_keys SET revoked_at_ms = ${by.nowMs} WHERE ${isInForce}`,
    ...(by.actor.kind === "account" ? [] : signOutStatements(db, owner, by)),
  ]);
}

/** Records that the key was used at `nowMs`, unless a use was recorded within the last hour. */
export async function noteKeyUse(db: D1Database, keyId: string, nowMs: number): Promise<void> {
  await sql(db)`
    UPDATE api_keys SET last_used_at_ms = ${nowMs}
    WHERE key_id = ${keyId}
      AND (last_used_at_ms IS NULL OR last_used_at_ms <= ${nowMs} - ${USE_NOTED_EVERY_MS})`.run();
}

/** The principal of a key. The caller checks revocation and expiry. */
export interface KeyHolder extends Pick<ApiKey, "revokedAtMs" | "expiresAtMs" | "lastUsedAtMs"> {
  principal: Principal;
}

const MEANS = part`a.account_id AS accountId, a.disabled_at_ms IS NOT NULL AS disabled, a.own_limits AS ownLimits,
    ${SUBSCRIPTIONS},
    (SELECT json_group_object(plan, json_object('requests', requests, 'files', files)) FROM plans) AS planLimits`;

/** Returns the statement that finds the holder of the key with this SHA-256; pass its result to `keyHolderOf`. */
export function keyHolderStatement(db: D1Database, sha256: string): D1PreparedStatement {
  return sql(db)`
    SELECT k.key_id AS keyId, k.revoked_at_ms AS revokedAtMs, k.expires_at_ms AS expiresAtMs,
      k.last_used_at_ms AS lastUsedAtMs, ${MEANS}
    FROM api_keys k JOIN accounts a ON a.account_id = k.account_id WHERE k.sha256 = ${sha256}`;
}

/** Returns the holder in the result of `keyHolderStatement`, or null for an unknown key. */
export function keyHolderOf(result: D1Result): KeyHolder | null {
  const [row] = result.results as Record<string, unknown>[];
  if (row === undefined) return null;
  const { revokedAtMs, expiresAtMs, lastUsedAtMs, ...principal } =
    principalOf<Omit<KeyHolder, "principal">>(row);
  return { principal, revokedAtMs, expiresAtMs, lastUsedAtMs };
}

function principalOf<More>(row: Record<string, unknown>): Principal & More {
  return decoded(row, ["subscriptions", "planLimits", "ownLimits"], ["disabled"]);
}

/** Returns the account as a principal without a key (`keyId` is `""`), for the console and operators, or null. */
export async function principalOfAccount(db: D1Database, accountId: string): Promise<Principal | null> {
  const row = await sql(db)`
    SELECT '' AS keyId, ${MEANS} FROM accounts a WHERE a.account_id = ${accountId}`.first();
  return row && principalOf(row);
}
