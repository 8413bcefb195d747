/**
 * The audit table: who changed what, with the values before and after. An entry is written in the same transaction as
 * its change.
 */
import { type Actor, type ActorKind, SERVICE_ACTOR } from "../entitlement/operators.ts";

export interface AuditEntry {
  atMs: number;
  actor: Actor;
  /** `<noun>.<verb>`, for example `day.publish`. */
  action: string;
  /** The subject of the change: a date, an account id, a key id. */
  subject: string;
  /** The values before and after the change as JSON; null when there is none. Never a key, a token or a password. */
  before: unknown;
  after: unknown;
}

/** An SQL condition, evaluated when the statement runs; its values are bound from `?7` on. */
export interface Guard {
  sql: string;
  values: (string | number | null)[];
}

const ALWAYS: Guard = { sql: "TRUE", values: [] };

/**
 * Returns the statement that writes `entry` where `guard` holds. Run it before the change, with the change's own
 * condition.
 */
export function auditStatement(db: D1Database, entry: AuditEntry, guard = ALWAYS): D1PreparedStatement {
  return db
    .prepare(
      // The kind comes from a closed list, never from a caller.
      `INSERT INTO audit (at_ms, actor_kind, actor, action, subject, before, after)
       SELECT ?1, '${entry.actor.kind}', ?2, ?3, ?4, ?5, ?6 WHERE ${guard.sql}`,
    )
    .bind(
      entry.atMs,
      entry.actor.name,
      entry.action,
      entry.subject,
      jsonOf(entry.before),
      jsonOf(entry.after),
      ...guard.values,
    );
}

/** Writes an entry for a change outside the catalog. */
export async function addAudit(db: D1Database, entry: AuditEntry): Promise<void> {
  await auditStatement(db, entry).run();
}

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** A stored entry. */
export interface WrittenEntry extends AuditEntry {
  /** Grows with every entry. */
  auditId: number;
}

/** The conditions on the entries; an absent condition matches all. */
export interface AuditQuestion {
  subject?: string | undefined;
  /** The actor's name. */
  actor?: string | undefined;
  actorKind?: ActorKind | undefined;
  /** `day.publish`, or `day` for all actions of this noun. */
  action?: string | undefined;
  /** Unix milliseconds, inclusive. */
  sinceMs?: number | undefined;
  /** Only entries before this id. */
  beforeId?: number | undefined;
  /** The maximum number of entries. */
  count: number;
}

const ENTRIES = `
  SELECT audit_id AS auditId, at_ms AS atMs, actor_kind AS kind, actor AS name, action, subject, before, after
  FROM audit
  WHERE (?1 IS NULL OR subject = ?1) AND (?2 IS NULL OR actor = ?2)
    AND (?3 IS NULL OR action = ?3 OR substr(action, 1, length(?3) + 1) = ?3 || '.')
    AND (?4 IS NULL OR at_ms >= ?4) AND (?5 IS NULL OR audit_id < ?5) AND (?7 IS NULL OR actor_kind = ?7)
  ORDER BY audit_id DESC LIMIT ?6`;

/** Returns the newest entries that match `question`, newest first. */
export async function auditEntries(db: D1Database, question: AuditQuestion): Promise<WrittenEntry[]> {
  const { subject, actor, actorKind, action, sinceMs, beforeId, count } = question;
  const conditions = [subject, actor, action, sinceMs, beforeId].map((value) => value ?? null);
  const { results } = await db
    .prepare(ENTRIES)
    .bind(...conditions, count, actorKind ?? null)
    .all<WrittenRow>();
  return results.map(({ kind, name, before, after, ...entry }) => ({
    ...entry,
    actor: { kind, name },
    before: JSON.parse(before ?? "null"),
    after: JSON.parse(after ?? "null"),
  }));
}

type WrittenRow = Omit<WrittenEntry, "actor" | "before" | "after"> &
  Actor & { before: string | null; after: string | null };

/** Returns who changed `subject` last; the service when the audit has no entry for it. */
export async function lastActorOf(db: D1Database, subject: string): Promise<Actor> {
  const sql = `SELECT actor_kind AS kind, actor AS name FROM audit
    WHERE subject = ?1 ORDER BY audit_id DESC LIMIT 1`;
  return (await db.prepare(sql).bind(subject).first<Actor>()) ?? SERVICE_ACTOR;
}
