/** Reads the holder of a key: everything that `access` needs for a principal, in one read from the primary. */
import type { DailyLimits, PlanName, Principal, Subscription } from "../entitlement/principal.ts";

/** A key and its account. */
export interface KeyHolder {
  keyId: string;
  accountId: string;
  /** Unix milliseconds from which the key is refused; null when not revoked or without expiry. */
  revokedAtMs: number | null;
  expiresAtMs: number | null;
  /** The key's last use, up to an hour late; null when it was never used. */
  lastUsedAtMs: number | null;
  disabled: boolean;
  subscriptions: readonly Subscription[];
  planLimits: Readonly<Record<PlanName, DailyLimits>>;
  ownLimits: Readonly<Partial<DailyLimits>>;
}

interface KeyHolderRow {
  key_id: string;
  account_id: string;
  revoked_at_ms: number | null;
  expires_at_ms: number | null;
  last_used_at_ms: number | null;
  disabled_at_ms: number | null;
  own_limits: string;
  subscriptions: string;
  plan_limits: string;
}

const MEANS = `a.account_id, a.disabled_at_ms, a.own_limits,
    (SELECT json_group_array(json_object('plan', plan, 'startMs', start_ms, 'endMs', end_ms))
       FROM subscriptions WHERE account_id = a.account_id) AS subscriptions,
    (SELECT json_group_object(plan, json_object('requests', requests, 'files', files)) FROM plans) AS plan_limits`;

const OF_KEY = `
  SELECT k.key_id, k.revoked_at_ms, k.expires_at_ms, k.last_used_at_ms, ${MEANS}
  FROM api_keys k JOIN accounts a ON a.account_id = k.account_id
  WHERE k.sha256 = ?1`;

const OF_ACCOUNT = `
  SELECT '' AS key_id, NULL AS revoked_at_ms, NULL AS expires_at_ms, NULL AS last_used_at_ms, ${MEANS}
  FROM accounts a WHERE a.account_id = ?1`;

/** Returns the statement that finds the holder of the key with this SHA-256; pass its result to `keyHolderOf`. */
export function keyHolderStatement(db: D1Database, sha256: string): D1PreparedStatement {
  return db.prepare(OF_KEY).bind(sha256);
}

/** Returns the holder in the result of `keyHolderStatement`, or null for an unknown key. */
export function keyHolderOf(result: D1Result): KeyHolder | null {
  const row = (result.results as KeyHolderRow[])[0];
  if (row === undefined) return null;
  return {
    keyId: row.key_id,
    accountId: row.account_id,
    revokedAtMs: row.revoked_at_ms,
    expiresAtMs: row.expires_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
    disabled: row.disabled_at_ms !== null,
    subscriptions: JSON.parse(row.subscriptions) as Subscription[],
    planLimits: JSON.parse(row.plan_limits) as Record<PlanName, DailyLimits>,
    ownLimits: JSON.parse(row.own_limits) as Partial<DailyLimits>,
  };
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
  const holder = keyHolderOf(await db.prepare(OF_ACCOUNT).bind(accountId).all());
  return holder === null ? null : principalOf(holder);
}
