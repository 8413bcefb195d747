/** Reads the catalog for a backup, page by page. */
import { BACKUP_TABLES, type BackupTable } from "./backup-tables.ts";

/** A value of any column: the backup holds no bytes. */
export type Value = string | number | null;

export interface BackupPage {
  /** Values in the order of the table's columns. */
  rows: Value[][];
  /** The key of the last row when more may follow, else null. */
  next: Value[] | null;
}

/** Bytes of JSON in a page: D1 takes values of up to 2 MB, and a restore keeps each page as one. */
const PAGE_BYTES = 900_000;

/** Returns the rows of `table` behind the key `after` (null: from the first one), in the order of the key. */
export async function backupPage(
  db: D1Database,
  { name, columns, key, pageRows }: BackupTable,
  after: Value[] | null,
): Promise<BackupPage> {
  const behind =
    after === null ? "" : `WHERE (${key.join(", ")}) > (${key.map((_, n) => `?${n + 2}`).join(", ")})`;
  const { results } = await db
    .prepare(
      `SELECT json_array(${columns.join(", ")}) AS row FROM ${name} ${behind} ORDER BY ${key.join(", ")} LIMIT ?1`,
    )
    .bind(pageRows, ...(after ?? []))
    .all<{ row: string }>();
  const count = fitting(results.map(({ row }) => row));
  const rows = results.slice(0, count).map(({ row }) => JSON.parse(row) as Value[]);
  const last = rows.at(-1);
  const keyOf = (row: Value[]) => key.map((column) => row[columns.indexOf(column)] ?? null);
  const isEnd = count === results.length && results.length < pageRows;
  return { rows, next: last === undefined || isEnd ? null : keyOf(last) };
}

/** Returns how many of `texts` make one page: at least one where there is any. */
function fitting(texts: readonly string[]): number {
  let bytes = 0;
  const end = texts.findIndex((text, place) => {
    bytes += Buffer.byteLength(text) + 1;
    return place > 0 && bytes > PAGE_BYTES;
  });
  return end === -1 ? texts.length : end;
}

/** Changes with every change that the audit knows of: a backup during which it stays is of one moment. */
export async function backupMoment(db: D1Database): Promise<number> {
  const row = await db.prepare("SELECT max(audit_id) AS last FROM audit").first<{ last: number | null }>();
  return row?.last ?? 0;
}

/** Tables that say whether a deployment is in use; plans are there from the beginning. */
const IN_USE = BACKUP_TABLES.filter(({ name }) => name !== "plans" && name !== "audit");

/** Names of tables that hold something; none in a deployment that was just made. */
export async function tablesInUse(db: D1Database): Promise<string[]> {
  // Columns of one row: D1 takes only few terms in a compound SELECT.
  const columns = IN_USE.map(({ name }) => `EXISTS (SELECT 1 FROM ${name}) AS ${name}`);
  const row = await db.prepare(`SELECT ${columns.join(", ")}`).first<Record<string, number>>();
  return IN_USE.map(({ name }) => name).filter((name) => row?.[name] === 1);
}
