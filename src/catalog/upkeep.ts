/** Queries for upkeep, the doctor and adoption: objects, uploads, the schema. Instants are Unix milliseconds. */
import { REPLACED_KEPT_MS } from "../base/retention.ts";
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";
import { column, part, rows, sql } from "./sql.ts";
import { ADOPTED_R2_UPLOAD_ID, dropUnserved, type Upload } from "./uploads.ts";

/**
 * `kept`: served, so it must exist. `spare`: served earlier, can be served again. `expired`: replaced more than 7 days
 * ago. `open`: an upload can create it at any moment. `unserved`: its upload ended without being served.
 */
export type Duty = "kept" | "spare" | "open" | "expired" | "unserved";

/** An R2 object that the catalog lists. */
export interface KnownObject {
  objectKey: string;
  duty: Duty;
  /** The object's etag; null while its upload is open, or when the upload has ended without being served. */
  etag: string | null;
  sizeBytes: number;
  /** The name of the day or file in messages. */
  called: string;
  /** The pack's id, or null. */
  packId: number | null;
  /** When the upload began; 0 for packs and files. */
  begunAtMs: number;
}

/** An SQL condition: a pack that is not served and was replaced more than 7 days before `nowMs`. */
const isExpired = (nowMs: number) => part`
  NOT EXISTS (SELECT 1 FROM order_days d WHERE d.pack_id = p.pack_id)
  AND NOT EXISTS (SELECT 1 FROM day_revisions r
    WHERE r.pack_id = p.pack_id AND (r.replaced_at_ms IS NULL OR r.replaced_at_ms > ${nowMs - REPLACED_KEPT_MS}))`;

/**
 * The rank of each duty. If several rows have the same object key, the lowest rank counts. This happens because the
 * revision number of an unserved upload can be issued again.
 */
const RANK: Record<Duty, number> = { kept: 0, spare: 1, open: 2, expired: 3, unserved: 4 };

/** Returns every object in the catalog by its key. `duty` is the object's duty at `nowMs`. */
export async function knownObjects(db: D1Database, nowMs: number): Promise<Map<string, KnownObject>> {
  // A pack is `kept` when it is served, or when only its damage prevents that.
  const { results } = await sql(db)`
    SELECT p.object_key AS objectKey, iif(${isExpired(nowMs)}, 'expired',
        iif(EXISTS (SELECT 1 FROM order_days d WHERE d.pack_id = p.pack_id AND d.state <> 'withdrawn'), 'kept', 'spare')) AS duty,
      p.etag, p.size_bytes AS sizeBytes, iif(p.dataset = 'orders', '', p.dataset || ' of ') || p.tradedate AS called,
      p.pack_id AS packId, 0 AS begunAtMs
    FROM day_packs p
    UNION ALL
    SELECT object_key, iif(replaced_at_ms <= ${nowMs - REPLACED_KEPT_MS}, 'expired',
        iif(state = 'published' AND replaced_at_ms IS NULL, 'kept', 'spare')), etag, size_bytes, name, NULL, 0
    FROM day_files
    UNION ALL
    SELECT object_key, iif(state IN ('uploading', 'completing'), 'open', 'unserved'), NULL, size_bytes, target,
      NULL, begun_at_ms
    FROM uploads WHERE state <> 'served' AND r2_upload_id <> ${ADOPTED_R2_UPLOAD_ID}`.all<KnownObject>();
  const known = new Map<string, KnownObject>();
  for (const object of results) {
    const other = known.get(object.objectKey);
    if (other === undefined || RANK[object.duty] < RANK[other.duty]) known.set(object.objectKey, object);
  }
  return known;
}

/**
 * Deletes the index rows of `packId` if it is expired at `nowMs`; returns false otherwise, also for a pack that is
 * served again. When it returns true, the pack's object may be deleted, because a pack without index rows is never
 * served.
 */
export async function retirePack(db: D1Database, packId: number, nowMs: number): Promise<boolean> {
  const expired = part`SELECT p.pack_id FROM day_packs p WHERE p.pack_id = ${packId} AND ${isExpired(nowMs)}`;
  const [, still] = await db.batch([
    sql(db)`DELETE FROM day_securities WHERE pack_id IN (${expired})`,
    sql(db)`${expired}`,
  ]);
  return (still?.results.length ?? 0) === 1;
}

export interface StaleUpload extends Pick<Upload, "uploadId" | "target" | "objectKey" | "r2UploadId"> {
  state: "uploading" | "completing";
}

