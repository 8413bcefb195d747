/** Reads the holder of a key: everything that `access` needs for a principal, in one read from the primary. */
import type { Principal } from "../entitlement/principal.ts";
import { SUBSCRIPTIONS } from "./accounts.ts";
import { decoded, part, sql } from "./sql.ts";

/** A key and its account. */
export interface KeyHolder extends Principal {
  /** When the key was revoked, Unix milliseconds; null when it is not revoked. */
  revokedAtMs: number | null;
  /** The instant from which an expiring key is refused, Unix milliseconds; null when the key does not expire. */
  expiresAtMs: number | null;
  /** The last recorded use, at most an hour before the actual one; null when the key was never used. */
  lastUsedAtMs: number | null;
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
  return decoded<KeyHolder>(row, ["subscriptions", "planLimits", "ownLimits"], ["disabled"]);
}

/** Returns the principal of `holder`. The caller checks revocation and expiry. */
export function principalOf(holder: KeyHolder): Principal {
  const { keyId, accountId, disabled, subscriptions, planLimits, ownLimits } = holder;
  return { accountId, keyId, disabled, subscriptions, planLimits, ownLimits };
}

/**
 * Returns the account as a principal without a key (`keyId` is `""`), for the console and operators. Null when there is
 * no such account.
 */
export async function principalOfAccount(db: D1Database, accountId: string): Promise<Principal | null> {
  const result = await sql(db)`
    SELECT '' AS keyId, NULL AS revokedAtMs, NULL AS expiresAtMs, NULL AS lastUsedAtMs, ${MEANS}
    FROM accounts a WHERE a.account_id = ${accountId}`.all();
  const holder = keyHolderOf(result);
  return holder === null ? null : principalOf(holder);
}
