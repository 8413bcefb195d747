/** Accounts, their subscriptions, and the daily limits of plans. Instants are Unix milliseconds. */
import type { Actor } from "../entitlement/operators.ts";
import { type DailyLimits, PLAN_NAMES, type PlanName, type Subscription } from "../entitlement/principal.ts";
import { type AuditEntry, auditStatement } from "./audit.ts";
import { signOutStatements } from "./console-access.ts";

export interface Account {
  accountId: string;
  contact: string;
  note: string;
  disabledAtMs: number | null;
  createdAtMs: number;
  /** The account's own limits; an absent member falls back to the plan's, null is unlimited. */
  ownLimits: Partial<DailyLimits>;
  subscriptions: Subscription[];
}

/** The actor and instant of a change. */
export interface By {
  actor: Actor;
  nowMs: number;
}

type AccountRow = Omit<Account, "ownLimits" | "subscriptions"> & { ownLimits: string; subscriptions: string };

/** Returns the account with its subscriptions (by start, then plan), or null. */
export async function findAccount(db: D1Database, accountId: string): Promise<Account | null> {
  const row = await db
    .prepare(
      `SELECT account_id AS accountId, contact, note, disabled_at_ms AS disabledAtMs,
         created_at_ms AS createdAtMs, own_limits AS ownLimits,
         (SELECT json_group_array(json_object('plan', plan, 'startMs', start_ms, 'endMs', end_ms)
            ORDER BY start_ms, plan)
          FROM subscriptions s WHERE s.account_id = a.account_id) AS subscriptions
       FROM accounts a WHERE account_id = ?1`,
    )
    .bind(accountId)
    .first<AccountRow>();
  if (row === null) return null;
  return {
    ...row,
    ownLimits: JSON.parse(row.ownLimits) as Partial<DailyLimits>,
    subscriptions: JSON.parse(row.subscriptions) as Subscription[],
  };
}

/** An account in a list, with its plan, keys and last use. */
export interface ListedAccount {
  accountId: string;
  contact: string;
  note: string;
  disabled: boolean;
  subscriptions: Subscription[];
  /** Number of keys that are neither revoked nor expired. */
  keys: number;
  /** The last use of any of its keys, up to an hour late; null when never used. */
  lastUsedAtMs: number | null;
}

export interface AccountsQuestion {
  nowMs: number;
  /** Only accounts whose last subscription is in force and ends within this many milliseconds; null for all. */
  expiringWithinMs: number | null;
  /** Only accounts whose id, contact or note contains this text, ignoring case; `""` for all. */
  search: string;
  /** Only accounts after this id. */
  after: string;
  /** The most accounts to return. */
  count: number;
}

type ListedRow = Omit<ListedAccount, "disabled" | "subscriptions"> & {
  disabled: number;
  subscriptions: string;
};

const LIST = `
  SELECT a.account_id AS accountId, a.contact, a.note, a.disabled_at_ms IS NOT NULL AS disabled,
    (SELECT json_group_array(json_object('plan', plan, 'startMs', start_ms, 'endMs', end_ms)
       ORDER BY start_ms, plan) FROM subscriptions s WHERE s.account_id = a.account_id) AS subscriptions,
    (SELECT count(*) FROM api_keys k WHERE k.account_id = a.account_id AND revoked_at_ms IS NULL
       AND coalesce(expires_at_ms > ?1, 1)) AS keys,
    (SELECT max(last_used_at_ms) FROM api_keys k WHERE k.account_id = a.account_id) AS lastUsedAtMs
  FROM accounts a
  WHERE a.account_id > ?2
    AND (?3 = '' OR instr(lower(a.account_id || char(10) || a.contact || char(10) || a.note), ?3) > 0)
    AND (?4 IS NULL OR (SELECT max(end_ms) FROM subscriptions s WHERE s.account_id = a.account_id)
      BETWEEN ?1 + 1 AND ?1 + ?4)
  ORDER BY a.account_id LIMIT ?5`;

