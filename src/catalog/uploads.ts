/**
 * Uploads of packs and files and their states. A target has at most one open upload (`uploading`, `completing`). A
 * change names the state that it expects, so that only one of two concurrent changes succeeds.
 */
import { column, decoded, part, rows, sql } from "./sql.ts";

export type UploadState = "uploading" | "completing" | "served" | "replaced" | "abandoned" | "refused";

/** Takes the place of the R2 upload id for an adopted object, because R2 has no upload of it. */
export const ADOPTED_R2_UPLOAD_ID = "";

/** What the operator claims about content; size and checksum are compared with the received content. */
export interface Content<Claims> {
  sizeBytes: number;
  sha256: string;
  /** Further claims about the content: `PackClaims` for a pack, the origin for a file that the builder made. */
  claims: Claims;
}

export interface Upload<Claims = unknown> extends Content<Claims> {
  /** The numeric id of the upload. The resulting pack or file keeps this id. */
  objectId: number;
  uploadId: string;
  /** The day or file that is uploaded (`packTarget`, `fileTarget`). */
  target: string;
  /** The revision number under which the content will be served. */
  revision: number;
  objectKey: string;
  r2UploadId: string;
  state: UploadState;
  /** Why the upload was refused or has ended; otherwise empty. */
  stateNote: string;
  begunAtMs: number;
}

/** A stored part; `n` counts from 1. */
export interface UploadPart {
  n: number;
  sizeBytes: number;
  sha256: string;
  etag: string;
}

const UPLOAD = part`
  SELECT object_id AS objectId, upload_id AS uploadId, target, revision, object_key AS objectKey,
    r2_upload_id AS r2UploadId, state, state_note AS stateNote, size_bytes AS sizeBytes, sha256, claims,
    begun_at_ms AS begunAtMs
  FROM uploads`;

/** Returns the upload of this target with this id in any state, or null. */
export async function findUpload<Claims>(
  db: D1Database,
  target: string,
  uploadId: string,
): Promise<Upload<Claims> | null> {
  const row = await sql(db)`${UPLOAD} WHERE upload_id = ${uploadId} AND target = ${target}`.first();
  return row && decoded<Upload<Claims>>(row, ["claims"]);
}

/** Returns the target's open upload, or null. */
export async function openUpload<Claims>(db: D1Database, target: string): Promise<Upload<Claims> | null> {
  const open = sql(db)`${UPLOAD} WHERE target = ${target} AND state IN ('uploading', 'completing')`;
  const row = await open.first();
  return row && decoded<Upload<Claims>>(row, ["claims"]);
}

/** Returns the stored parts of an upload in order of `n`. */
export async function uploadParts(db: D1Database, uploadId: string): Promise<UploadPart[]> {
  return rows<UploadPart>(sql(db)`
    SELECT n, size_bytes AS sizeBytes, sha256, etag FROM upload_parts
    WHERE upload_id = ${uploadId} AND etag <> '' ORDER BY n`);
}

/**
 * Claims part `n` for the caller, who stores it in R2 and then calls `recordPart`. Returns false when the upload is not
 * `uploading`, or when another publisher has stored the part with the same checksum, or claimed it at or after
 * `staleMs` and may still be storing it.
 */
export async function claimPart(
  db: D1Database,
  uploadId: string,
  { n, sizeBytes, sha256 }: Omit<UploadPart, "etag">,
  { nowMs, staleMs }: { nowMs: number; staleMs: number },
): Promise<boolean> {
  const { meta } = await sql(db)`
    INSERT INTO upload_parts (upload_id, n, size_bytes, sha256, etag, claimed_at_ms)
    SELECT ${uploadId}, ${n}, ${sizeBytes}, ${sha256}, '', ${nowMs}
    FROM uploads WHERE upload_id = ${uploadId} AND state = 'uploading'
    ON CONFLICT (upload_id, n) DO UPDATE SET
      size_bytes = excluded.size_bytes, sha256 = excluded.sha256, etag = '', claimed_at_ms = excluded.claimed_at_ms
    WHERE sha256 <> excluded.sha256 OR (etag = '' AND claimed_at_ms < ${staleMs})`.run();
  return meta.changes === 1;
}

