/** Lost objects, and revision numbers that only objects show. Instants are Unix milliseconds. */
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";
import { REPLACED_KEPT_MS } from "./files.ts";

const OF_PACK = `pack_id IN (SELECT pack_id FROM day_packs WHERE object_key = ?1)
  AND NOT EXISTS (SELECT 1 FROM order_days d WHERE d.pack_id = day_revisions.pack_id)
  AND (replaced_at_ms IS NULL OR replaced_at_ms > ?2)`;

const OF_FILE = `object_key = ?1 AND NOT (state = 'published' AND replaced_at_ms IS NULL)
  AND (replaced_at_ms IS NULL OR replaced_at_ms > ?2)`;

/**
 * Marks the content of `objectKey` as lost, as if its 7 days after being replaced were over: it cannot be restored,
 * checks ignore it, and its number stays taken. Returns false and changes nothing when a day or share currently uses
 * it, or when it is already marked.
 */
export async function giveUp(db: D1Database, objectKey: string, by: By): Promise<boolean> {
  const replacedAtMs = by.nowMs - REPLACED_KEPT_MS;
  const entry = {
    atMs: by.nowMs,
    actor: by.actor,
    action: "object.give_up",
    subject: objectKey,
    before: null,
    after: null,
  };
  const guard = `EXISTS (SELECT 1 FROM day_revisions WHERE ${OF_PACK})
    OR EXISTS (SELECT 1 FROM day_files WHERE ${OF_FILE})`;
  const numbered = guard.replaceAll("?1", "?7").replaceAll("?2", "?8");
  const change = (sql: string) => db.prepare(sql).bind(objectKey, replacedAtMs);
  const [, packs, files] = await db.batch([
    auditStatement(db, entry, { sql: numbered, values: [objectKey, replacedAtMs] }),
    change(`UPDATE day_revisions SET replaced_at_ms = ?2 WHERE ${OF_PACK}`),
    change(`UPDATE day_files SET replaced_at_ms = ?2 WHERE ${OF_FILE}`),
  ]);
  return (packs?.meta.changes ?? 0) + (files?.meta.changes ?? 0) > 0;
}

/**
 * Returns the newest revision of each target (`packTarget`, `fileTarget`) in the catalog; numbers without content after
 * a restore do not count.
 */
export async function newestRevisions(db: D1Database): Promise<Map<string, number>> {
  const { results } = await db
    .prepare(
      `SELECT target, max(revision) AS newest FROM (
         SELECT dataset || '/' || tradedate AS target, revision FROM day_revisions
         UNION ALL SELECT data_type || '/' || tradedate || '/' || name, revision FROM day_files) GROUP BY target`,
    )
    .all<{ target: string; newest: number }>();
  return new Map(results.map(({ target, newest }) => [target, newest]));
}
