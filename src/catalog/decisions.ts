/**
 * Decisions about content: withdrawals by operators, and damage found when a pack was read. Code that publishes content
 * checks them first, and again in the transaction of the change. Instants are Unix milliseconds.
 */
import { decoded, type Part, part, sql } from "./sql.ts";

/** An operator's decision not to serve certain content of a target. */
export interface Withdrawal {
  /** The withdrawn revision. */
  revision: number;
  atMs: number;
  actor: string;
  /** The operator's reason, or empty. */
  note: string;
}

/** Content of a target (`packTarget`, `fileTarget`), identified by the build id of a pack or the SHA-256 of a file. */
export interface TargetContent<Content = string> {
  target: string;
  content: Content;
}

/**
 * Returns the withdrawal that prevents serving this content, or null: that of the same content (`isSame`), otherwise
 * the target's newest one, unless the target has served content since then.
 */
export async function withdrawalAgainst(
  db: D1Database,
  { target, content }: TargetContent,
): Promise<{ withdrawal: Withdrawal; isSame: boolean } | null> {
  const row = await sql(db)`
    SELECT revision, at_ms AS atMs, actor, note, content = ${content} AS isSame FROM withdrawals
    WHERE target = ${target} AND (isSame OR standing = 1)
    ORDER BY isSame DESC, at_ms DESC LIMIT 1`.first();
  if (row === null) return null;
  const { isSame, ...withdrawal } = decoded<Withdrawal & { isSame: boolean }>(row, [], ["isSame"]);
  return { withdrawal, isSame };
}

/**
 * Returns the SQL condition under which `content` may be served for `target`; arguments are values or expressions. It
 * is false for withdrawn content. While `target` is withdrawn, it is true for different content only if `isForced`.
 * `begunAtMs` is when the upload began. If it is given, `isForced` has no effect on withdrawals that were made later.
 */
export function allowedSql(
  target: string | Part,
  content: string | Part,
  isForced: number | Part,
  begunAtMs?: Part,
): Part {
  const insisted =
    begunAtMs === undefined ? part`${isForced}` : part`${isForced} AND w.at_ms <= ${begunAtMs}`;
  return part`NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.target = ${target}
    AND (w.content = ${content} OR (w.standing = 1 AND NOT (${insisted}))))`;
}

/** Returns statements that, if `guard` holds, record a withdrawal and end the target's upload, which is older. */
export function withdrawStatements(
  db: D1Database,
  { target, content }: TargetContent<string | Part>,
  { revision, atMs, actor, note }: Withdrawal,
  guard: Part,
): D1PreparedStatement[] {
  const ended = `${actor} withdrew the day or file meanwhile${note === "" ? "" : `: ${note}`}`;
  return [
    sql(db)`
      INSERT OR REPLACE INTO withdrawals (target, content, revision, at_ms, actor, note, standing)
      SELECT ${target}, ${content}, ${revision}, ${atMs}, ${actor}, ${note}, 1 WHERE ${guard}`,
    sql(db)`
      UPDATE uploads SET state = CASE state WHEN 'uploading' THEN 'replaced' ELSE 'abandoned' END,
        state_note = ${ended}
      WHERE target = ${target} AND state IN ('uploading', 'completing') AND ${guard}`,
  ];
}

/** Returns the SQL condition that the day of the upload target `target` serves the pack `packId`. */
export function packServed(target: string, packId: number): Part {
  return part`EXISTS (SELECT 1 FROM order_days
    WHERE dataset || '/' || tradedate = ${target} AND pack_id = ${packId} AND state = 'available')`;
}

/** Returns the statement that, if `guard` holds, ends the withdrawals of a `target` that serves content again. */
export function servedStatement(db: D1Database, target: string, guard: Part): D1PreparedStatement {
  return sql(db)`UPDATE withdrawals SET standing = 0 WHERE target = ${target} AND standing = 1 AND ${guard}`;
}

/** A failed checksum of an object's block. */
export interface Damage {
  atMs: number;
  note: string;
}

/** Returns when the object was found damaged, and the note about it. Returns null for an undamaged object. */
export function damageOf(db: D1Database, objectKey: string): Promise<Damage | null> {
  return sql(db)`
    SELECT at_ms AS atMs, note FROM damaged_packs WHERE object_key = ${objectKey}`.first<Damage>();
}

/** Returns the SQL condition that the object `objectKey` (an expression) was never found damaged. */
export function soundSql(objectKey: Part): Part {
  return part`NOT EXISTS (SELECT 1 FROM damaged_packs WHERE object_key = ${objectKey})`;
}
