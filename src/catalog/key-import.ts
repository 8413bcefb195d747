/**
 * Imports existing customers' keys. Rows are passed as JSON, because D1 binds at most 100 values a statement. Existing
 * rows are left unchanged, so a repeated import changes nothing.
 */
import type { PlanName } from "../entitlement/principal.ts";
import type { By } from "./accounts.ts";

/** A key already in the catalog. */
export interface KnownKey {
  sha256: string;
  accountId: string;
  revokedAtMs: number | null;
}

/** A subscription already in the catalog, `endMs` exclusive. */
export interface KnownSubscription {
  accountId: string;
  plan: PlanName;
  startMs: number;
  endMs: number;
}

export interface NewImportedKey {
  sha256: string;
  keyId: string;
  accountId: string;
  firstCharacters: string;
}

/** The catalog's rows that an import concerns. */
export interface KnownForImport {
  /** Ids of existing accounts. */
  accounts: readonly string[];
  keys: readonly KnownKey[];
  subscriptions: readonly KnownSubscription[];
}

/** Returns what the catalog has of these keys (by SHA-256), accounts and subscriptions. */
export async function knownForImport(
  db: D1Database,
  sha256s: string[],
  accountIds: string[],
): Promise<KnownForImport> {
  const [keys, subscriptions, accounts] = await db.batch([
    db
      .prepare(
        `SELECT sha256, account_id AS accountId, revoked_at_ms AS revokedAtMs
         FROM api_keys WHERE sha256 IN (SELECT value FROM json_each(?1))`,
      )
      .bind(JSON.stringify(sha256s)),
    db
      .prepare(
        `SELECT account_id AS accountId, plan, start_ms AS startMs, end_ms AS endMs
         FROM subscriptions WHERE account_id IN (SELECT value FROM json_each(?1))`,
      )
      .bind(JSON.stringify(accountIds)),
    db
      .prepare(
        "SELECT account_id AS accountId FROM accounts WHERE account_id IN (SELECT value FROM json_each(?1))",
      )
      .bind(JSON.stringify(accountIds)),
  ]);
  return {
    accounts: ((accounts?.results ?? []) as { accountId: string }[]).map(({ accountId }) => accountId),
    keys: (keys?.results ?? []) as KnownKey[],
    subscriptions: (subscriptions?.results ?? []) as KnownSubscription[],
  };
}

const ADD_ACCOUNTS = `
  INSERT OR IGNORE INTO accounts (account_id, contact, note, created_at_ms)
  SELECT DISTINCT value ->> 'accountId', '', 'imported', ?2 FROM json_each(?1)`;

const AUDIT_KEYS = `
  INSERT INTO audit (at_ms, actor_kind, actor, action, subject, after)
  SELECT ?2, ?3, ?4, 'key.import', value ->> 'keyId', json_object(
    'accountId', value ->> 'accountId', 'firstCharacters', value ->> 'firstCharacters')
  FROM json_each(?1) WHERE value ->> 'sha256' NOT IN (SELECT sha256 FROM api_keys)`;

const ADD_KEYS = `
  INSERT OR IGNORE INTO api_keys (sha256, key_id, account_id, name, first_characters, created_at_ms)
  SELECT value ->> 'sha256', value ->> 'keyId', value ->> 'accountId', 'imported',
    value ->> 'firstCharacters', ?2
  FROM json_each(?1)`;

const AUDIT_SUBSCRIPTIONS = `
  INSERT INTO audit (at_ms, actor_kind, actor, action, subject, before, after)
  SELECT ?2, ?3, ?4, 'account.subscription', value ->> 'accountId',
    CASE WHEN s.end_ms IS NULL THEN NULL
      ELSE json_object('plan', s.plan, 'startMs', s.start_ms, 'endMs', s.end_ms) END,
    json_object('plan', value ->> 'plan', 'startMs', value ->> 'startMs', 'endMs', value ->> 'endMs')
  FROM json_each(?1) LEFT JOIN subscriptions s ON s.account_id = value ->> 'accountId'
    AND s.plan = value ->> 'plan' AND s.start_ms = value ->> 'startMs'`;

const SET_SUBSCRIPTIONS = `
  INSERT OR REPLACE INTO subscriptions (account_id, plan, start_ms, end_ms)
  SELECT value ->> 'accountId', value ->> 'plan', value ->> 'startMs', value ->> 'endMs' FROM json_each(?1)`;

/**
 * Adds the keys, creates missing accounts of both lists, and sets the subscriptions, in one transaction. A subscription
 * of the same account, plan and start gets the new end.
 */
export async function importKeys(
  db: D1Database,
  change: { keys: NewImportedKey[]; subscriptions: KnownSubscription[] },
  by: By,
): Promise<void> {
  const keys = JSON.stringify(change.keys);
  const subscriptions = JSON.stringify(change.subscriptions);
  const { kind, name } = by.actor;
  await db.batch([
    db.prepare(ADD_ACCOUNTS).bind(keys, by.nowMs),
    db.prepare(ADD_ACCOUNTS).bind(subscriptions, by.nowMs),
    db.prepare(AUDIT_KEYS).bind(keys, by.nowMs, kind, name),
    db.prepare(ADD_KEYS).bind(keys, by.nowMs),
    db.prepare(AUDIT_SUBSCRIPTIONS).bind(subscriptions, by.nowMs, kind, name),
    db.prepare(SET_SUBSCRIPTIONS).bind(subscriptions),
  ]);
}
