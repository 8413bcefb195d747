/**
 * Stores the sessions of the console and the one-time links that open them. The secrets of both are stored as hashes.
 * Instants are Unix milliseconds. Links and sessions are valid until `expiresAtMs`, exclusive.
 */
import { ok, type Result, refused } from "../base/result.ts";
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";
import { type Part, part, plain, rows, sql } from "./sql.ts";

/** How long links are kept after they expire, so that the service can say why an old link fails. */
const INVITES_KEPT_MS = 30 * 86_400_000;

/** A link or a session of an account. */
export interface ConsoleSecret {
  sha256: string;
  accountId: string;
  expiresAtMs: number;
}

/** Stores a one-time link for an existing account. */
export async function addInvite(db: D1Database, invite: ConsoleSecret, by: By): Promise<void> {
  const { sha256, accountId, expiresAtMs } = invite;
  await db.batch([
    sql(db)`DELETE FROM console_invites WHERE expires_at_ms <= ${by.nowMs - INVITES_KEPT_MS}`,
    auditStatement(db, by, { action: "account.invite", subject: accountId, after: { expiresAtMs } }),
    sql(db)`
      INSERT INTO console_invites (sha256, account_id, created_at_ms, expires_at_ms)
      VALUES (${sha256}, ${accountId}, ${by.nowMs}, ${expiresAtMs})`,
  ]);
}

/** Returns whether a link with this hash is stored, valid or not. */
export async function isInvite(db: D1Database, sha256: string): Promise<boolean> {
  return (await sql(db)`SELECT 1 FROM console_invites WHERE sha256 = ${sha256}`.first()) !== null;
}

/** The instants of the console sessions and links of an account, oldest first. */
export type ConsoleAccess = Record<"sessions" | "invites", { createdAtMs: number; expiresAtMs: number }[]>;

/** Returns the sessions and unused links of an account that are valid at `nowMs`. */
export async function consoleAccessOf(
  db: D1Database,
  accountId: string,
  nowMs: number,
): Promise<ConsoleAccess> {
  const inForce = (table: string, more: string) => sql(db)`
    SELECT created_at_ms AS createdAtMs, expires_at_ms AS expiresAtMs FROM ${plain(table)}
    WHERE account_id = ${accountId} AND expires_at_ms > ${nowMs} ${plain(more)} ORDER BY created_at_ms`;
  const [sessions, invites] = await db.batch<ConsoleAccess["sessions"][number]>([
    inForce("console_sessions", ""),
    inForce("console_invites", "AND spent_at_ms IS NULL"),
  ]);
  return { sessions: sessions?.results ?? [], invites: invites?.results ?? [] };
}

/**
 * Returns statements that end an account's console sessions and cancel its unused links, with an audit entry if there
 * were any. `account` is an id or an SQL expression. They are part of disabling an account and of revoking a key,
 * because someone who is still signed in could create a new key.
 */
export function signOutStatements(db: D1Database, account: string | Part, by: By): D1PreparedStatement[] {
  const { nowMs, actor } = by;
  const open = part`account_id = ${account} AND expires_at_ms > ${nowMs}`;
  const unused = part`${open} AND spent_at_ms IS NULL`;
  const sessions = part`(SELECT count(*) FROM console_sessions WHERE ${open})`;
  const invites = part`(SELECT count(*) FROM console_invites WHERE ${unused})`;
  return [
    sql(db)`
      INSERT INTO audit (at_ms, actor_kind, actor, action, subject, after)
      SELECT ${nowMs}, ${actor.kind}, ${actor.name}, 'account.sign_out', ${account},
        json_object('sessions', ${sessions}, 'invites', ${invites})
      WHERE ${sessions} + ${invites} > 0`,
    sql(db)`UPDATE console_invites SET expires_at_ms = ${nowMs} WHERE ${unused}`,
    sql(db)`DELETE FROM console_sessions WHERE account_id = ${account}`,
  ];
}

/** Ends all sessions of the account and cancels its unused links. */
export async function signOutAccount(db: D1Database, accountId: string, by: By): Promise<void> {
  await db.batch(signOutStatements(db, accountId, by));
}

