/** Shares by account, data type and year. Instants are Unix milliseconds. */
import type { DataType } from "../entitlement/data-types.ts";
import { SERVICE_ACTOR } from "../entitlement/operators.ts";
import type { Subscription } from "../entitlement/principal.ts";
import { type By, SUBSCRIPTIONS } from "./accounts.ts";
import { audited, auditStatement } from "./audit.ts";
import { decoded, part, rows, sql } from "./sql.ts";

/** A share is valid for 7 days, or until the plan ends if that is earlier (contract 8.3). */
export const SHARE_LIFE_MS = 7 * 86_400_000;

export interface Share {
  /** Part of the URL; useless without the password. */
  shareId: string;
  accountId: string;
  dataType: DataType;
  year: number;
  /**
   * The share's number for this account, type and year. Requests get the newest share; older ones work until they
   * expire or are revoked.
   */
  generation: number;
  /** The version of the share secret from which the password is derived. */
  secretVersion: number;
  createdAtMs: number;
  revokedAtMs: number | null;
}

/** A share with the facts that authorise a request, from one read. */
export interface HeldShare {
  share: Share;
  /** Whether the account is disabled. */
  disabled: boolean;
  /** The account's subscriptions; `entitleShare` decides which plan is in force and what it covers. */
  subscriptions: Subscription[];
}

const SHARE = part`s.share_id AS shareId, s.account_id AS accountId, s.data_type AS dataType, s.year, s.generation,
  s.secret_version AS secretVersion, s.created_at_ms AS createdAtMs, s.revoked_at_ms AS revokedAtMs`;

/** Returns the statement that reads the share with this id; pass its result to `heldShareOf`. */
export function heldShareStatement(db: D1Database, shareId: string): D1PreparedStatement {
  return sql(db)`
    SELECT ${SHARE}, a.disabled_at_ms IS NOT NULL AS disabled, ${SUBSCRIPTIONS}
    FROM shares s JOIN accounts a ON a.account_id = s.account_id
    WHERE s.share_id = ${shareId}`;
}

/** Returns the share in the result of `heldShareStatement`, even a revoked or expired one; null without one. */
export function heldShareOf(result: D1Result | undefined): HeldShare | null {
  const [row] = (result?.results ?? []) as Record<string, unknown>[];
  if (row === undefined) return null;
  const held = decoded<Share & Omit<HeldShare, "share">>(row, ["subscriptions"], ["disabled"]);
  const { disabled, subscriptions, ...share } = held;
  return { share, disabled, subscriptions };
}

/** Returns the share with this id, even when it is revoked or expired; null when there is none. */
export async function shareById(db: D1Database, shareId: string): Promise<HeldShare | null> {
  return heldShareOf(await heldShareStatement(db, shareId).all());
}

export type ShareOwner = Pick<Share, "accountId" | "dataType" | "year">;

/** Returns the statement that reads an owner's newest share; pass its result to `newestShareOf`. */
export function newestShareStatement(db: D1Database, owner: ShareOwner): D1PreparedStatement {
  return sql(db)`
    SELECT ${SHARE} FROM shares s WHERE account_id = ${owner.accountId} AND data_type = ${owner.dataType}
      AND year = ${owner.year}
    ORDER BY generation DESC LIMIT 1`;
}

/** Returns the share in the result of `newestShareStatement`, or null. */
export function newestShareOf(result: D1Result | undefined): Share | null {
  return ((result?.results ?? []) as Share[])[0] ?? null;
}

/** Creates `share` unless its generation exists. Returns the newest share, so that concurrent requests get the same. */
export async function makeShare(db: D1Database, share: Omit<Share, "revokedAtMs">): Promise<Share> {
  const { shareId, accountId, dataType, year, generation, secretVersion, createdAtMs } = share;
  const isNew = part`NOT EXISTS (SELECT 1 FROM shares WHERE account_id = ${accountId} AND data_type = ${dataType}
    AND year = ${year} AND generation = ${generation})`;
  const by = { actor: SERVICE_ACTOR, nowMs: createdAtMs };
  const entry = { action: "share.make", subject: shareId, after: { accountId, dataType, year, generation } };
  const [, , newest] = await db.batch([
    auditStatement(db, by, entry, isNew),
    sql(db)`
      INSERT OR IGNORE INTO shares
        (share_id, account_id, data_type, year, generation, secret_version, created_at_ms)
      VALUES (${shareId}, ${accountId}, ${dataType}, ${year}, ${generation}, ${secretVersion}, ${createdAtMs})`,
    newestShareStatement(db, share),
  ]);
  const made = newestShareOf(newest);
  if (made === null) throw new Error("the share was created but cannot be read");
  return made;
}

/** Revokes a share; the next request creates a new one. Does nothing when it is already revoked. */
export async function revokeShare(db: D1Database, shareId: string, by: By): Promise<void> {
  const isInForce = part`share_id = ${shareId} AND revoked_at_ms IS NULL`;
  const guard = part`EXISTS (SELECT 1 FROM shares WHERE ${isInForce})`;
  const change = { before: { revoked: false }, after: { revoked: true } };
  await audited(db, by, { action: "share.revoke", subject: shareId, ...change, guard }, [
    sql(db)`UPDATE shares SET revoked_at_ms = ${by.nowMs} WHERE ${isInForce}`,
  ]);
}

/** Returns at most `count` shares that are valid at `nowMs`, sorted by id, beginning after the id `after`. */
export async function sharesInForce(
  db: D1Database,
  { nowMs, after, count }: { nowMs: number; after: string; count: number },
): Promise<Share[]> {
  return rows<Share>(sql(db)`
    SELECT ${SHARE} FROM shares s WHERE revoked_at_ms IS NULL
      AND created_at_ms > ${nowMs - SHARE_LIFE_MS} AND share_id > ${after}
    ORDER BY share_id LIMIT ${count}`);
}

/** Returns all shares ever created for an account, newest first. */
export async function sharesOfAccount(db: D1Database, accountId: string): Promise<Share[]> {
  return rows<Share>(sql(db)`
    SELECT ${SHARE} FROM shares s WHERE account_id = ${accountId} ORDER BY created_at_ms DESC, share_id`);
}
