/**
 * What operators and readers decided about content: this is withdrawn, that object is damaged. Code that serves
 * something asks here, and asks again inside the transaction that makes it visible. Instants are Unix milliseconds.
 */
import type { Guard } from "./audit.ts";

/** The operator's decision that a content of a target is not served. */
export interface Withdrawal {
  /** The revision that was withdrawn. */
  revision: number;
  atMs: number;
  actor: string;
  /** Why; empty when the operator gave no reason. */
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
 * The withdrawal that speaks against serving this content: of this very content (`isSame`), else the newest of
 * another content of the target, of which nothing has been served since. Null when none does.
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
 * SQL that holds unless `target` is withdrawn: never for content that was withdrawn, for other content only when it
 * is `forced`. The arguments are expressions. An upload that began at `begunAtMs`, before the withdrawal, was not
 * forced against it.
 */
export function allowedSql(target: string, content: string, forced: string, begunAtMs?: string): string {
  const insisted = begunAtMs === undefined ? forced : `${forced} AND w.at_ms <= ${begunAtMs}`;
  return `NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.target = ${target}
    AND (w.content = ${content} OR (w.standing = 1 AND NOT (${insisted}))))`;
}

/**
 * The statements that write down a withdrawal where `guard` holds (its values are bound from the given number on).
 * The target's open upload ends with it: it began before the decision.
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
 * The statement by which a served content of `target` ends the standing of its withdrawals, where `guard` (an
 * expression over `?1`, the target, and `values` from `?2` on) holds.
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

/** A block of this object failed its checksum. */
export interface Damage {
  atMs: number;
  note: string;
}

/** When the object was found damaged, or null. */
export function damageOf(db: D1Database, objectKey: string): Promise<Damage | null> {
  return db
    .prepare("SELECT at_ms AS atMs, note FROM damaged_packs WHERE object_key = ?1")
    .bind(objectKey)
    .first<Damage>();
}

/** Whether a pack's object, an expression, was never found damaged. */
export function soundSql(objectKey: string): string {
  return `NOT EXISTS (SELECT 1 FROM damaged_packs WHERE object_key = ${objectKey})`;
}
