/** The content of a backup: the tables, their columns, and the keys in whose order the rows are read, page by page. */

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

/**
 * The tables in the order in which they are restored: referenced tables come first. A backup reads them in reverse
 * order.
 */
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
