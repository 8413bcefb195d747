/**
 * The states of daily files: uploaded, verifying, published, withdrawn. A change names the state that it expects, so
 * that only one of two concurrent changes succeeds. Instants are Unix milliseconds.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DataType } from "../entitlement/data-types.ts";
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";
import { allowedSql, servedStatement, withdrawStatements } from "./decisions.ts";
import type { FilePlace } from "./files.ts";
import { type Part, part, rows, sql } from "./sql.ts";
import type { Upload } from "./uploads.ts";

/**
 * `uploaded`: being checked. `verifying`: checked, and waiting for an operator to publish it. Only `published` files
 * are offered.
 */
export type FileState = "uploaded" | "verifying" | "published" | "withdrawn";

/** Who made a file: an operator added it, or the builder made it from the day's quotes (contract 8.7). */
export type FileOrigin = "operator" | "builder";

/** One revision of a file, for operators. */
export interface StoredFile extends FilePlace {
  revision: number;
  origin: FileOrigin;
  state: FileState;
  /** The reason for the withdrawal, or empty. */
  stateNote: string;
  sizeBytes: number;
  sha256: string;
  uploadedAtMs: number;
  /** When the revision was last published, or null. */
  publishedAtMs: number | null;
}

/** Returns the upload target of a file. */
export function fileTarget({ dataType, tradedate, name }: FilePlace): string {
  return `${dataType}/${tradedate}/${name}`;
}

/** Returns the R2 key of a file's revision. The keys of the builder's files end in `.built`. */
export function fileObjectKey(
  { dataType, tradedate, name }: FilePlace,
  revision: number,
  origin: FileOrigin = "operator",
): string {
  const end = origin === "builder" ? ".built" : "";
  return `files/${dataType}/${tradedate.slice(0, 4)}/${tradedate}/${name}/${revision}${end}`;
}

const IS_BUILT = part`object_key LIKE '%.built'`;

const STORED = part`
  SELECT data_type AS dataType, tradedate, name, revision, iif(${IS_BUILT}, 'builder', 'operator') AS origin,
    state, state_note AS stateNote,
    size_bytes AS sizeBytes, sha256, uploaded_at_ms AS uploadedAtMs, published_at_ms AS publishedAtMs
  FROM day_files`;

/** Returns an SQL condition that selects the revisions of a file that no newer revision has replaced. */
const at = ({ dataType, tradedate, name }: FilePlace) =>
  part`data_type = ${dataType} AND tradedate = ${tradedate} AND name = ${name} AND replaced_at_ms IS NULL`;

/**
 * Returns the files of a type for the days `from` to `to`, both inclusive: the revisions that no newer revision has
 * replaced.
 */
export async function storedFiles(
  db: D1Database,
  { dataType, from, to }: { dataType: DataType; from: BeijingDate; to: BeijingDate },
): Promise<StoredFile[]> {
  return rows<StoredFile>(sql(db)`
    ${STORED} WHERE data_type = ${dataType} AND tradedate BETWEEN ${from} AND ${to} AND replaced_at_ms IS NULL
    ORDER BY tradedate, name, revision`);
}

/** Returns the revisions of one file that no newer revision has replaced, newest first. */
export async function revisionsAt(db: D1Database, place: FilePlace): Promise<StoredFile[]> {
  return rows<StoredFile>(sql(db)`${STORED} WHERE ${at(place)} ORDER BY revision DESC`);
}

/** A complete upload with its object's etag. */
export interface ArrivedFile {
  place: FilePlace;
  upload: Upload;
  etag: string;
}

/** Records an uploaded object that is being checked. Idempotent. */
export async function enterFile(
  db: D1Database,
  { place, upload, etag }: ArrivedFile,
  nowMs: number,
): Promise<void> {
  await sql(db)`
    INSERT OR IGNORE INTO day_files (file_id, data_type, tradedate, name, revision, object_key, etag,
      size_bytes, sha256, state, uploaded_at_ms)
    SELECT object_id, ${place.dataType}, ${place.tradedate}, ${place.name}, revision, object_key, ${etag},
      size_bytes, sha256, 'uploaded', ${nowMs}
    FROM uploads WHERE upload_id = ${upload.uploadId} AND state = 'completing'`.run();
}

/**
 * An SQL condition: another file of this type and day whose name differs only in case. On a case-insensitive system,
 * a copy of the share would contain only one of the two files.
 */
const isCaseTwin = ({ dataType, tradedate, name }: FilePlace) =>
  part`data_type = ${dataType} AND tradedate = ${tradedate} AND lower(name) = lower(${name})
    AND name <> ${name} AND state <> 'uploaded'`;

/** Returns the name of another file of this type and day whose name differs only in case, or null. */
export async function caseTwin(db: D1Database, place: FilePlace): Promise<string | null> {
  return sql(db)`SELECT name FROM day_files WHERE ${isCaseTwin(place)} LIMIT 1`.first<string>("name");
}

/**
 * Moves a checked file to `verifying`. Returns false when another publisher has taken over the file, or when a file
 * whose name differs only in case has been accepted.
 */
