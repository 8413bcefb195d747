/** Reads the catalog for a backup, page by page. */
import { BACKUP_TABLES, type BackupTable } from "./backup-tables.ts";
import { plain, sql, type Value } from "./sql.ts";

export interface BackupPage {
  /** Values in the order of the table's columns. */
  rows: Value[][];
  /** The key of the last row when more rows can follow, else null. */
  next: Value[] | null;
}

/**
 * The maximum size of a page's JSON in bytes. A restore stores each page as one value, and D1 accepts values of up to 2
 * MB.
 */
const PAGE_BYTES = 900_000;

/**
 * Returns a page of the table's rows in the order of their keys. It begins after the row with the key `after`, or at
 * the first row if `after` is null.
 */
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

/** Returns how many of `texts` fit in one page: at least 1, unless `texts` is empty. */
function fitting(texts: readonly string[]): number {
  let bytes = 0;
  const end = texts.findIndex((text, place) => {
    bytes += Buffer.byteLength(text) + 1;
    return place > 0 && bytes > PAGE_BYTES;
  });
  return end === -1 ? texts.length : end;
}

/**
 * Returns a number that changes with every audited change. A backup is consistent if the number is the same before and
 * after the backup is read.
 */
export async function backupMoment(db: D1Database): Promise<number> {
  const row = await sql(db)`SELECT max(audit_id) AS last FROM audit`.first<{ last: number | null }>();
  return row?.last ?? 0;
}

/**
 * Tables whose rows show that a deployment is in use. Plans are left out, because every deployment has them. The audit
 * is left out, because a restore keeps its entries.
 */
const IN_USE = BACKUP_TABLES.filter(({ name }) => name !== "plans" && name !== "audit");

/** Returns the names of tables with rows; empty for a new deployment. */
export async function tablesInUse(db: D1Database): Promise<string[]> {
  // One row with a column per table, not a UNION of rows, because D1 limits the terms of a compound SELECT.
  const columns = IN_USE.map(({ name }) => `EXISTS (SELECT 1 FROM ${name}) AS ${name}`);
  const row = await sql(db)`SELECT ${plain(columns.join(", "))}`.first<Record<string, number>>();
  return IN_USE.map(({ name }) => name).filter((name) => row?.[name] === 1);
}
