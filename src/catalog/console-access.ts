/**
 * One-time links into the console and the sessions they become, as hashes. Instants are Unix milliseconds;
 * both hold until `expiresAtMs`, exclusive.
 */
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";

/** Spent and expired links are kept so long, so that opening one says what became of it. */
const INVITES_KEPT_MS = 30 * 86_400_000;

export interface NewInvite {
  sha256: string;
  accountId: string;
  expiresAtMs: number;
}

/** Stores a one-time link of an existing account. */
export async function addInvite(db: D1Database, invite: NewInvite, by: By): Promise<void> {
  const { sha256, accountId, expiresAtMs } = invite;
  const entry = { atMs: by.nowMs, actor: by.actor, action: "account.invite", subject: accountId };
  await db.batch([
    db.prepare("DELETE FROM console_invites WHERE expires_at_ms <= ?1").bind(by.nowMs - INVITES_KEPT_MS),
    auditStatement(db, { ...entry, before: null, after: { expiresAtMs } }),
    db
      .prepare(
        `INSERT INTO console_invites (sha256, account_id, created_at_ms, expires_at_ms) VALUES (?, ?, ?, ?)`,
      )
      .bind(sha256, accountId, by.nowMs, expiresAtMs),
  ]);
}

/** Whether there is, or was, a link with this hash. */
export async function isInvite(db: D1Database, sha256: string): Promise<boolean> {
  return (await db.prepare("SELECT 1 FROM console_invites WHERE sha256 = ?1").bind(sha256).first()) !== null;
}

/** What an account has open in the console. */
export interface ConsoleAccess {
  /** Sessions in force, oldest first. */
  sessions: { createdAtMs: number; expiresAtMs: number }[];
  /** Links that still open a session, oldest first. */
  invites: { createdAtMs: number; expiresAtMs: number }[];
}

/** Returns the sessions and unspent links of an account that are in force at `nowMs`. */
export async function consoleAccessOf(
  db: D1Database,
  accountId: string,
  nowMs: number,
): Promise<ConsoleAccess> {
  const inForce = (table: string, more: string) =>
    db
      .prepare(
        `SELECT created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs FROM ${table}
         WHERE account_id = ?1 AND expires_at_ms > ?2 ${more} ORDER BY created_at_ms`,
      )
      .bind(accountId, nowMs);
  const [sessions, invites] = await db.batch<ConsoleAccess["sessions"][number]>([
    inForce("console_sessions", ""),
    inForce("console_invites", "AND spent_at_ms IS NULL"),
  ]);
  return { sessions: sessions?.results ?? [], invites: invites?.results ?? [] };
}

/**
 * Statements that end all sessions of the account in `accountId`, a parameter or an expression over `?1`, and cancel
 * its unspent links, with an entry in the audit where there are any. For every change by which an operator takes
 * something away: an old sign-in must not bring it back.
 */
export function signOutStatements(
  db: D1Database,
  { accountId, subject }: { accountId: string; subject: string },
  by: By,
): D1PreparedStatement[] {
  const open = `account_id = ${accountId} AND expires_at_ms > ?2`;
  const sessions = `(SELECT count(*) FROM console_sessions WHERE ${open})`;
  const invites = `(SELECT count(*) FROM console_invites WHERE ${open} AND spent_at_ms IS NULL)`;
  return [
    db
      .prepare(
        `INSERT INTO audit (at_ms, actor_kind, actor, action, subject, after)
         SELECT ?2, ?3, ?4, 'account.sign_out', ${accountId}, json_object('sessions', ${sessions}, 'invites', ${invites})
         WHERE ${sessions} + ${invites} > 0`,
      )
      .bind(subject, by.nowMs, by.actor.kind, by.actor.name),
    db
      .prepare(
        `UPDATE console_invites SET expires_at_ms = ?2
         WHERE account_id = ${accountId} AND spent_at_ms IS NULL AND expires_at_ms > ?2`,
      )
      .bind(subject, by.nowMs),
    db.prepare(`DELETE FROM console_sessions WHERE account_id = ${accountId}`).bind(subject),
  ];
}

/** Ends all sessions of the account and cancels its unspent links. */
export async function signOutAccount(db: D1Database, accountId: string, by: By): Promise<void> {
  await db.batch(signOutStatements(db, { accountId: "?1", subject: accountId }, by));
}