export async function acceptFile(db: D1Database, { place, upload }: ArrivedFile, by: By): Promise<boolean> {
  const { uploadId, objectId, revision, sizeBytes, sha256 } = upload;
  const isFree = part`NOT EXISTS (SELECT 1 FROM day_files WHERE ${isCaseTwin(place)})`;
  const isClaimed = part`EXISTS (SELECT 1 FROM uploads WHERE upload_id = ${uploadId} AND state = 'completing')
    AND ${isFree}`;
  const after = { revision, state: "verifying", sizeBytes, sha256 };
  const [, , claim] = await db.batch([
    auditStatement(db, by, { action: "file.add", subject: fileTarget(place), after }, isClaimed),
    sql(db)`
      UPDATE day_files SET state = 'verifying' WHERE file_id = ${objectId} AND state = 'uploaded' AND ${isClaimed}`,
    sql(db)`
      UPDATE uploads SET state = 'served'
      WHERE upload_id = ${uploadId} AND state = 'completing' AND ${isFree}`,
  ]);
  return claim?.meta.changes === 1;
}

/** An SQL condition: the revision still has the state that was read, and no newer revision has replaced it. */
const isMovable = ({ revision, state, ...place }: StoredFile) =>
  part`${at(place)} AND revision = ${revision} AND state = ${state}`;

/**
 * Returns the SQL condition under which `file` may be published: no withdrawal forbids it and, for the builder, no
 * operator's file exists.
 */
function isUndecided(file: StoredFile, isForced: boolean, origin: FileOrigin): Part {
  const allowed = allowedSql(fileTarget(file), file.sha256, isForced ? 1 : 0);
  if (origin !== "builder") return allowed;
  return part`${allowed} AND NOT EXISTS (SELECT 1 FROM day_files
    WHERE ${at(file)} AND state <> 'uploaded' AND NOT (${IS_BUILT}))`;
}

/**
 * Publishes this revision, which replaces the older ones. Downloads of an older revision that have begun can finish.
 * Returns false and changes nothing when the revision's state has changed or a withdrawal forbids publishing it. Also
 * returns false when `origin` is the builder and an operator's revision has passed its checks. Publishing a withdrawn
 * revision ends its withdrawal.
 */
export async function publishFile(
  db: D1Database,
  file: StoredFile,
  { isForced, origin, ...by }: By & { isForced: boolean; origin: FileOrigin },
): Promise<boolean> {
  const { revision, state, sha256 } = file;
  const target = fileTarget(file);
  const allowed = state === "withdrawn" ? part`TRUE` : isUndecided(file, isForced, origin);
  const movable = part`EXISTS (SELECT 1 FROM day_files WHERE ${isMovable(file)}) AND ${allowed}`;
  const isOffered = part`EXISTS (SELECT 1 FROM day_files
    WHERE ${at(file)} AND revision = ${revision} AND state = 'published')`;
  const entry = {
    action: "file.publish",
    subject: target,
    before: { revision, state },
    after: { revision, state: "published" },
  };
  const [, , published] = await db.batch([
    auditStatement(db, by, entry, movable),
    sql(db)`
      UPDATE day_files SET replaced_at_ms = ${by.nowMs}
      WHERE ${at(file)} AND revision < ${revision} AND ${movable}`,
    sql(db)`
      UPDATE day_files SET state = 'published', state_note = '', published_at_ms = ${by.nowMs}
      WHERE ${isMovable(file)} AND ${allowed}`,
    sql(db)`DELETE FROM withdrawals WHERE target = ${target} AND content = ${sha256} AND ${isOffered}`,
    servedStatement(db, target, isOffered),
  ]);
  return changed(published);
}

/**
 * Withdraws this revision; a download that has begun cannot be resumed. Returns false when the state has changed. The
 * content is not offered again until an operator publishes this revision. The file's open upload ends.
 */
export async function withdrawFile(
  db: D1Database,
  file: StoredFile,
  { note, ...by }: By & { note: string },
): Promise<boolean> {
  const { revision, state, sha256 } = file;
  const target = fileTarget(file);
  const movable = part`EXISTS (SELECT 1 FROM day_files WHERE ${isMovable(file)})`;
  const entry = {
    action: "file.withdraw",
    subject: target,
    before: { revision, state },
    after: { revision, state: "withdrawn", note },
  };
  const decision = { revision, atMs: by.nowMs, actor: by.actor.name, note };
  const results = await db.batch([
    auditStatement(db, by, entry, movable),
    ...withdrawStatements(db, { target, content: sha256 }, decision, movable),
    sql(db)`UPDATE day_files SET state = 'withdrawn', state_note = ${note} WHERE ${isMovable(file)}`,
  ]);
  return changed(results.at(-1));
}

/**
 * Returns whether the statement changed rows. The number can be above 1, because triggers also update the catalog
 * revision.
 */
function changed(result: D1Result | undefined): boolean {
  return (result?.meta.changes ?? 0) > 0;
}
