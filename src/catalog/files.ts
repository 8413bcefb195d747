/**
 * The files in shares: operators' daily files and, for level2, the day packs, the same objects from which the histories
 * are served. Reads go to the primary, so that a withdrawal takes effect immediately.
 */
import { REPLACED_KEPT_MS } from "../base/retention.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { DataType } from "../entitlement/data-types.ts";
import type { By } from "./accounts.ts";
import { audited, auditStatement } from "./audit.ts";
import { allowedSql, servedStatement, soundSql, withdrawStatements } from "./decisions.ts";
import type { PackQuality } from "./publish-day.ts";
import { decoded, type Part, part, rows, sql } from "./sql.ts";
import type { Upload } from "./uploads.ts";

/** The place of a file in a share: `<tradedate>/<name>`. */
export interface FilePlace {
  dataType: DataType;
  tradedate: BeijingDate;
  name: string;
}

/** The current revision of an offered file. */
export interface CoveredFile extends FilePlace {
  /** Counts from 1; for a pack it is the day's revision. */
  revision: number;
  objectKey: string;
  /** The object's etag in R2, without quotes, for conditional reads. */
  etag: string;
  sizeBytes: number;
  /** 64 hex digits. */
  sha256: string;
  publishedAtMs: number;
  /** The pack in `day_securities`; null for operators' files. */
  packId: number | null;
  /** The pack's build id; null for operators' files. */
  buildId: string | null;
}

/** A revision that may be downloaded: the current one, or one replaced in the last 7 days, not withdrawn or damaged. */
export interface FileVersion extends CoveredFile {
  /** When the revision was replaced; null for the current one. */
  replacedAtMs: number | null;
}

/** A current file; a pack also has the result of the day's quality check, if one ran. */
export interface ListedFile extends CoveredFile {
  quality: PackQuality | null;
}

/** Files of one type from `from` to `to`, both Beijing days inclusive. */
export interface CoverageQuestion {
  dataType: DataType;
  from: BeijingDate;
  to: BeijingDate;
}

/** Returns the file name of a dataset's pack in a level2 share. Operators cannot give this name to a file. */
export function packName(tradedate: BeijingDate, dataset: DatasetName): string {
  return `${tradedate}_${dataset}.parquet`;
}

/**
 * Returns the query for the current revisions and those replaced after `replacedAfterMs`. A day pack replaces an
 * operator's file of the same name, which earlier versions allowed. `dataType` is a value or an expression.
 */
function versionsOf(
  dataType: string | Part,
  { from, to }: { from: BeijingDate; to: BeijingDate },
  replacedAfterMs = Number.MAX_SAFE_INTEGER,
): Part {
  return part`
  SELECT 'level2' AS dataType, d.tradedate, d.tradedate || '_' || d.dataset || '.parquet' AS name, r.revision,
    p.object_key AS objectKey, p.etag, p.size_bytes AS sizeBytes, p.sha256,
    r.published_at_ms AS publishedAtMs, p.pack_id AS packId, p.build_id AS buildId, r.replaced_at_ms AS replacedAtMs
  FROM order_days d
  JOIN day_revisions r ON r.dataset = d.dataset AND r.tradedate = d.tradedate
  JOIN day_packs p ON p.pack_id = r.pack_id
  WHERE ${dataType} = 'level2' AND d.tradedate BETWEEN ${from} AND ${to} AND d.state = 'available'
    AND (r.revision = d.revision OR (r.replaced_at_ms > ${replacedAfterMs}
      AND NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.target = d.dataset || '/' || d.tradedate AND w.content = p.build_id)
      AND ${soundSql(part`p.object_key`)}))
  UNION ALL
  SELECT data_type, tradedate, name, revision, object_key, etag, size_bytes, sha256, published_at_ms, NULL, NULL,
    replaced_at_ms
  FROM day_files
  WHERE data_type = ${dataType} AND tradedate BETWEEN ${from} AND ${to} AND state = 'published'
    AND (replaced_at_ms IS NULL OR replaced_at_ms > ${replacedAfterMs})
    AND NOT (data_type = 'level2' AND EXISTS (SELECT 1 FROM order_days o
      WHERE o.tradedate = day_files.tradedate AND day_files.name = o.tradedate || '_' || o.dataset || '.parquet'))`;
}

/** Returns the offered files, sorted by day, then name. Withdrawn, unverified and damaged files are not offered. */
export async function coveredFiles(db: D1Database, question: CoverageQuestion): Promise<ListedFile[]> {
  const found = await rows(sql(db)`
    SELECT *, (SELECT claims ->> 'quality' FROM uploads WHERE object_id = packId) AS quality
    FROM (${versionsOf(question.dataType, question)}) ORDER BY tradedate, name`);
  return found.map(({ replacedAtMs: _, ...row }) => decoded<ListedFile>(row, ["quality"]));
}

/** A summary of the files in a share (contract 8.1). Without files both days are null. */
export interface Coverage {
  fileCount: number;
  sizeBytes: number;
  firstDay: BeijingDate | null;
  lastDay: BeijingDate | null;
}