/** Returns open uploads that began before `beforeMs`. */
export async function staleUploads(db: D1Database, beforeMs: number): Promise<StaleUpload[]> {
  return rows<StaleUpload>(sql(db)`
    SELECT upload_id AS uploadId, target, object_key AS objectKey, r2_upload_id AS r2UploadId, state
    FROM uploads WHERE state IN ('uploading', 'completing') AND begun_at_ms < ${beforeMs} ORDER BY object_id`);
}

/** Ends an open upload and deletes its catalog rows. Returns false when its state has changed. */
export async function endStaleUpload(db: D1Database, upload: StaleUpload): Promise<boolean> {
  const { uploadId, target, state } = upload;
  const ended = state === "uploading" ? "replaced" : "abandoned";
  const [moved] = await db.batch([
    sql(db)`
      UPDATE uploads SET state = ${ended}, state_note = 'it was never completed'
      WHERE upload_id = ${uploadId} AND state = ${state}`,
    sql(db)`
      DELETE FROM upload_parts WHERE upload_id = ${uploadId}
        AND EXISTS (SELECT 1 FROM uploads WHERE upload_id = ${uploadId} AND state = ${ended})`,
    ...dropUnserved(db, target),
  ]);
  return moved?.meta.changes === 1;
}

/** Returns the names of the migrations that wrangler applied, in order; null without the table d1_migrations. */
export async function appliedMigrations(db: D1Database): Promise<string[] | null> {
  const lists = sql(db)`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'`;
  if ((await lists.first()) === null) return null;
  return column<string>(sql(db)`SELECT name FROM d1_migrations ORDER BY id`);
}

const PACK_KEYS = part`
  SELECT object_key AS objectKey FROM day_packs
  UNION SELECT object_key FROM uploads WHERE r2_upload_id <> ${ADOPTED_R2_UPLOAD_ID}`;

/** Returns the object keys of all packs of days and of all uploads except adoptions, even if no object exists yet. */
export async function knownPackKeys(db: D1Database): Promise<Set<string>> {
  return new Set(await column<string>(sql(db)`${PACK_KEYS}`));
}

/** Returns whether `knownPackKeys` contains this key. */
export async function isKnownPackKey(db: D1Database, objectKey: string): Promise<boolean> {
  return (await sql(db)`SELECT 1 FROM (${PACK_KEYS}) WHERE objectKey = ${objectKey}`.first()) !== null;
}

/**
 * Marks the content of `objectKey` as lost, as if it had been replaced more than 7 days ago. The content can then not
 * be restored, and checks ignore it; its revision number stays used. Returns false and changes nothing when a day or
 * share uses the content, or when it is already marked.
 */
export async function giveUp(db: D1Database, objectKey: string, by: By): Promise<boolean> {
  const replacedAtMs = by.nowMs - REPLACED_KEPT_MS;
  const isLater = part`(replaced_at_ms IS NULL OR replaced_at_ms > ${replacedAtMs})`;
  const ofPack = part`pack_id IN (SELECT pack_id FROM day_packs WHERE object_key = ${objectKey})
    AND NOT EXISTS (SELECT 1 FROM order_days d WHERE d.pack_id = day_revisions.pack_id) AND ${isLater}`;
  const ofFile = part`object_key = ${objectKey} AND NOT (state = 'published' AND replaced_at_ms IS NULL) AND ${isLater}`;
  const guard = part`EXISTS (SELECT 1 FROM day_revisions WHERE ${ofPack})
    OR EXISTS (SELECT 1 FROM day_files WHERE ${ofFile})`;
  const [, packs, files] = await db.batch([
    auditStatement(db, by, { action: "object.give_up", subject: objectKey }, guard),
    sql(db)`UPDATE day_revisions SET replaced_at_ms = ${replacedAtMs} WHERE ${ofPack}`,
    sql(db)`UPDATE day_files SET replaced_at_ms = ${replacedAtMs} WHERE ${ofFile}`,
  ]);
  return (packs?.meta.changes ?? 0) + (files?.meta.changes ?? 0) > 0;
}

/**
 * Returns the newest revision of each target (`packTarget`, `fileTarget`) in the catalog. Numbers without content,
 * which a restore only reserves so that they are not issued again, do not count.
 */
export async function newestRevisions(db: D1Database): Promise<Map<string, number>> {
  const { results } = await sql(db)`
    SELECT target, max(revision) AS newest FROM (
    SELECT dataset || '/' || tradedate AS target, revision FROM day_revisions
    UNION ALL SELECT data_type || '/' || tradedate || '/' || name, revision FROM day_files) GROUP BY target`.all<{
    target: string;
    newest: number;
  }>();
  return new Map(results.map(({ target, newest }) => [target, newest]));
}
