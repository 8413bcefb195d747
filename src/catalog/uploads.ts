/**
 * Uploads of packs and their state. A day has at most one open upload (`uploading`, `completing`). Who
 * wants to change a state names the state it must be in, so of two that try at once one wins.
 */
import type { BeijingDate } from "../calendar/beijing.ts";

export type UploadState = "uploading" | "completing" | "served" | "replaced" | "abandoned" | "refused";

/** What the operator says of a pack before it is sent; all of it is checked when it has arrived. */
export interface PackClaims {
  sizeBytes: number;
  sha256: string;
  buildId: string;
  rows: number;
  securities: number;
  degraded: boolean;
}

export interface Upload extends PackClaims {
  /** Also the id of the pack, once it is one. */
  packId: number;
  uploadId: string;
  tradedate: BeijingDate;
  /** The number it will be served under. */
  revision: number;
  objectKey: string;
  r2UploadId: string;
  state: UploadState;
  /** Why it was refused. */
  stateNote: string;
  begunAtMs: number;
}

/** A part that R2 has; `n` counts from 1. */
export interface UploadPart {
  n: number;
  sizeBytes: number;
  sha256: string;
  etag: string;
}

const UPLOAD = `
  SELECT pack_id AS packId, upload_id AS uploadId, tradedate, revision, object_key AS objectKey,
    r2_upload_id AS r2UploadId, state, state_note AS stateNote, size_bytes AS sizeBytes, sha256,
    build_id AS buildId, rows, securities, degraded, begun_at_ms AS begunAtMs
  FROM uploads`;

type UploadRow = Omit<Upload, "degraded"> & { degraded: number };

const uploadOf = (row: UploadRow | null): Upload | null =>
  row === null ? null : { ...row, degraded: row.degraded === 1 };

/** The upload of this day with this id, in whatever state, or null. */
export async function findUpload(
  db: D1Database,
  tradedate: BeijingDate,
  uploadId: string,
): Promise<Upload | null> {
  const statement = db.prepare(`${UPLOAD} WHERE upload_id = ?1 AND tradedate = ?2`).bind(uploadId, tradedate);
  return uploadOf(await statement.first<UploadRow>());
}

/** The day's open upload, or null. */
export async function openUpload(db: D1Database, tradedate: BeijingDate): Promise<Upload | null> {
  const statement = db
    .prepare(`${UPLOAD} WHERE tradedate = ?1 AND state IN ('uploading', 'completing')`)
    .bind(tradedate);
  return uploadOf(await statement.first<UploadRow>());
}

/** The parts of an upload that R2 has, in order of `n`. */
export async function uploadParts(db: D1Database, uploadId: string): Promise<UploadPart[]> {
  const statement = db
    .prepare(
      "SELECT n, size_bytes AS sizeBytes, sha256, etag FROM upload_parts WHERE upload_id = ?1 ORDER BY n",
    )
    .bind(uploadId);
  return (await statement.all<UploadPart>()).results;
}

/** Remembers that R2 has this part now, in the place of an earlier one. */
export async function recordPart(db: D1Database, uploadId: string, part: UploadPart): Promise<void> {
  await db
    .prepare(
      "INSERT OR REPLACE INTO upload_parts (upload_id, n, size_bytes, sha256, etag) VALUES (?, ?, ?, ?, ?)",
    )
    .bind(uploadId, part.n, part.sizeBytes, part.sha256, part.etag)
    .run();
}

/**
 * The number for the day's next revision. Numbers of uploads that may have become an object are never
 * used again, as an object is never overwritten while something might serve it.
 */
export async function nextRevision(db: D1Database, tradedate: BeijingDate): Promise<number> {
  const row = await db
    .prepare(
      `SELECT 1 + max(
         coalesce((SELECT max(revision) FROM day_revisions WHERE tradedate = ?1), 0),
         coalesce((SELECT max(revision) FROM uploads
                   WHERE tradedate = ?1 AND state IN ('completing', 'abandoned')), 0)) AS next`,
    )
    .bind(tradedate)
    .first<{ next: number }>();
  return row?.next ?? 1;
}

export type NewUpload = Omit<Upload, "packId" | "state" | "stateNote">;

/**
 * Opens `upload` in the place of `previous` (the day's open upload, if there is one). Returns false, and
 * opens nothing, when somebody else opened or served one since `previous` was read.
 */
export async function beginUpload(
  db: D1Database,
  upload: NewUpload,
  previous: Upload | null,
): Promise<boolean> {
  const close = db
    .prepare(
      `UPDATE uploads SET state = CASE state WHEN 'uploading' THEN 'replaced' ELSE 'abandoned' END
       WHERE upload_id = ?1 AND state = ?2`,
    )
    .bind(previous?.uploadId ?? "", previous?.state ?? "");
  const open = db
    .prepare(
      `INSERT INTO uploads (upload_id, tradedate, revision, object_key, r2_upload_id, state,
         size_bytes, sha256, build_id, rows, securities, degraded, begun_at_ms)
       SELECT ?1, ?2, ?3, ?4, ?5, 'uploading', ?6, ?7, ?8, ?9, ?10, ?11, ?12
       WHERE NOT EXISTS (SELECT 1 FROM uploads WHERE tradedate = ?2 AND state IN ('uploading', 'completing'))
         AND NOT EXISTS (SELECT 1 FROM day_revisions WHERE tradedate = ?2 AND revision >= ?3)`,
    )
    .bind(
      upload.uploadId,
      upload.tradedate,
      upload.revision,
      upload.objectKey,
      upload.r2UploadId,
      upload.sizeBytes,
      upload.sha256,
      upload.buildId,
      upload.rows,
      upload.securities,
      upload.degraded ? 1 : 0,
      upload.begunAtMs,
    );
  const [, opened] = await db.batch([
    close,
    open,
    dropClosedParts(db, upload.tradedate),
    dropUnservedRows(db, upload.tradedate),
  ]);
  return opened?.meta.changes === 1;
}

/** Forgets the parts of the day's uploads that are over. */
function dropClosedParts(db: D1Database, tradedate: BeijingDate): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM upload_parts WHERE upload_id IN (
         SELECT upload_id FROM uploads WHERE tradedate = ?1 AND state NOT IN ('uploading', 'completing'))`,
    )
    .bind(tradedate);
}

/** Deletes index rows of the day's uploads that ended without being served. */
export function dropUnservedRows(db: D1Database, tradedate: BeijingDate): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM day_securities WHERE pack_id IN (
         SELECT pack_id FROM uploads WHERE tradedate = ?1 AND state IN ('replaced', 'abandoned', 'refused'))`,
    )
    .bind(tradedate);
}

/** Moves `upload` from one state to another; false when it was not in `from` any more. */
export async function moveUpload(
  db: D1Database,
  { uploadId }: Upload,
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