/** Records that a claimed part is stored. */
export async function recordPart(db: D1Database, uploadId: string, stored: UploadPart): Promise<void> {
  const { n, sha256, etag } = stored;
  await sql(db)`
    UPDATE upload_parts SET etag = ${etag} WHERE upload_id = ${uploadId} AND n = ${n} AND sha256 = ${sha256}`.run();
}

/** Releases the claim on a part that could not be stored. */
export async function releasePart(db: D1Database, uploadId: string, n: number): Promise<void> {
  await sql(db)`DELETE FROM upload_parts WHERE upload_id = ${uploadId} AND n = ${n} AND etag = ''`.run();
}

/**
 * Returns the number of the target's next revision. A number is not reused if its upload may have created an object,
 * because an object must never be overwritten while it can be served. A replaced upload leaves a gap in the
 * numbers if it was already `completing`. A refused upload leaves none.
 */
export async function nextRevision(db: D1Database, target: string): Promise<number> {
  const taken = sql(db)`SELECT max(revision) AS newest FROM taken_revisions WHERE target = ${target}`;
  return 1 + ((await taken.first<number>("newest")) ?? 0);
}

/** Returns the ids of all uploads of the target in any state. */
export async function targetUploadIds(db: D1Database, target: string): Promise<Set<string>> {
  return new Set(
    await column<string>(sql(db)`SELECT upload_id AS uploadId FROM uploads WHERE target = ${target}`),
  );
}

export type NewUpload<Claims = unknown> = Omit<Upload<Claims>, "objectId" | "state" | "stateNote">;

/**
 * Opens `upload` in place of `previous` (the target's open upload, if any). Returns false and opens nothing when
 * another upload was opened or served since `previous` was read.
 */
export async function beginUpload(
  db: D1Database,
  upload: NewUpload,
  previous: Upload | null,
): Promise<boolean> {
  const { uploadId, target, revision, objectKey, r2UploadId, sizeBytes, sha256, begunAtMs } = upload;
  const [, opened] = await db.batch([
    sql(db)`
      UPDATE uploads SET state = CASE state WHEN 'uploading' THEN 'replaced' ELSE 'abandoned' END
      WHERE upload_id = ${previous?.uploadId ?? ""} AND state = ${previous?.state ?? ""}`,
    sql(db)`
      INSERT INTO uploads (upload_id, target, revision, object_key, r2_upload_id, state, size_bytes, sha256,
        claims, begun_at_ms)
      SELECT ${uploadId}, ${target}, ${revision}, ${objectKey}, ${r2UploadId}, 'uploading', ${sizeBytes}, ${sha256},
        ${JSON.stringify(upload.claims)}, ${begunAtMs}
      WHERE NOT EXISTS (SELECT 1 FROM uploads WHERE target = ${target} AND state IN ('uploading', 'completing'))
        AND NOT EXISTS (SELECT 1 FROM taken_revisions WHERE target = ${target} AND revision >= ${revision})`,
    // Deletes the parts of ended uploads.
    sql(db)`
      DELETE FROM upload_parts WHERE upload_id IN (
        SELECT upload_id FROM uploads WHERE target = ${target} AND state NOT IN ('uploading', 'completing'))`,
    ...dropUnserved(db, target),
  ]);
  return opened?.meta.changes === 1;
}

/** Returns statements that delete the catalog rows of the ended uploads to `target` whose content was never served. */
export function dropUnserved(db: D1Database, target: string): D1PreparedStatement[] {
  const unserved = part`SELECT object_id FROM uploads
    WHERE target = ${target} AND state IN ('replaced', 'abandoned', 'refused')`;
  return [
    sql(db)`DELETE FROM day_securities WHERE pack_id IN (${unserved})`,
    sql(db)`DELETE FROM pack_markets WHERE pack_id IN (${unserved})`,
    sql(db)`DELETE FROM day_files WHERE state = 'uploaded' AND file_id IN (${unserved})`,
  ];
}

/** Moves `upload` from one state to another. Returns false when it is no longer in `from`. */
export async function moveUpload(
  db: D1Database,
  { uploadId }: Pick<Upload, "uploadId">,
  from: UploadState,
  to: UploadState,
  note = "",
): Promise<boolean> {
  const { meta } = await sql(db)`
    UPDATE uploads SET state = ${to}, state_note = ${note} WHERE upload_id = ${uploadId} AND state = ${from}`.run();
  return meta.changes === 1;
}
