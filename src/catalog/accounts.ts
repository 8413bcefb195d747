/** Accounts, their subscriptions, and the daily limits of plans. Instants are Unix milliseconds. */
import type { Actor } from "../entitlement/operators.ts";
import { type DailyLimits, PLAN_NAMES, type PlanName, type Subscription } from "../entitlement/principal.ts";
import { audited, auditStatement } from "./audit.ts";
import { signOutStatements } from "./console-access.ts";
import { column, decoded, part, rows, sql } from "./sql.ts";

export interface Account {
  accountId: string;
  contact: string;
  note: string;
  disabledAtMs: number | null;
  createdAtMs: number;
  /** The account's own daily limits. Where one is absent, the plan's limit applies; null is unlimited. */
  ownLimits: Partial<DailyLimits>;
  subscriptions: Subscription[];
}

/** The actor and instant of a change. */
export interface By {
  actor: Actor;
  nowMs: number;
}

/** An SQL column: the subscriptions of the account `a` as JSON, sorted by start, then plan. */
export const SUBSCRIPTIONS = part`
    (SELECT json_group_array(json_object('plan', plan, 'startMs', start_ms, 'endMs', end_ms) ORDER BY start_ms, plan)
     FROM subscriptions s WHERE s.account_id = a.account_id) AS subscriptions`;

/** Returns the account with its subscriptions (sorted by start, then plan), or null. */
export async function findAccount(db: D1Database, accountId: string): Promise<Account | null> {
  const row = await sql(db)`
    SELECT account_id AS accountId, contact, note, disabled_at_ms AS disabledAtMs, created_at_ms AS createdAtMs,
      own_limits AS ownLimits, ${SUBSCRIPTIONS}
    FROM accounts a WHERE account_id = ${accountId}`.first();
  return row && decoded<Account>(row, ["ownLimits", "subscriptions"]);
}

/** An account in a list, with its plan, keys and last use. */
export interface ListedAccount extends Pick<Account, "accountId" | "contact" | "note" | "subscriptions"> {
  disabled: boolean;
  /** Number of keys that are neither revoked nor expired. */
  keys: number;
  /** The last recorded use of any key, at most an hour before the actual one; null when no key was ever used. */
  lastUsedAtMs: number | null;
}

export interface AccountsQuestion {
  nowMs: number;
  /** Only accounts whose last subscription ends within this many milliseconds and has not ended yet; null for all. */
  expiringWithinMs: number | null;
  /** Only accounts whose id, contact or note contains this text, ignoring case; `""` for all. */
  search: string;
  /** Only accounts whose id is greater than this one. */
  after: string;
  /** The maximum number of accounts to return. */
  count: number;
}

/** Returns the accounts that match `question`, sorted by id. */
export async function listAccounts(db: D1Database, question: AccountsQuestion): Promise<ListedAccount[]> {
  const { nowMs, after, expiringWithinMs, count } = question;
  const search = question.search.toLowerCase();
  const found = await rows(sql(db)`
    SELECT a.account_id AS accountId, a.contact, a.note, a.disabled_at_ms IS NOT NULL AS disabled, ${SUBSCRIPTIONS},
      (SELECT count(*) FROM api_keys k WHERE k.account_id = a.account_id AND revoked_at_ms IS NULL
         AND coalesce(expires_at_ms > ${nowMs}, 1)) AS keys,
      (SELECT max(last_used_at_ms) FROM api_keys k WHERE k.account_id = a.account_id) AS lastUsedAtMs
    FROM accounts a
    WHERE a.account_id > ${after}
      AND (${search} = '' OR instr(lower(a.account_id || char(10) || a.contact || char(10) || a.note), ${search}) > 0)
      AND (${expiringWithinMs} IS NULL OR (SELECT max(end_ms) FROM subscriptions s WHERE s.account_id = a.account_id)
        BETWEEN ${nowMs} + 1 AND ${nowMs} + ${expiringWithinMs})
    ORDER BY a.account_id LIMIT ${count}`);
  return found.map((row) => decoded<ListedAccount>(row, ["subscriptions"], ["disabled"]));
}

/** Returns the ids of at most `count` accounts whose keys were used since `sinceMs`, the most recently used first. */
export async function recentlyActive(db: D1Database, sinceMs: number, count: number): Promise<string[]> {
  return column<string>(sql(db)`
    SELECT account_id AS accountId FROM api_keys WHERE last_used_at_ms >= ${sinceMs}
    GROUP BY account_id ORDER BY max(last_used_at_ms) DESC LIMIT ${count}`);
}

/** Creates an account without subscriptions. Returns false when the id is taken. */
export async function createAccount(
  db: D1Database,
  { accountId, contact, note }: Pick<Account, "accountId" | "contact" | "note">,
  by: By,
): Promise<boolean> {
  const guard = part`NOT EXISTS (SELECT 1 FROM accounts WHERE account_id = ${accountId})`;
  const entry = { action: "account.create", subject: accountId, after: { contact, note }, guard };
  return audited(db, by, entry, [
    sql(db)`
      INSERT OR IGNORE INTO accounts (account_id, contact, note, created_at_ms)
      VALUES (${accountId}, ${contact}, ${note}, ${by.nowMs})`,
  ]);
}

