/** The audit: who changed what, with the values before and after, written in the transaction of the change. */
import { type Actor, type ActorKind, SERVICE_ACTOR } from "../entitlement/operators.ts";
import type { By } from "./accounts.ts";
import { decoded, type Part, part, rows, sql } from "./sql.ts";

export interface AuditEntry {
  /** `<noun>.<verb>`, for example `day.publish`. */
  action: string;
  /** The subject of the change: a date, an account id, a key id. */
  subject: string;
  /** The value before the change; null or absent when there is none. Never contains a key, a token or a password. */
  before?: unknown;
  /** The value after the change; the rules of `before` apply. */
  after?: unknown;
}

/**
 * Writes `entry` and runs `changes` in one transaction. The entry is written if `guard` holds before the changes.
 * Returns whether the first of `changes` changed a row; rows changed by triggers count too.
 */
export async function audited(
  db: D1Database,
  by: By,
  { guard, ...entry }: AuditEntry & { guard?: Part },
  changes: readonly D1PreparedStatement[],
): Promise<boolean> {
  const [, first] = await db.batch([auditStatement(db, by, entry, guard), ...changes]);
  return (first?.meta.changes ?? 0) > 0;
}

/** Returns the statement that writes `entry` if `guard` holds. Run it before the change, with the same condition. */
export function auditStatement(
  db: D1Database,
  { actor, nowMs }: By,
  { action, subject, before, after }: AuditEntry,
  guard = part`TRUE`,
): D1PreparedStatement {
  return sql(db)`
    INSERT INTO audit (at_ms, actor_kind, actor, action, subject, before, after)
    SELECT ${nowMs}, ${actor.kind}, ${actor.name}, ${action}, ${subject}, ${jsonOf(before)}, ${jsonOf(after)}
    WHERE ${guard}`;
}

/** Writes an entry for a change outside the catalog. */
export async function addAudit(db: D1Database, by: By, entry: AuditEntry): Promise<void> {
  await auditStatement(db, by, entry).run();
}

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** A stored entry. */
export interface WrittenEntry extends AuditEntry {
  /** Increases with every entry. */
  auditId: number;
  atMs: number;
  actor: Actor;
}

/** The conditions on the entries; an absent condition matches all entries. */
export interface AuditQuestion {
  /** A day, as `YYYYMMDD`, also matches the subjects of its trades, quotes and files. */
  subject?: string | undefined;
  /** The actor's name. */
  actor?: string | undefined;
  actorKind?: ActorKind | undefined;
  /** An action such as `day.publish`, or a noun such as `day` for all actions on it. */
  action?: string | undefined;
  /** Unix milliseconds, inclusive. */
  sinceMs?: number | undefined;
  /** Selects only entries whose id is lower. */
  beforeId?: number | undefined;
  /** The maximum number of entries. */
  count: number;
}

/** Returns the newest entries that match `question`, newest first. */
export async function auditEntries(db: D1Database, question: AuditQuestion): Promise<WrittenEntry[]> {
  const { subject = null, actor = null, actorKind = null, action = null, sinceMs = null } = question;
  const { beforeId = null, count } = question;
  // The subjects of a day's trades, quotes and files are paths with the day: `trades/20260312`.
  const day = subject !== null && /^\d{8}$/.test(subject) ? `/${subject}/` : null;
  const found = await rows(sql(db)`
    SELECT audit_id AS auditId, at_ms AS atMs, actor_kind AS kind, actor AS name, action, subject, before, after
    FROM audit
    WHERE (${subject} IS NULL OR subject = ${subject} OR instr('/' || subject || '/', ${day}) > 0) AND (${actor} IS NULL OR actor = ${actor})
      AND (${action} IS NULL OR action = ${action} OR substr(action, 1, length(${action}) + 1) = ${action} || '.')
      AND (${sinceMs} IS NULL OR at_ms >= ${sinceMs}) AND (${beforeId} IS NULL OR audit_id < ${beforeId})
      AND (${actorKind} IS NULL OR actor_kind = ${actorKind})
    ORDER BY audit_id DESC LIMIT ${count}`);
  return found.map((row) => {
    const { kind, name, ...entry } = decoded<Omit<WrittenEntry, "actor"> & Actor>(row, ["before", "after"]);
    return { ...entry, actor: { kind, name } };
  });
}

/** Returns who changed `subject` last; the service when the audit has no entry for it. */
export async function lastActorOf(db: D1Database, subject: string): Promise<Actor> {
  const last = await sql(db)`
    SELECT actor_kind AS kind, actor AS name FROM audit
    WHERE subject = ${subject} ORDER BY audit_id DESC LIMIT 1`.first<Actor>();
  return last ?? SERVICE_ACTOR;
}
