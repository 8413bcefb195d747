/**
 * The files in shares: operators' daily files and, for level2, also the day packs. A day pack in a share is the same
 * object from which the history interfaces are served. Reads go to the primary, so that a withdrawal takes effect
 * immediately.
 */
import { REPLACED_KEPT_MS } from "../base/retention.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { DataType } from "../entitlement/data-types.ts";
import { soundSql } from "./decisions.ts";
import type { PackQuality } from "./publish-day.ts";
import { decoded, type Part, part, rows, sql } from "./sql.ts";

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

/**
 * A revision that may be downloaded. It is the current one, or it was replaced less than 7 days ago and neither
 * withdrawn nor found damaged.
 */
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
 * Returns the query for the current revisions, and for those replaced after `replacedAfterMs`. A day pack replaces an
 * operator's file of the same name, because such names were allowed before packs of trades existed. `dataType` is a
 * value or an expression.
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

/** Returns the query for the versions of a file that may be downloaded at `nowMs`, the current one first. */
function versionsAt(
  dataType: string | Part,
  { tradedate, name }: Pick<FilePlace, "tradedate" | "name">,
  nowMs: number,
): Part {
  const versions = versionsOf(dataType, { from: tradedate, to: tradedate }, nowMs - REPLACED_KEPT_MS);
  return part`
    SELECT * FROM (${versions}) WHERE name = ${name} ORDER BY replacedAtMs IS NOT NULL, revision DESC`;
}

/**
 * Returns the versions of the file at `place` that may be downloaded at `nowMs` (Unix milliseconds). The current one
 * comes first, then those replaced less than 7 days ago, newest first. The list is empty when the file is not offered.
 * The caller checks the plan's window.
 */
export async function fileVersions(db: D1Database, place: FilePlace, nowMs: number): Promise<FileVersion[]> {
  return fileVersionsOf(await sql(db)`${versionsAt(place.dataType, place, nowMs)}`.all());
}

/**
 * Returns the statement of `fileVersions` for a file of the share's type, so that share and file are read in one batch;
 * pass its result to `fileVersionsOf`.
 */
export function fileVersionsStatement(
  db: D1Database,
  { shareId, ...place }: { shareId: string; tradedate: BeijingDate; name: string },
  nowMs: number,
): D1PreparedStatement {
  const dataType = part`(SELECT data_type FROM shares WHERE share_id = ${shareId})`;
  return sql(db)`${versionsAt(dataType, place, nowMs)}`;
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
