/** Accounts and their subscriptions. Instants are Unix milliseconds. */
import type { Actor } from "../entitlement/operators.ts";
import type { DailyLimits, Subscription } from "../entitlement/principal.ts";
import { type AuditEntry, auditStatement } from "./audit.ts";
import { signOutStatements } from "./console-access.ts";

export interface Account {
  accountId: string;
  contact: string;
  note: string;
  disabledAtMs: number | null;
  createdAtMs: number;
  /** An absent member falls back to the plan's; null is unlimited. */
  ownLimits: Partial<DailyLimits>;
  subscriptions: Subscription[];
}

/** Who changes something, and when. */
export interface By {
  actor: Actor;
  nowMs: number;
}

type AccountRow = Omit<Account, "ownLimits" | "subscriptions"> & { ownLimits: string; subscriptions: string };

/** The account with its subscriptions (by start, then plan), or null. */
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

/** Makes an account without subscriptions; false when the id is taken. */
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

/** Sets the account's contact and note; does nothing when they are so already. */
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

/** Replaces all subscriptions of `account`. Of two with the same plan and start the later end holds. */
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

/** Sets the account's own limits in the place of the former ones. */
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
 * Disables or enables the account; does nothing when it is so already. Disabling ends its sessions in the console
 * and cancels its links, so that enabling brings none of them back.
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

function entryOf(by: By, action: string, subject: string, before: unknown, after: unknown): AuditEntry {
  return { atMs: by.nowMs, actor: by.actor, action, subject, before, after };
}