/** Sets the account's contact and note. Does nothing when they are unchanged. */
export async function setContact(
  db: D1Database,
  account: Account,
  { contact, note }: Pick<Account, "contact" | "note">,
  by: By,
): Promise<void> {
  if (account.contact === contact && account.note === note) return;
  const subject = account.accountId;
  const before = { contact: account.contact, note: account.note };
  await audited(db, by, { action: "account.contact", subject, before, after: { contact, note } }, [
    sql(db)`UPDATE accounts SET contact = ${contact}, note = ${note} WHERE account_id = ${subject}`,
  ]);
}

/** Replaces all subscriptions of `account`. If two have the same plan and start, the one with the later end is kept. */
export async function setSubscriptions(
  db: D1Database,
  { accountId, subscriptions: before }: Account,
  after: Subscription[],
  by: By,
): Promise<void> {
  await audited(db, by, { action: "account.subscriptions", subject: accountId, before, after }, [
    sql(db)`DELETE FROM subscriptions WHERE account_id = ${accountId}`,
    sql(db)`
      INSERT INTO subscriptions (account_id, plan, start_ms, end_ms)
      SELECT ${accountId}, value ->> 'plan', value ->> 'startMs', max(value ->> 'endMs')
      FROM json_each(${JSON.stringify(after)}) GROUP BY 2, 3`,
  ]);
}

/** Adds a subscription. Returns false when the account already has one with the same plan and start. */
export async function addSubscription(
  db: D1Database,
  accountId: string,
  { plan, startMs, endMs }: Subscription,
  by: By,
): Promise<boolean> {
  const guard = part`NOT EXISTS (SELECT 1 FROM subscriptions
    WHERE account_id = ${accountId} AND plan = ${plan} AND start_ms = ${startMs})`;
  const after = { plan, startMs, endMs };
  return audited(db, by, { action: "account.subscription", subject: accountId, after, guard }, [
    sql(db)`
      INSERT INTO subscriptions (account_id, plan, start_ms, end_ms)
      SELECT ${accountId}, ${plan}, ${startMs}, ${endMs} WHERE ${guard}`,
  ]);
}

/** Changes the end of a subscription. Returns false when the subscription has changed since it was read. */
export async function moveSubscriptionEnd(
  db: D1Database,
  accountId: string,
  before: Subscription,
  endMs: number,
  by: By,
): Promise<boolean> {
  const { plan, startMs } = before;
  const asRead = part`account_id = ${accountId} AND plan = ${plan} AND start_ms = ${startMs}
    AND end_ms = ${before.endMs}`;
  const guard = part`EXISTS (SELECT 1 FROM subscriptions WHERE ${asRead})`;
  const after = { plan, startMs, endMs };
  return audited(db, by, { action: "account.subscription", subject: accountId, before, after, guard }, [
    sql(db)`UPDATE subscriptions SET end_ms = ${endMs} WHERE ${asRead}`,
  ]);
}

/** Replaces the account's own limits. */
export async function setOwnLimits(
  db: D1Database,
  { accountId, ownLimits: before }: Account,
  after: Partial<DailyLimits>,
  by: By,
): Promise<void> {
  await audited(db, by, { action: "account.limits", subject: accountId, before, after }, [
    sql(db)`UPDATE accounts SET own_limits = ${JSON.stringify(after)} WHERE account_id = ${accountId}`,
  ]);
}

/**
 * Disables or enables the account, unless it is already in that state. Disabling also ends its console sessions and
 * cancels its unused links, so that they do not work again when the account is enabled later.
 */
export async function setDisabled(
  db: D1Database,
  { accountId, disabledAtMs }: Account,
  disabled: boolean,
  by: By,
): Promise<void> {
  const before = { disabled: disabledAtMs !== null };
  if (before.disabled === disabled) return;
  const action = disabled ? "account.disable" : "account.enable";
  const atMs = disabled ? by.nowMs : null;
  await audited(db, by, { action, subject: accountId, before, after: { disabled } }, [
    sql(db)`UPDATE accounts SET disabled_at_ms = ${atMs} WHERE account_id = ${accountId}`,
    ...(disabled ? signOutStatements(db, accountId, by) : []),
  ]);
}

/** The daily limits of one plan. They apply to each tick-history interface separately. */
export interface PlanLimits extends DailyLimits {
  plan: PlanName;
}

/** Returns the limits of every plan, in the order of `PLAN_NAMES`. */
export async function planLimits(db: D1Database): Promise<PlanLimits[]> {
  const { results } = await sql(db)`SELECT plan, requests, files FROM plans`.all<PlanLimits>();
  return results.toSorted((a, b) => PLAN_NAMES.indexOf(a.plan) - PLAN_NAMES.indexOf(b.plan));
}

/** Sets the limits of the given plans. They take effect within 30 s, when cached principals expire. */
export async function setPlanLimits(db: D1Database, plans: PlanLimits[], by: By): Promise<void> {
  const known = new Map((await planLimits(db)).map((each) => [each.plan, each]));
  const statements = plans.flatMap((after) => {
    const { plan: subject, requests, files } = after;
    const before = known.get(subject) ?? null;
    if (before?.requests === requests && before.files === files) return [];
    return [
      auditStatement(db, by, { action: "plan.limits", subject, before, after }),
      sql(db)`UPDATE plans SET requests = ${requests}, files = ${files} WHERE plan = ${subject}`,
    ];
  });
  if (statements.length > 0) await db.batch(statements);
}
