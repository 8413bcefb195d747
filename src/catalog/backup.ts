/** The content of a backup: its tables, their columns, and the keys in whose order the rows are read by page. */
import { plain, sql, type Value } from "./sql.ts";

export interface BackupTable {
  name: string;
  columns: readonly string[];
  /** The primary key. */
  key: readonly string[];
  /** The maximum number of rows in a page; tables whose rows contain long lists have small pages. */
  pageRows: number;
  /** Key columns that backups of earlier releases lack. Rows from such a backup get the column's default. */
  defaulted?: readonly string[];
  /** The column with the id of an upload, pack or file, which a restore replaces with a new id. */
  id?: string;
}

const PAGE_ROWS = 1_000;
/** The page size of tables whose rows can contain thousands of codes or days. */
const LONG_PAGE_ROWS = 100;

function table(name: string, key: string, columns: string, more: Partial<BackupTable> = {}): BackupTable {
  const names = (text: string) => text.split(" ");
  return { name, key: names(key), columns: names(`${key} ${columns}`), pageRows: PAGE_ROWS, ...more };
}

/** The tables in the order of a restore: referenced tables come first. A backup reads them in reverse order. */
export const BACKUP_TABLES: readonly BackupTable[] = [
  table("plans", "plan", "requests files"),
  table("accounts", "account_id", "contact note own_limits created_at_ms disabled_at_ms"),
  table(
    "api_keys",
    "sha256",
    "key_id account_id name first_characters created_at_ms expires_at_ms revoked_at_ms last_used_at_ms",
  ),
  table("subscriptions", "account_id plan start_ms", "end_ms"),
  table(
    "admin_tokens",
    "sha256",
    "name scope first_characters created_at_ms created_by last_used_at_ms revoked_at_ms",
  ),
  table("trading_days", "day", "open source"),
  table(
    "uploads",
    "object_id",
    "upload_id target revision object_key r2_upload_id state state_note size_bytes sha256 claims forced begun_at_ms",
    { id: "object_id" },
  ),
  table("upload_parts", "upload_id n", "size_bytes sha256 etag claimed_at_ms"),
  table(
    "day_packs",
    "pack_id",
    "dataset tradedate object_key etag size_bytes sha256 build_id rows securities degraded builder_version sources_sha256",
    { id: "pack_id" },
  ),
  table("day_revisions", "dataset tradedate revision", "pack_id published_at_ms replaced_at_ms", {
    id: "pack_id",
    defaulted: ["dataset"],
  }),
  table("order_days", "dataset tradedate", "revision pack_id state state_note", {
    id: "pack_id",
    defaulted: ["dataset"],
  }),
  table("revision_floors", "target", "revision"),
  table("withdrawals", "target content", "revision at_ms actor note standing"),
  table("damaged_packs", "object_key", "at_ms note"),
  table("day_changes", "change_id", "at_ms dataset tradedate kind revision previous added removed changed", {
    pageRows: LONG_PAGE_ROWS,
  }),
  table(
    "day_files",
    "file_id",
    "data_type tradedate name revision object_key etag size_bytes sha256 state state_note uploaded_at_ms published_at_ms replaced_at_ms",
    { id: "file_id" },
  ),
  table(
    "shares",
    "share_id",
    "account_id data_type year generation secret_version created_at_ms revoked_at_ms",
  ),
  table(
    "external_shares",
    "data_type year",
    "first_day last_day file_count size_bytes url secret_version sealed_password expires_at_ms set_at_ms",
  ),
  table("usage", "day account_id service", "requests files bytes"),
  table("audit", "audit_id", "at_ms actor_kind actor action subject before after", {
    pageRows: LONG_PAGE_ROWS,
  }),
];

export interface BackupPage {
  /** Values in the order of the table's columns. */
  rows: Value[][];
  /** The key of the last row when more rows can follow, else null. */
  next: Value[] | null;
}

/** The maximum size of a page's JSON. A restore stores a page as one value, and D1 accepts values of up to 2 MB. */
const PAGE_BYTES = 900_000;

/** Returns a page of the table's rows in the order of their keys, after the key `after` or, if null, from the start. */
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

/** Returns a number that every audited change changes. A backup is consistent if it is the same before and after. */
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
