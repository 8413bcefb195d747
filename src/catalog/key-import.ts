/**
 * Imports existing customers' keys. Rows are passed as JSON, because D1 binds at most 100 values in a statement.
 * Existing keys are left unchanged, so a repeated import changes nothing.
 */
import type { Subscription } from "../entitlement/principal.ts";
import type { By } from "./accounts.ts";
import type { ApiKey } from "./keys.ts";
import { column, part, rows, sql } from "./sql.ts";

/** A key already in the catalog. */
export type KnownKey = { sha256: string } & Pick<ApiKey, "accountId" | "revokedAtMs">;

/** A subscription already in the catalog. */
export type KnownSubscription = { accountId: string } & Subscription;

export type NewImportedKey = { sha256: string } & Pick<ApiKey, "keyId" | "accountId" | "firstCharacters">;

/** The catalog's rows for the keys and accounts of an import. */
export interface KnownForImport {
  /** Ids of existing accounts. */
  accounts: readonly string[];
  keys: readonly KnownKey[];
  subscriptions: readonly KnownSubscription[];
}

/** Returns the catalog's rows for an import: these keys, these accounts, and the subscriptions of these accounts. */
export async function knownForImport(
  db: D1Database,
  sha256s: string[],
  accountIds: string[],
): Promise<KnownForImport> {
  const listed = (values: string[]) => part`(SELECT value FROM json_each(${JSON.stringify(values)}))`;
  const [keys, subscriptions, accounts] = await Promise.all([
    rows<KnownKey>(sql(db)`
      SELECT sha256, account_id AS accountId, revoked_at_ms AS revokedAtMs
      FROM api_keys WHERE sha256 IN ${listed(sha256s)}`),
    rows<KnownSubscription>(sql(db)`
      SELECT account_id AS accountId, plan, start_ms AS startMs, end_ms AS endMs
      FROM subscriptions WHERE account_id IN ${listed(accountIds)}`),
    column<string>(sql(db)`SELECT account_id FROM accounts WHERE account_id IN ${listed(accountIds)}`),
  ]);
  return { accounts, keys, subscriptions };
}

/**
 * In one transaction, creates the missing accounts of both lists, adds the keys and sets the subscriptions. An existing
 * subscription with the same account, plan and start gets the new end.
 */
export async function importKeys(
  db: D1Database,
  change: { keys: NewImportedKey[]; subscriptions: KnownSubscription[] },
  { nowMs, actor }: By,
): Promise<void> {
  const keys = JSON.stringify(change.keys);
  const subscriptions = JSON.stringify(change.subscriptions);
  const addAccounts = (rows: string) => sql(db)`
    INSERT OR IGNORE INTO accounts (account_id, contact, note, created_at_ms)
    SELECT DISTINCT value ->> 'accountId', '', 'imported', ${nowMs} FROM json_each(${rows})`;
  await db.batch([
    addAccounts(keys),
    addAccounts(subscriptions),
    sql(db)`
      INSERT INTO audit (at_ms, actor_kind, actor, action, subject, after)
      SELECT ${nowMs}, ${actor.kind}, ${actor.name}, 'key.import', value ->> 'keyId', json_object(
        'accountId', value ->> 'accountId', 'firstCharacters', value ->> 'firstCharacters')
      FROM json_each(${keys}) WHERE value ->> 'sha256' NOT IN (SELECT sha256 FROM api_keys)`,
    sql(db)`
      INSERT OR IGNORE INTO api_keys (sha256, key_id, account_id, name, first_characters, created_at_ms)
      SELECT value ->> 'sha256', value ->> 'keyId', value ->> 'accountId', 'imported',
        value ->> 'firstCharacters', ${nowMs}
      FROM json_each(${keys})`,
    sql(db)`
      INSERT INTO audit (at_ms, actor_kind, actor, action, subject, before, after)
      SELECT ${nowMs}, ${actor.kind}, ${actor.name}, 'account.subscription', value ->> 'accountId',
        CASE WHEN s.end_ms IS NULL THEN NULL
          ELSE json_object('plan', s.plan, 'startMs', s.start_ms, 'endMs', s.end_ms) END,
        json_object('plan', value ->> 'plan', 'startMs', value ->> 'startMs', 'endMs', value ->> 'endMs')
      FROM json_each(${subscriptions}) LEFT JOIN subscriptions s ON s.account_id = value ->> 'accountId'
        AND s.plan = value ->> 'plan' AND s.start_ms = value ->> 'startMs'`,
    sql(db)`
      INSERT OR REPLACE INTO subscriptions (account_id, plan, start_ms, end_ms)
      SELECT value ->> 'accountId', value ->> 'plan', value ->> 'startMs', value ->> 'endMs'
      FROM json_each(${subscriptions})`,
  ]);
}