/** Returns the accounts that match `question`, by id. */
export async function listAccounts(db: D1Database, question: AccountsQuestion): Promise<ListedAccount[]> {
  const { nowMs, after, search, expiringWithinMs, count } = question;
  const statement = db.prepare(LIST).bind(nowMs, after, search.toLowerCase(), expiringWithinMs, count);
  return (await statement.all<ListedRow>()).results.map(({ disabled, subscriptions, ...row }) => ({
    ...row,
    disabled: disabled === 1,
    subscriptions: JSON.parse(subscriptions) as Subscription[],
  }));
}

/** Returns at most `count` accounts whose keys were used since `sinceMs`, the most recently used first. */
export async function recentlyActive(db: D1Database, sinceMs: number, count: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT account_id AS accountId FROM api_keys WHERE last_used_at_ms >= ?1
       GROUP BY account_id ORDER BY max(last_used_at_ms) DESC LIMIT ?2`,
    )
    .bind(sinceMs, count)
    .all<{ accountId: string }>();
  return results.map(({ accountId }) => accountId);
}

/** Creates an account without subscriptions. Returns false when the id is taken. */
export async function createAccount(
  db: D1Database,
  account: { accountId: string; contact: string; note: string },
  by: By,
): Promise<boolean> {
  const { accountId, contact, note } = account;
  const guard = { sql: "NOT EXISTS (SELECT 1 FROM accounts WHERE account_id = ?7)", values: [accountId] };
  const [, created] = await db.batch([
    auditStatement(db, entryOf(by, "account.create", accountId, null, { contact, note }), guard),
    db
      .prepare(
        "INSERT OR IGNORE INTO accounts (account_id, contact, note, created_at_ms) VALUES (?, ?, ?, ?)",
      )
      .bind(accountId, contact, note, by.nowMs),
  ]);
  return created?.meta.changes === 1;
}

/** Sets the account's contact and note. Does nothing when they are unchanged. */
export async function setContact(
  db: D1Database,
  account: Account,
  { contact, note }: Pick<Account, "contact" | "note">,
  by: By,
): Promise<void> {
  if (account.contact === contact && account.note === note) return;
  const before = { contact: account.contact, note: account.note };
  await db.batch([
    auditStatement(db, entryOf(by, "account.contact", account.accountId, before, { contact, note })),
    db
      .prepare("UPDATE accounts SET contact = ?2, note = ?3 WHERE account_id = ?1")
      .bind(account.accountId, contact, note),
  ]);
}

/** Replaces all subscriptions of `account`. Of two with the same plan and start, the later end is kept. */
export async function setSubscriptions(
  db: D1Database,
  account: Account,
  subscriptions: Subscription[],
  by: By,
): Promise<void> {
  const { accountId } = account;
  await db.batch([
    auditStatement(db, entryOf(by, "account.subscriptions", accountId, account.subscriptions, subscriptions)),
    db.prepare("DELETE FROM subscriptions WHERE account_id = ?1").bind(accountId),
    db
      .prepare(
        `INSERT INTO subscriptions (account_id, plan, start_ms, end_ms)
         SELECT ?1, value ->> 'plan', value ->> 'startMs', max(value ->> 'endMs')
         FROM json_each(?2) GROUP BY 2, 3`,
      )
      .bind(accountId, JSON.stringify(subscriptions)),
  ]);
}

/** Adds a subscription. Returns false when one of the same plan and start exists. */
export async function addSubscription(
  db: D1Database,
  accountId: string,
  { plan, startMs, endMs }: Subscription,
  by: By,
): Promise<boolean> {
  const absent = (first: number) => `NOT EXISTS (SELECT 1 FROM subscriptions
    WHERE account_id = ?${first} AND plan = ?${first + 1} AND start_ms = ?${first + 2})`;
  const place = [accountId, plan, startMs];
  const entry = entryOf(by, "account.subscription", accountId, null, { plan, startMs, endMs });
  const results = await db.batch([
    auditStatement(db, entry, { sql: absent(7), values: place }),
    db
      .prepare(
        `INSERT INTO subscriptions (account_id, plan, start_ms, end_ms)
         SELECT ?1, ?2, ?3, ?4 WHERE ${absent(1)} RETURNING plan`,
      )
      .bind(...place, endMs),
  ]);
  return results.at(-1)?.results.length === 1;
}

/** Changes the end of a subscription. Returns false when it has changed since it was read. */
export async function moveSubscriptionEnd(
  db: D1Database,
  accountId: string,
  before: Subscription,
  endMs: number,
  by: By,
): Promise<boolean> {
  const { plan, startMs } = before;
  const asRead = (first: number) =>
    `account_id = ?${first} AND plan = ?${first + 1} AND start_ms = ?${first + 2} AND end_ms = ?${first + 3}`;
  const values = [accountId, plan, startMs, before.endMs];
  const entry = entryOf(by, "account.subscription", accountId, before, { plan, startMs, endMs });
  const there = { sql: `EXISTS (SELECT 1 FROM subscriptions WHERE ${asRead(7)})`, values };
  const results = await db.batch([
    auditStatement(db, entry, there),
    db
      .prepare(`UPDATE subscriptions SET end_ms = ?5 WHERE ${asRead(1)} RETURNING plan`)
      .bind(...values, endMs),
  ]);
  return results.at(-1)?.results.length === 1;
}

/** Replaces the account's own limits. */
export async function setOwnLimits(
  db: D1Database,
  account: Account,
  ownLimits: Partial<DailyLimits>,
  by: By,
): Promise<void> {
  const { accountId } = account;
  await db.batch([
    auditStatement(db, entryOf(by, "account.limits", accountId, account.ownLimits, ownLimits)),
    db
      .prepare("UPDATE accounts SET own_limits = ?2 WHERE account_id = ?1")
      .bind(accountId, JSON.stringify(ownLimits)),
  ]);
}

/**
 * Disables or enables the account. Does nothing when it already is. Disabling ends its console sessions and cancels its
 * links, so that enabling does not revive them.
 */
export async function setDisabled(
  db: D1Database,
  account: Account,
  disabled: boolean,
  by: By,
): Promise<void> {
  const was = account.disabledAtMs !== null;
  if (was === disabled) return;
  const { accountId } = account;
  const action = disabled ? "account.disable" : "account.enable";
  await db.batch([
    auditStatement(db, entryOf(by, action, accountId, { disabled: was }, { disabled })),
    db
      .prepare("UPDATE accounts SET disabled_at_ms = ?2 WHERE account_id = ?1")
      .bind(accountId, disabled ? by.nowMs : null),
    ...(disabled ? signOutStatements(db, { accountId: "?1", subject: accountId }, by) : []),
  ]);
}

/** The daily limits of one plan for each tick-history interface. */
export interface PlanLimits extends DailyLimits {
  plan: PlanName;
}

/** Returns every plan in ascending order. */
export async function planLimits(db: D1Database): Promise<PlanLimits[]> {
  const { results } = await db.prepare("SELECT plan, requests, files FROM plans").all<PlanLimits>();
  return results.toSorted((a, b) => PLAN_NAMES.indexOf(a.plan) - PLAN_NAMES.indexOf(b.plan));
}

/**
 * Sets the limits of the named plans and leaves all others. They take effect within 30 s, when cached principals
 * expire.
 */
export async function setPlanLimits(
  db: D1Database,
  change: { plans: PlanLimits[]; actor: Actor; nowMs: number },
): Promise<void> {
  const known = new Map((await planLimits(db)).map((each) => [each.plan, each]));
  const statements = change.plans.flatMap((after) => {
    const before = known.get(after.plan) ?? null;
    if (before?.requests === after.requests && before.files === after.files) return [];
    const entry = { atMs: change.nowMs, actor: change.actor, action: "plan.limits", subject: after.plan };
    return [
      auditStatement(db, { ...entry, before, after }),
      db
        .prepare("UPDATE plans SET requests = ?2, files = ?3 WHERE plan = ?1")
        .bind(after.plan, after.requests, after.files),
    ];
  });
  if (statements.length > 0) await db.batch(statements);
}

function entryOf(by: By, action: string, subject: string, before: unknown, after: unknown): AuditEntry {
  return { atMs: by.nowMs, actor: by.actor, action, subject, before, after };
}