/** Returns the number, the total size, and the first and last day of the files that `coveredFiles` would return. */
export async function coverageOf(db: D1Database, question: CoverageQuestion): Promise<Coverage> {
  const coverage = await sql(db)`
    SELECT count(*) AS fileCount, coalesce(sum(sizeBytes), 0) AS sizeBytes,
      min(tradedate) AS firstDay, max(tradedate) AS lastDay
    FROM (${versionsOf(question.dataType, question)})`.first<Coverage>();
  if (coverage === null) throw new Error("the coverage query returned no row, but must return one");
  return coverage;
}

/**
 * Returns the versions of the file at `place` that may be downloaded at `nowMs` (Unix milliseconds). The current one
 * comes first, then those replaced less than 7 days ago, newest first. The list is empty when the file is not offered.
 * The caller checks the plan's window.
 */
export async function fileVersions(db: D1Database, place: FilePlace, nowMs: number): Promise<FileVersion[]> {
  return fileVersionsOf(await fileVersionsStatement(db, place, nowMs).all());
}

/**
 * Returns the SQL of the data type of a share, so that `fileVersionsStatement` can run in one batch with the statement
 * that reads the share.
 */
export function typeOfShare(shareId: string): Part {
  return part`(SELECT data_type FROM shares WHERE share_id = ${shareId})`;
}

/** Returns the statement of `fileVersions`; pass its result to `fileVersionsOf`. `dataType` is a value or SQL. */
export function fileVersionsStatement(
  db: D1Database,
  { dataType, tradedate, name }: Omit<FilePlace, "dataType"> & { dataType: string | Part },
  nowMs: number,
): D1PreparedStatement {
  const versions = versionsOf(dataType, { from: tradedate, to: tradedate }, nowMs - REPLACED_KEPT_MS);
  return sql(db)`
    SELECT * FROM (${versions}) WHERE name = ${name} ORDER BY replacedAtMs IS NOT NULL, revision DESC`;
}

/** Returns the versions in the result of `fileVersionsStatement`; none when the file has no current version. */
export function fileVersionsOf(result: D1Result | undefined): FileVersion[] {
  const versions = (result?.results ?? []) as FileVersion[];
  return versions[0]?.replacedAtMs === null ? versions : [];
}

/** Returns the statement that reads the catalog revision, which changes with every change of offered files. */
export function catalogRevisionStatement(db: D1Database): D1PreparedStatement {
  return sql(db)`SELECT revision FROM catalog_revision`;
}

/** Returns the number in the result of `catalogRevisionStatement`. */
export function catalogRevisionOf(result: D1Result | undefined): number {
  const [row] = (result?.results ?? []) as { revision: number }[];
  if (row === undefined) throw new Error("the catalog has no revision row");
  return row.revision;
}

/** `uploaded`: being checked. `verifying`: checked, to be published by an operator. Only `published` is offered. */
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
export function fileObjectKey(place: FilePlace, revision: number, origin: FileOrigin = "operator"): string {
  const { dataType, tradedate, name } = place;
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

/** Returns the unreplaced revisions of a type's files for the days `from` to `to`, both inclusive. */
export async function storedFiles(db: D1Database, question: CoverageQuestion): Promise<StoredFile[]> {
  const { dataType, from, to } = question;
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
export async function enterFile(db: D1Database, file: ArrivedFile, nowMs: number): Promise<void> {
  const { place, upload, etag } = file;
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
 * Moves a checked file to `verifying`. Returns false when the upload is no longer `completing`, or when the day has a
 * file whose name differs only in case.
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

/** Returns the condition that neither a withdrawal nor, for the builder, an operator's file forbids publishing. */
function isUndecided(file: StoredFile, isForced: boolean, origin: FileOrigin): Part {
  const allowed = allowedSql(fileTarget(file), file.sha256, isForced ? 1 : 0);
  if (origin !== "builder") return allowed;
  return part`${allowed} AND NOT EXISTS (SELECT 1 FROM day_files
    WHERE ${at(file)} AND state <> 'uploaded' AND NOT (${IS_BUILT}))`;
}

/**
 * Publishes this revision, which replaces the older ones. Downloads of an older revision that have begun can finish.
 * Returns false and changes nothing when its state has changed, a withdrawal forbids it, or `origin` is the builder and
 * an operator's revision has passed its checks. Publishing a withdrawn revision ends its withdrawal.
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
  return (published?.meta.changes ?? 0) > 0;
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
  const guard = part`EXISTS (SELECT 1 FROM day_files WHERE ${isMovable(file)})`;
  const entry = {
    action: "file.withdraw",
    subject: target,
    before: { revision, state },
    after: { revision, state: "withdrawn", note },
    guard,
  };
  const decision = { revision, atMs: by.nowMs, actor: by.actor.name, note };
  return audited(db, by, entry, [
    ...withdrawStatements(db, { target, content: sha256 }, decision, guard),
    sql(db)`UPDATE day_files SET state = 'withdrawn', state_note = ${note} WHERE ${isMovable(file)}`,
  ]);
}