/** Why a link is refused. */
export type InviteDenial = { reason: "link_unknown" | "link_spent" | "link_expired" | "account_disabled" };

/** One use of a link, which opens a session. */
export interface Spending {
  inviteSha256: string;
  sessionSha256: string;
  nowMs: number;
  /** The end of the session. */
  endsAtMs: number;
}

/** When a link is used again within this time, the second use gets the session of the first. */
const REPEATED_WITHIN_MS = 60_000;

/**
 * Uses a link to open a session. Of two concurrent requests, exactly one opens a session. For a minute, a repeated
 * request with the same session hash, such as a double click, gets the session of the first request. The link of a
 * disabled account is refused and stays unused.
 */
export async function spendInvite(
  db: D1Database,
  { inviteSha256, sessionSha256, nowMs, endsAtMs }: Spending,
): Promise<Result<{ accountId: string }, InviteDenial>> {
  const isOpen = part`sha256 = ${inviteSha256} AND spent_at_ms IS NULL AND expires_at_ms > ${nowMs} AND EXISTS
    (SELECT 1 FROM accounts a WHERE a.account_id = i.account_id AND a.disabled_at_ms IS NULL)`;
  const [, made, , repeated] = await db.batch<{ account_id: string }>([
    sql(db)`DELETE FROM console_sessions WHERE expires_at_ms <= ${nowMs}`,
    sql(db)`
      INSERT INTO console_sessions (sha256, account_id, created_at_ms, expires_at_ms)
      SELECT ${sessionSha256}, account_id, ${nowMs}, ${endsAtMs} FROM console_invites i WHERE ${isOpen}
      RETURNING account_id`,
    sql(db)`UPDATE console_invites AS i SET spent_at_ms = ${nowMs} WHERE ${isOpen}`,
    sql(db)`
      SELECT s.account_id FROM console_sessions s JOIN accounts a USING (account_id)
      WHERE s.sha256 = ${sessionSha256} AND s.created_at_ms > ${nowMs - REPEATED_WITHIN_MS}
        AND a.disabled_at_ms IS NULL`,
  ]);
  const accountId = (made?.results[0] ?? repeated?.results[0])?.account_id;
  if (accountId !== undefined) return ok({ accountId });
  // `inviteDenial` returns null when the account was enabled between the two queries. The link is still unused and
  // works at the next attempt.
  return refused((await inviteDenial(db, inviteSha256, nowMs)) ?? { reason: "account_disabled" });
}

/** Returns why a link is refused at `nowMs`; null when it is valid. */
export async function inviteDenial(
  db: D1Database,
  sha256: string,
  nowMs: number,
): Promise<InviteDenial | null> {
  // Disabling also cancels links, but `account_disabled` is the more helpful reason.
  const row = await sql(db)`
    SELECT CASE WHEN spent_at_ms IS NOT NULL THEN 'link_spent'
      WHEN a.disabled_at_ms IS NOT NULL THEN 'account_disabled'
      WHEN expires_at_ms <= ${nowMs} THEN 'link_expired' END AS reason
    FROM console_invites JOIN accounts a USING (account_id) WHERE sha256 = ${sha256}`.first<{
    reason: InviteDenial["reason"] | null;
  }>();
  if (row === null) return { reason: "link_unknown" };
  return row.reason && { reason: row.reason };
}

/** Returns the sessions with these hashes that have not expired at `nowMs`, in the order of `sha256s`. */
export async function findSessions(
  db: D1Database,
  sha256s: readonly string[],
  nowMs: number,
): Promise<ConsoleSecret[]> {
  return rows<ConsoleSecret>(sql(db)`
    SELECT s.sha256, account_id AS accountId, expires_at_ms AS expiresAtMs
    FROM json_each(${JSON.stringify(sha256s)}) asked JOIN console_sessions s ON s.sha256 = asked.value
    WHERE expires_at_ms > ${nowMs} ORDER BY asked.key`);
}

/** Ends sessions; ignores unknown hashes. */
export async function endSessions(db: D1Database, sha256s: readonly string[]): Promise<void> {
  await sql(db)`
    DELETE FROM console_sessions WHERE sha256 IN (SELECT value FROM json_each(${JSON.stringify(sha256s)}))`.run();
}