/** Why a link opens nothing. */
export type InviteDenial = { reason: "link_unknown" | "link_spent" | "link_expired" | "account_disabled" };

/** What a link is to become. */
export interface Spending {
  inviteSha256: string;
  sessionSha256: string;
  nowMs: number;
  /** When the session ends. */
  endsAtMs: number;
}

/** A press that is repeated within this time gets the session that the first one made. */
const REPEATED_WITHIN_MS = 60_000;

/**
 * Spends a link: of two requests at once exactly one makes the session. One with the same session hash, as the same
 * button makes when it is pressed twice, gets the first one's session for a minute. The link of a disabled account
 * is refused and not spent.
 */
export async function spendInvite(
  db: D1Database,
  { inviteSha256, sessionSha256, nowMs, endsAtMs }: Spending,
): Promise<{ accountId: string } | InviteDenial> {
  const OPEN = `sha256 = ?1 AND spent_at_ms IS NULL AND expires_at_ms > ?2 AND EXISTS
    (SELECT 1 FROM accounts a WHERE a.account_id = i.account_id AND a.disabled_at_ms IS NULL)`;
  const [, made, , repeated] = await db.batch<{ account_id: string }>([
    db.prepare("DELETE FROM console_sessions WHERE expires_at_ms <= ?1").bind(nowMs),
    db
      .prepare(
        `INSERT INTO console_sessions (sha256, account_id, created_at_ms, expires_at_ms)
         SELECT ?3, account_id, ?2, ?4 FROM console_invites i WHERE ${OPEN} RETURNING account_id`,
      )
      .bind(inviteSha256, nowMs, sessionSha256, endsAtMs),
    db.prepare(`UPDATE console_invites AS i SET spent_at_ms = ?2 WHERE ${OPEN}`).bind(inviteSha256, nowMs),
    db
      .prepare(
        `SELECT s.account_id FROM console_sessions s JOIN accounts a USING (account_id)
         WHERE s.sha256 = ?1 AND s.created_at_ms > ?2 AND a.disabled_at_ms IS NULL`,
      )
      .bind(sessionSha256, nowMs - REPEATED_WITHIN_MS),
  ]);
  const accountId = (made?.results[0] ?? repeated?.results[0])?.account_id;
  if (accountId !== undefined) return { accountId };
  // An account enabled between the two questions: its link was not spent, and opens at the next press.
  return (await inviteDenial(db, inviteSha256, nowMs)) ?? { reason: "account_disabled" };
}

/** Why a link opens nothing at `nowMs`; null when it would open. */
export async function inviteDenial(
  db: D1Database,
  sha256: string,
  nowMs: number,
): Promise<InviteDenial | null> {
  const row = await db
    .prepare(
      `SELECT spent_at_ms, expires_at_ms, a.disabled_at_ms FROM console_invites
       JOIN accounts a USING (account_id) WHERE sha256 = ?1`,
    )
    .bind(sha256)
    .first<{ spent_at_ms: number | null; expires_at_ms: number; disabled_at_ms: number | null }>();
  if (row === null) return { reason: "link_unknown" };
  if (row.spent_at_ms !== null) return { reason: "link_spent" };
  // Disabling cancels links too; that the account is disabled tells more.
  if (row.disabled_at_ms !== null) return { reason: "account_disabled" };
  return row.expires_at_ms <= nowMs ? { reason: "link_expired" } : null;
}

export interface ConsoleSession {
  sha256: string;
  accountId: string;
  expiresAtMs: number;
}

/** Returns the sessions with these hashes that are in force at `nowMs`, in the order of `sha256s`. */
export async function findSessions(
  db: D1Database,
  sha256s: readonly string[],
  nowMs: number,
): Promise<ConsoleSession[]> {
  const { results } = await db
    .prepare(
      `SELECT s.sha256, account_id AS accountId, expires_at_ms AS expiresAtMs
       FROM json_each(?1) asked JOIN console_sessions s ON s.sha256 = asked.value
       WHERE expires_at_ms > ?2 ORDER BY asked.key`,
    )
    .bind(JSON.stringify(sha256s), nowMs)
    .all<ConsoleSession>();
  return results;
}

/** Ends sessions; does nothing where there is none. */
export async function endSessions(db: D1Database, sha256s: readonly string[]): Promise<void> {
  await db
    .prepare("DELETE FROM console_sessions WHERE sha256 IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(sha256s))
    .run();
}
