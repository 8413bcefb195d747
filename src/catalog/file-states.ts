/**
 * States of operators' files: uploaded, verifying, published, withdrawn. A change names the state that it expects, so
 * that only one of two concurrent changes succeeds. Instants are Unix milliseconds.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DataType } from "../entitlement/data-types.ts";
import type { By } from "./accounts.ts";
import { auditStatement, type Guard } from "./audit.ts";
import { allowedSql, servedStatement, withdrawStatements } from "./decisions.ts";
import type { FilePlace } from "./files.ts";
import type { Upload } from "./uploads.ts";

/** `uploaded` is being checked, `verifying` waits for the operator; only `published` is offered. */
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
  /** When it was last published, or null. */
  publishedAtMs: number | null;
}

/** Returns the upload target of a file. */
export function fileTarget({ dataType, tradedate, name }: FilePlace): string {
  return `${dataType}/${tradedate}/${name}`;
}

/** Returns the R2 key of a file's revision; its suffix names the origin. */
export function fileObjectKey(
  { dataType, tradedate, name }: FilePlace,
  revision: number,
  origin: FileOrigin = "operator",
): string {
  const end = origin === "builder" ? ".built" : "";
  return `files/${dataType}/${tradedate.slice(0, 4)}/${tradedate}/${name}/${revision}${end}`;
}

const IS_BUILT = "object_key LIKE '%.built'";

const STORED = `
  SELECT data_type AS dataType, tradedate, name, revision, iif(${IS_BUILT}, 'builder', 'operator') AS origin,
    state, state_note AS stateNote,
    size_bytes AS sizeBytes, sha256, uploaded_at_ms AS uploadedAtMs, published_at_ms AS publishedAtMs
  FROM day_files`;

/** Returns the revisions that no newer one has replaced, of a type's days from `from` to `to`, both inclusive. */
export async function storedFiles(
  db: D1Database,
  { dataType, from, to }: { dataType: DataType; from: BeijingDate; to: BeijingDate },
): Promise<StoredFile[]> {
  const statement = db
    .prepare(
      `${STORED} WHERE data_type = ?1 AND tradedate BETWEEN ?2 AND ?3 AND replaced_at_ms IS NULL
       ORDER BY tradedate, name, revision`,
    )
    .bind(dataType, from, to);
  return (await statement.all<StoredFile>()).results;
}

/** Returns the revisions of one file that no newer one has replaced, newest first. */
export async function revisionsAt(db: D1Database, place: FilePlace): Promise<StoredFile[]> {
  const statement = db
    .prepare(
      `${STORED} WHERE data_type = ?1 AND tradedate = ?2 AND name = ?3 AND replaced_at_ms IS NULL
       ORDER BY revision DESC`,
    )
    .bind(place.dataType, place.tradedate, place.name);
  return (await statement.all<StoredFile>()).results;
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
  await db
    .prepare(
      `INSERT OR IGNORE INTO day_files (file_id, data_type, tradedate, name, revision, object_key, etag,
         size_bytes, sha256, state, uploaded_at_ms)
       SELECT object_id, ?2, ?3, ?4, revision, object_key, ?5, size_bytes, sha256, 'uploaded', ?6
       FROM uploads WHERE upload_id = ?1 AND state = 'completing'`,
    )
    .bind(upload.uploadId, place.dataType, place.tradedate, place.name, etag, nowMs)
    .run();
}

/**
 * An SQL condition: the day has another file of this type whose name differs only in case. On case-insensitive systems
 * a copy of the share would lose one of the two.
 */
const CASE_TWIN = (dataType: string, tradedate: string, name: string) => `EXISTS (SELECT 1 FROM day_files t
  WHERE t.data_type = ${dataType} AND t.tradedate = ${tradedate} AND lower(t.name) = lower(${name})
    AND t.name <> ${name} AND t.state <> 'uploaded')`;

/** Returns the name of such a file, or null. */
export async function caseTwin(
  db: D1Database,
  { dataType, tradedate, name }: FilePlace,
): Promise<string | null> {
  const sql = `SELECT name FROM day_files WHERE data_type = ?1 AND tradedate = ?2 AND lower(name) = lower(?3)
    AND name <> ?3 AND state <> 'uploaded' LIMIT 1`;
  return db.prepare(sql).bind(dataType, tradedate, name).first<string>("name");
}

/**
 * Moves a checked file to `verifying`. Returns false when another upload of it, or a file whose name differs only in
 * case, was accepted meanwhile.
 */
export async function acceptFile(db: D1Database, { place, upload }: ArrivedFile, by: By): Promise<boolean> {
  const { uploadId, objectId, revision, sizeBytes, sha256 } = upload;
  const free = (first: number) => `NOT ${CASE_TWIN(`?${first}`, `?${first + 1}`, `?${first + 2}`)}`;
  const named = [place.dataType, place.tradedate, place.name];
  const claimed: Guard = {
    sql: `EXISTS (SELECT 1 FROM uploads WHERE upload_id = ?7 AND state = 'completing') AND ${free(8)}`,
    values: [uploadId, ...named],
  };
  const after = { revision, state: "verifying", sizeBytes, sha256 };
  const [, , claim] = await db.batch([
    auditStatement(db, entryOf(by, "file.add", place, null, after), claimed),
    db
      .prepare(
        `UPDATE day_files SET state = 'verifying' WHERE file_id = ?1 AND state = 'uploaded'
         AND EXISTS (SELECT 1 FROM uploads WHERE upload_id = ?2 AND state = 'completing') AND ${free(3)}`,
      )
      .bind(objectId, uploadId, ...named),
    db
      .prepare(
        `UPDATE uploads SET state = 'served' WHERE upload_id = ?1 AND state = 'completing' AND ${free(2)}`,
      )
      .bind(uploadId, ...named),
  ]);
  return claim?.meta.changes === 1;
}

