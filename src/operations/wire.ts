/**
 * Types of `data` in the answers besides history pages, used by the operations, `/openapi.json` and the TypeScript
 * client.
 */
import type { DatasetName, HistoryName } from "../datasets/registry.ts";
import type { DataType } from "../entitlement/data-types.ts";
import type { PlanName } from "../entitlement/principal.ts";
import type { Market } from "../orders/record.ts";

/** Days from `from` to `to` as YYYYMMDD, both inclusive; `from` is null for all history. */
export interface DayWindow {
  from: string | null;
  to: string;
}

/** A daily counter; null means unlimited. `used` includes credited requests. */
export interface Counter {
  limit: number | null;
  used: number;
  credited: number;
  left: number | null;
}

/** The counters of one interface on one Beijing day. */
export interface Quota {
  interface: string;
  /** The Beijing day of the counters. */
  day: string;
  /** JSON and Parquet requests together. Null while no plan is in force. */
  requests: Counter | null;
  /** Parquet files. */
  files: Counter | null;
  /** Whole seconds until the counters reset. */
  resets_in: number;
  /** Whether a request is in progress, so that another one would be `slot_busy`. */
  busy: boolean;
}

/** A finished request, served or refused. */
export interface LastRequest {
  /** RFC 3339, Beijing time. */
  time: string;
  request_id: string;
  interface: string | null;
  code: number;
  /** `success`, or a refusal's reason as in `X-Reason`. */
  reason: string;
  /** Null for a refusal before the security was known. */
  symbol: string | null;
  tradedate: string | null;
  /** Number of rows served; 0 for a refusal. */
  rows: number;
}

/** `data` of `account_info`. */
export interface AccountInfo {
  account_id: string;
  /** The id of the calling key, never the key; null for a holder signed in at the console. */
  key_id: string | null;
  /** The plan in force, else the one that ended last; null without any. */
  plan: PlanName | null;
  plan_state: "active" | "expired" | "none";
  /** When that plan ends or ended (RFC 3339, Beijing time, exclusive). */
  plan_ends_at: string | null;
  /** The readable days of each service; null when the plan does not include it. */
  windows: Record<HistoryName | DataType, DayWindow | null>;
  /** One for each interface with a slot, orders first. */
  quotas: Quota[];
  /** At most 20, newest first: accepted requests, and refused ones as far as stored. */
  last_requests: LastRequest[];
}

/** A dataset of a day of `data_status`. */
export interface StatusDataset {
  /**
   * `available`, `degraded` (served without broken rows of the delivery), `pending` (an expected trading day or one
   * being loaded), `missing` (an earlier trading day that is not loaded), `withdrawn`, `damaged`.
   */
  state: "available" | "degraded" | "pending" | "missing" | "withdrawn" | "damaged";
  /** Null unless `available` or `degraded`, like the following members. */
  revision: number | null;
  /** The pack's build id, 32 hex digits; equal only for equal content, also across deployments. */
  build_id: string | null;
  rows: number | null;
  securities: number | null;
  /** The size of the whole day's pack. */
  size_bytes: number | null;
  /** RFC 3339, Beijing time. */
  published_at: string | null;
  /** The verdict of the check of orders against trades, with what failed in one sentence; null where none ran. */
  quality: { verdict: "passed" | "failed" | "not_provable"; summary: string } | null;
}

/** A day of `data_status`: its date and the state of orders, and in `datasets` the state of every dataset. */
export interface StatusDay extends StatusDataset {
  tradedate: string;
  datasets: Record<DatasetName, StatusDataset>;
}

/** `data` of `data_status`. */
export interface DataStatus {
  /** YYYYMM. */
  month: string;
  /** The first day that the plan covers; null for all history. */
  window_from: string | null;
  /** Trading days up to today inside the window, oldest first, without days that have neither trading nor data. */
  days: StatusDay[];
}

/** A change of a readable day of a dataset. */
export interface Change {
  /** Increases with every change of any day. */
  change: number;
  /** RFC 3339, Beijing time. */
  at: string;
  dataset: DatasetName;
  tradedate: string;
  /** `published`, `restored` (earlier content is served again), `withdrawn`, `damaged`. */
  kind: "published" | "restored" | "withdrawn" | "damaged";
  /** The new revision, or the one that is no longer served. */
  revision: number;
  /** The previous revision; null for a day's first one. */
  previous: number | null;
  /** The build id of `revision`; null when the service no longer has that revision. */
  build_id: string | null;
  /** The securities that differ from the previous revision, such as `600519.SH`; null without one. */
  securities: { added: string[]; removed: string[]; changed: string[] } | null;
}

/** `data` of `data_changes`. */
export interface DataChanges {
  /** Changes in order. */
  changes: Change[];
  /** The value of `after` for the next request, which then neither skips nor repeats a change. */
  next_after: number;
  /** Whether further changes follow. */
  has_more: boolean;
}

/**
 * A range of possible values, both ends inclusive. The ends are equal for a whole day; in a window single rows are not
 * read.
 */
export interface Range {
  at_least: number;
  at_most: number;
}

/** `data` of `order_history_estimate` and the estimates of the other datasets. */
export interface Estimate {
  symbol: string;
  market: Market;
  tradedate: string;
  revision: number;
  /** HHMMSSmmm; the start inclusive, the end exclusive. */
  start_time: string;
  end_time: string;
  /** Number of rows in the window. */
  rows: Range;
  page_size: number;
  /** Number of JSON pages; a window without rows takes one page. */
  pages: Range;
  /** The size of the Parquet file with all fields, which always holds the whole day. */
  parquet_bytes: number;
  /** The cost in today's counters. */
  cost: { json: { requests: Range }; parquet: { requests: 1; files: 1 } };
  /** The remaining counters; null for unlimited. */
  left_today: { requests: number | null; files: number | null };
  /** Whole seconds until the counters reset. */
  resets_in: number;
}

/** The share of `file_download`: the eleven fields of contract 8.1. */
export interface ShareResult {
  status: "ready" | "preparing";
  data_type: DataType;
  year: number;
  /** The days of the first and the last covered file, YYYYMMDD. */
  start_date: string;
  end_date: string;
  file_count: number;
  size_bytes: number;
  url: string;
  password: string;
  /** RFC 3339 in Beijing time, exclusive. */
  expires_at: string;
  /** Whole seconds; 0 when ready. */
  retry_after: number;
}
