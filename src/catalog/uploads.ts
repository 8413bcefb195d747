/**
 * Uploads of packs and files and their states. A target has at most one open upload (`uploading`, `completing`). A
 * change names the state that it expects, so that only one of two concurrent changes succeeds.
 */

export type UploadState = "uploading" | "completing" | "served" | "replaced" | "abandoned" | "refused";

/** Stands for the R2 upload id of an adopted object, for which R2 has no upload. */
export const ADOPTED_R2_UPLOAD_ID = "";

/** The operator's claims about content before it is sent; all of them are checked afterwards. */
export interface Content<Claims> {
  sizeBytes: number;
  sha256: string;
  /** Further claims (`PackClaims`); empty for a file. */
  claims: Claims;
}

export interface Upload<Claims = unknown> extends Content<Claims> {
  /** The id of the upload, and of the resulting pack or file. */
  objectId: number;
  uploadId: string;
  /** The target: `packTarget`, `fileTarget`. */
  target: string;
  /** The revision number under which it will be served. */
  revision: number;
  objectKey: string;
  r2UploadId: string;
  state: UploadState;
  /** The reason for its refusal or its end. */
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

const UPLOAD = `
  SELECT object_id AS objectId, upload_id AS uploadId, target, revision, object_key AS objectKey,
    r2_upload_id AS r2UploadId, state, state_note AS stateNote, size_bytes AS sizeBytes, sha256, claims,
    begun_at_ms AS begunAtMs
  FROM uploads`;

type UploadRow = Omit<Upload, "claims"> & { claims: string };

const uploadOf = <Claims>(row: UploadRow | null): Upload<Claims> | null =>
  row === null ? null : { ...row, claims: JSON.parse(row.claims) as Claims };

/** Returns the upload of this target with this id in any state, or null. */
export async function findUpload<Claims>(
  db: D1Database,
  target: string,
  uploadId: string,
): Promise<Upload<Claims> | null> {
  const statement = db.prepare(`${UPLOAD} WHERE upload_id = ?1 AND target = ?2`).bind(uploadId, target);
  return uploadOf(await statement.first<UploadRow>());
}

/** Returns the target's open upload, or null. */
export async function openUpload<Claims>(db: D1Database, target: string): Promise<Upload<Claims> | null> {
  const statement = db
    .prepare(`${UPLOAD} WHERE target = ?1 AND state IN ('uploading', 'completing')`)
    .bind(target);
  return uploadOf(await statement.first<UploadRow>());
}

/** Returns the stored parts of an upload in order of `n`. */
export async function uploadParts(db: D1Database, uploadId: string): Promise<UploadPart[]> {
  const statement = db
    .prepare(
      "SELECT n, size_bytes AS sizeBytes, sha256, etag FROM upload_parts WHERE upload_id = ?1 AND etag <> '' ORDER BY n",
    )
    .bind(uploadId);
  return (await statement.all<UploadPart>()).results;
}

/**
 * Claims part `n` for the caller, who stores it in R2 and then calls `recordPart`. Returns false when the upload is not
 * `uploading`, when another publisher has stored this part, or when one claimed it at or after `staleMs` and may still
 * be storing it.
 */
export async function claimPart(
  db: D1Database,
  uploadId: string,
  { n, sizeBytes, sha256 }: Omit<UploadPart, "etag">,
  { nowMs, staleMs }: { nowMs: number; staleMs: number },
): Promise<boolean> {
  const { meta } = await db
    .prepare(
      `INSERT INTO upload_parts (upload_id, n, size_bytes, sha256, etag, claimed_at_ms)
       SELECT ?1, ?2, ?3, ?4, '', ?5 FROM uploads WHERE upload_id = ?1 AND state = 'uploading'
       ON CONFLICT (upload_id, n) DO UPDATE SET
         size_bytes = excluded.size_bytes, sha256 = excluded.sha256, etag = '', claimed_at_ms = excluded.claimed_at_ms
       WHERE sha256 <> excluded.sha256 OR (etag = '' AND claimed_at_ms < ?6)`,
    )
    .bind(uploadId, n, sizeBytes, sha256, nowMs, staleMs)
    .run();
  return meta.changes === 1;
}

/** Records that a claimed part is stored. */
export async function recordPart(
  db: D1Database,
  uploadId: string,
  { n, sha256, etag }: UploadPart,
): Promise<void> {
  await db
    .prepare("UPDATE upload_parts SET etag = ?4 WHERE upload_id = ?1 AND n = ?2 AND sha256 = ?3")
    .bind(uploadId, n, sha256, etag)
    .run();
}

/** Releases the claim on a part that could not be stored. */
export async function releasePart(db: D1Database, uploadId: string, n: number): Promise<void> {
  await db
    .prepare("DELETE FROM upload_parts WHERE upload_id = ?1 AND n = ?2 AND etag = ''")
    .bind(uploadId, n)
    .run();
}

/**
 * Returns the number of the target's next revision. Numbers of uploads that may have created an object are not reused,
 * because an object must never be overwritten while it can be served. After a held upload was replaced, operators see a
 * gap; refused uploads leave none.
 */
export async function nextRevision(db: D1Database, target: string): Promise<number> {
  const row = await db
    .prepare("SELECT 1 + coalesce(max(revision), 0) AS next FROM taken_revisions WHERE target = ?1")
    .bind(target)
    .first<{ next: number }>();
  return row?.next ?? 1;
}

/** Returns the ids of all uploads of the target in any state. */
export async function targetUploadIds(db: D1Database, target: string): Promise<Set<string>> {
  const { results } = await db
    .prepare("SELECT upload_id AS uploadId FROM uploads WHERE target = ?1")
    .bind(target)
    .all<{ uploadId: string }>();
  return new Set(results.map(({ uploadId }) => uploadId));
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
  const { target } = upload;
  const close = db
    .prepare(
      `UPDATE uploads SET state = CASE state WHEN 'uploading' THEN 'replaced' ELSE 'abandoned' END
       WHERE upload_id = ?1 AND state = ?2`,
    )
    .bind(previous?.uploadId ?? "", previous?.state ?? "");
  const open = db
    .prepare(
      `INSERT INTO uploads (upload_id, target, revision, object_key, r2_upload_id, state, size_bytes, sha256,
         claims, begun_at_ms)
       SELECT ?1, ?2, ?3, ?4, ?5, 'uploading', ?6, ?7, ?8, ?9
       WHERE NOT EXISTS (SELECT 1 FROM uploads WHERE target = ?2 AND state IN ('uploading', 'completing'))
         AND NOT EXISTS (SELECT 1 FROM taken_revisions WHERE target = ?2 AND revision >= ?3)`,
    )
    .bind(
      upload.uploadId,
      target,
      upload.revision,
      upload.objectKey,
      upload.r2UploadId,
      upload.sizeBytes,
      upload.sha256,
      JSON.stringify(upload.claims),
      upload.begunAtMs,
    );
  const [, opened] = await db.batch([close, open, dropClosedParts(db, target), ...dropUnserved(db, target)]);
  return opened?.meta.changes === 1;
}

/** Returns the statement that deletes the parts of the target's ended uploads. */
function dropClosedParts(db: D1Database, target: string): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM upload_parts WHERE upload_id IN (
         SELECT upload_id FROM uploads WHERE target = ?1 AND state NOT IN ('uploading', 'completing'))`,
    )
    .bind(target);
}

const UNSERVED =
  "SELECT object_id FROM uploads WHERE target = ?1 AND state IN ('replaced', 'abandoned', 'refused')";

/** Returns statements that delete catalog rows of the target's uploads that ended without being served. */
export function dropUnserved(db: D1Database, target: string): D1PreparedStatement[] {
  return [
    `DELETE FROM day_securities WHERE pack_id IN (${UNSERVED})`,
    `DELETE FROM pack_markets WHERE pack_id IN (${UNSERVED})`,
    `DELETE FROM day_files WHERE state = 'uploaded' AND file_id IN (${UNSERVED})`,
  ].map((sql) => db.prepare(sql).bind(target));
}

/** Moves `upload` from one state to another. Returns false when it is no longer in `from`. */
export async function moveUpload(
  db: D1Database,
  { uploadId }: Pick<Upload, "uploadId">,
  from: UploadState,
  to: UploadState,
  note = "",
): Promise<boolean> {
  const result = await db
    .prepare("UPDATE uploads SET state = ?3, state_note = ?4 WHERE upload_id = ?1 AND state = ?2")
    .bind(uploadId, from, to, note)
    .run();
  return result.meta.changes === 1;
}
