/**
 * One-time links into the console and the sessions that they open, as hashes. Instants are Unix milliseconds; both are
 * valid until `expiresAtMs`, exclusive.
 */
import { ok, type Result, refused } from "../base/result.ts";
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";

/** Used and expired links are kept this long, so that opening one explains why it fails. */
const INVITES_KEPT_MS = 30 * 86_400_000;

export interface NewInvite {
  sha256: string;
  accountId: string;
  expiresAtMs: number;
}

/** Stores a one-time link for an existing account. */
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

/** Returns whether a link with this hash is stored, valid or not. */
export async function isInvite(db: D1Database, sha256: string): Promise<boolean> {
  return (await db.prepare("SELECT 1 FROM console_invites WHERE sha256 = ?1").bind(sha256).first()) !== null;
}

/** The console sessions and links of an account. */
export interface ConsoleAccess {
  /** Valid sessions, oldest first. */
  sessions: { createdAtMs: number; expiresAtMs: number }[];
  /** Valid links, oldest first. */
  invites: { createdAtMs: number; expiresAtMs: number }[];
}

/** Returns the sessions and unused links of an account that are valid at `nowMs`. */
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
 * Returns statements that end all sessions of the account `accountId` (a parameter or an expression over `?1`) and
 * cancel its unused links, with an audit entry if there are any. Every change by which an operator revokes something
 * uses them, because an old sign-in must not undo it.
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

/** Ends all sessions of the account and cancels its unused links. */
export async function signOutAccount(db: D1Database, accountId: string, by: By): Promise<void> {
  await db.batch(signOutStatements(db, { accountId: "?1", subject: accountId }, by));
}

/** Why a link is refused. */
export type InviteDenial = { reason: "link_unknown" | "link_spent" | "link_expired" | "account_disabled" };

/** The use of a link. */
export interface Spending {
  inviteSha256: string;
  sessionSha256: string;
  nowMs: number;
  /** The end of the session. */
  endsAtMs: number;
}

/** A repeated use within this time gets the session of the first one. */
const REPEATED_WITHIN_MS = 60_000;

/**
 * Uses a link: of two concurrent requests exactly one opens the session. A request with the same session hash, as a
 * double click sends it, gets the first one's session for a minute. The link of a disabled account is refused and stays
 * unused.
 */
export async function spendInvite(
  db: D1Database,
  { inviteSha256, sessionSha256, nowMs, endsAtMs }: Spending,
): Promise<Result<{ accountId: string }, InviteDenial>> {
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
  if (accountId !== undefined) return ok({ accountId });
  // The account was enabled between the two queries: its link is unused and works at the next attempt.
  return refused((await inviteDenial(db, inviteSha256, nowMs)) ?? { reason: "account_disabled" });
}

/** Returns why a link is refused at `nowMs`; null when it is valid. */
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
  // Disabling also cancels links, but `account_disabled` is the more helpful reason.
  if (row.disabled_at_ms !== null) return { reason: "account_disabled" };
  return row.expires_at_ms <= nowMs ? { reason: "link_expired" } : null;
}

export interface ConsoleSession {
  sha256: string;
  accountId: string;
  expiresAtMs: number;
}

/** Returns the valid sessions with these hashes at `nowMs`, in the order of `sha256s`. */
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

/** Ends sessions; ignores unknown hashes. */
export async function endSessions(db: D1Database, sha256s: readonly string[]): Promise<void> {
  await db
    .prepare("DELETE FROM console_sessions WHERE sha256 IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(sha256s))
    .run();
}
