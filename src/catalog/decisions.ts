/**
 * Decisions about content: withdrawals by operators, and damage found by readers. Code that publishes content checks
 * them first, and again inside the transaction that makes it visible. Instants are Unix milliseconds.
 */
import type { Guard } from "./audit.ts";

/** An operator's decision not to serve a content of a target. */
export interface Withdrawal {
  /** The withdrawn revision. */
  revision: number;
  atMs: number;
  actor: string;
  /** The operator's reason, or empty. */
  note: string;
}

/** A content of a target (`packTarget`, `fileTarget`): the build id of a pack, the SHA-256 of a file. */
export interface TargetContent {
  target: string;
  content: string;
}

const WITHDRAWAL =
  "SELECT revision, at_ms AS atMs, actor, note, content = ?2 AS isSame FROM withdrawals WHERE target = ?1";

/**
 * Returns the withdrawal that prevents serving this content: of the same content (`isSame`), else the newest one of the
 * target since which nothing was served. Null when there is none.
 */
export async function withdrawalAgainst(
  db: D1Database,
  { target, content }: TargetContent,
): Promise<{ withdrawal: Withdrawal; isSame: boolean } | null> {
  const row = await db
    .prepare(
      `${WITHDRAWAL} AND (content = ?2 OR standing = 1) ORDER BY content = ?2 DESC, at_ms DESC LIMIT 1`,
    )
    .bind(target, content)
    .first<Withdrawal & { isSame: number }>();
  if (row === null) return null;
  const { isSame, ...withdrawal } = row;
  return { withdrawal, isSame: isSame === 1 };
}

/**
 * Returns an SQL condition that allows serving: false for withdrawn content; while `target` is withdrawn, true for
 * other content only when it is `forced`. The arguments are expressions. The force of an upload that began at
 * `begunAtMs`, before the withdrawal, does not count.
 */
export function allowedSql(target: string, content: string, forced: string, begunAtMs?: string): string {
  const insisted = begunAtMs === undefined ? forced : `${forced} AND w.at_ms <= ${begunAtMs}`;
  return `NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.target = ${target}
    AND (w.content = ${content} OR (w.standing = 1 AND NOT (${insisted}))))`;
}

/**
 * Returns the statements that record a withdrawal where `guard` holds (its values are bound from the given number on).
 * The target's open upload ends, because it began before the decision.
 */
export function withdrawStatements(
  db: D1Database,
  { target, content }: TargetContent,
  { revision, atMs, actor, note }: Withdrawal,
  guard: (first: number) => Guard,
): D1PreparedStatement[] {
  const ended = `${actor} withdrew it meanwhile${note === "" ? "" : `: ${note}`}`;
  return [
    db
      .prepare(
        `INSERT OR REPLACE INTO withdrawals (target, content, revision, at_ms, actor, note, standing)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, 1 WHERE ${guard(7).sql}`,
      )
      .bind(target, content, revision, atMs, actor, note, ...guard(1).values),
    db
      .prepare(
        `UPDATE uploads SET state = CASE state WHEN 'uploading' THEN 'replaced' ELSE 'abandoned' END, state_note = ?2
         WHERE target = ?1 AND state IN ('uploading', 'completing') AND ${guard(3).sql}`,
      )
      .bind(target, ended, ...guard(1).values),
  ];
}

/** SQL that holds when the day whose target is `?1` serves the pack `?2`. */
export const PACK_SERVED =
  "EXISTS (SELECT 1 FROM order_days WHERE ?1 = dataset || '/' || tradedate AND pack_id = ?2 AND state = 'available')";

/**
 * Returns the statement that ends the withdrawals of `target` once content is served, where `guard` (an expression over
 * `?1`, the target, and `values` from `?2` on) holds.
 */
export function servedStatement(
  db: D1Database,
  target: string,
  guard: string,
  values: (string | number | null)[] = [],
): D1PreparedStatement {
  return db
    .prepare(`UPDATE withdrawals SET standing = 0 WHERE target = ?1 AND standing = 1 AND ${guard}`)
    .bind(target, ...values);
}

/** A failed checksum of an object's block. */
export interface Damage {
  atMs: number;
  note: string;
}

/** Returns when the object was found damaged, or null. */
export function damageOf(db: D1Database, objectKey: string): Promise<Damage | null> {
  return db
    .prepare("SELECT at_ms AS atMs, note FROM damaged_packs WHERE object_key = ?1")
    .bind(objectKey)
    .first<Damage>();
}

/** Returns an SQL condition: the object `objectKey` (an expression) was never found damaged. */
export function soundSql(objectKey: string): string {
  return `NOT EXISTS (SELECT 1 FROM damaged_packs WHERE object_key = ${objectKey})`;
}