const AT = "data_type = ?1 AND tradedate = ?2 AND name = ?3";

/** A revision whose state may change: no newer one has replaced it. */
const MOVABLE = `${AT} AND revision = ?4 AND state = ?5 AND replaced_at_ms IS NULL`;

/**
 * An SQL condition: withdrawals allow publishing, and the builder (`?4`) finds no operator's file. Values `?1` to `?7`:
 * the target, the SHA-256, whether it is forced, whether the builder asks, and the place.
 */
const UNDECIDED = `${allowedSql("?1", "?2", "?3")} AND NOT (?4 AND EXISTS (SELECT 1 FROM day_files
  WHERE data_type = ?5 AND tradedate = ?6 AND name = ?7 AND state <> 'uploaded' AND replaced_at_ms IS NULL
    AND NOT (${IS_BUILT})))`;

/**
 * Publishes this revision, replacing older ones; downloads that have begun can finish. Returns false and changes
 * nothing when its state has changed, a withdrawal prevents it, or `origin` is the builder and an operator's revision
 * exists in any state. A withdrawal of this content ends when the named revision is the withdrawn one.
 */
export async function publishFile(
  db: D1Database,
  file: StoredFile,
  { isForced, origin, ...by }: By & { isForced: boolean; origin: FileOrigin },
): Promise<boolean> {
  const { dataType, tradedate, name, revision, state, sha256 } = file;
  const target = fileTarget(file);
  const isBuilder = origin === "builder" ? 1 : 0;
  const decision = [target, sha256, isForced ? 1 : 0, isBuilder, dataType, tradedate, name];
  const allowed = (first: number): Guard => ({
    sql: state === "withdrawn" ? "TRUE" : shifted(UNDECIDED, first),
    values: state === "withdrawn" ? [] : decision,
  });
  const move = (sql: string) =>
    db.prepare(sql).bind(dataType, tradedate, name, revision, state, by.nowMs, ...allowed(7).values);
  const isOffered = (first: number) =>
    `EXISTS (SELECT 1 FROM day_files WHERE ${shifted(AT, first)} AND revision = ?${first + 3} AND state = 'published'
       AND replaced_at_ms IS NULL)`;
  const offered = [dataType, tradedate, name, revision];
  const [, , published] = await db.batch([
    moved(db, file, by, {
      action: "file.publish",
      after: { revision, state: "published" },
      allowed: allowed(12),
    }),
    move(
      `UPDATE day_files SET replaced_at_ms = ?6
       WHERE ${AT} AND revision < ?4 AND replaced_at_ms IS NULL AND ${allowed(7).sql}
         AND EXISTS (SELECT 1 FROM day_files WHERE ${MOVABLE})`,
    ),
    move(
      `UPDATE day_files SET state = 'published', state_note = '', published_at_ms = ?6
       WHERE ${MOVABLE} AND ${allowed(7).sql}`,
    ),
    db
      .prepare(`DELETE FROM withdrawals WHERE target = ?1 AND content = ?2 AND ${isOffered(3)}`)
      .bind(target, sha256, ...offered),
    servedStatement(db, target, isOffered(2), offered),
  ]);
  return changed(published);
}

/** Returns `sql` with its values numbered from `first` on. */
function shifted(sql: string, first: number): string {
  return sql.replaceAll(/\?(\d)/g, (_, n) => `?${Number(n) + first - 1}`);
}

/**
 * Withdraws this revision, including downloads that have begun. Returns false when its state has changed. Its content
 * is not offered again until an operator publishes this revision; the file's open upload ends.
 */
export async function withdrawFile(
  db: D1Database,
  file: StoredFile,
  { note, ...by }: By & { note: string },
): Promise<boolean> {
  const { dataType, tradedate, name, revision, state, sha256 } = file;
  const after = { revision, state: "withdrawn", note };
  const movable = (first: number): Guard => ({
    sql: `EXISTS (SELECT 1 FROM day_files WHERE ${shifted(MOVABLE, first)})`,
    values: [dataType, tradedate, name, revision, state],
  });
  const decision = { revision, atMs: by.nowMs, actor: by.actor.name, note };
  const results = await db.batch([
    moved(db, file, by, { action: "file.withdraw", after }),
    ...withdrawStatements(db, { target: fileTarget(file), content: sha256 }, decision, movable),
    db
      .prepare(`UPDATE day_files SET state = 'withdrawn', state_note = ?6 WHERE ${MOVABLE}`)
      .bind(dataType, tradedate, name, revision, state, note),
  ]);
  return changed(results.at(-1));
}

function moved(
  db: D1Database,
  file: StoredFile,
  by: By,
  { action, after, allowed }: { action: string; after: object; allowed?: Guard },
): D1PreparedStatement {
  const { dataType, tradedate, name, revision, state } = file;
  const guard: Guard = {
    sql: `EXISTS (SELECT 1 FROM day_files WHERE data_type = ?7 AND tradedate = ?8 AND name = ?9
      AND revision = ?10 AND state = ?11 AND replaced_at_ms IS NULL) AND ${allowed?.sql ?? "TRUE"}`,
    values: [dataType, tradedate, name, revision, state, ...(allowed?.values ?? [])],
  };
  return auditStatement(db, entryOf(by, action, file, { revision, state }, after), guard);
}

function entryOf(by: By, action: string, place: FilePlace, before: object | null, after: object) {
  return { atMs: by.nowMs, actor: by.actor, action, subject: fileTarget(place), before, after };
}

/** Returns whether the statement changed rows; changes by the triggers of the catalog revision count too. */
function changed(result: D1Result | undefined): boolean {
  return (result?.meta.changes ?? 0) > 0;
}
