/**
 * `data` of the answers beside order history's pages, as callers read it: what the operations make, what
 * `/openapi.json` describes, and what the TypeScript client gives. Types only.
 */
import type { DatasetName } from "../datasets/registry.ts";
import type { DataType } from "../entitlement/data-types.ts";
import type { PlanName } from "../entitlement/principal.ts";
import type { Market } from "../orders/record.ts";

/** From `from` to `to`, days as YYYYMMDD, both included; a `from` of null: all history. */
export interface DayWindow {
  from: string | null;
  to: string;
}

/** A daily counter; null: unlimited. What was credited is in `used` as well. */
export interface Counter {
  limit: number | null;
  used: number;
  credited: number;
  left: number | null;
}

/** The counters of one interface on one Beijing day. */
export interface Quota {
  interface: string;
  /** The Beijing day that is counted. */
  day: string;
  /** JSON and Parquet together. Null while no plan is in force. */
  requests: Counter | null;
  /** Parquet files. */
  files: Counter | null;
  /** Whole seconds until the counters reset. */
  resets_in: number;
  /** Whether a request of the account is in progress, so that another one is `slot_busy`. */
  busy: boolean;
}

/** One request that ended, served or refused. */
export interface LastRequest {
  /** RFC 3339, Beijing time. */
  time: string;
  request_id: string;
  interface: string | null;
  code: number;
  /** `success`, or a refusal's reason as in `X-Reason`. */
  reason: string;
  /** Null for a refusal before the security or the day was known. */
  symbol: string | null;
  tradedate: string | null;
  /** Rows served; 0 for a refusal. */
  rows: number;
}

/** `data` of `account_info`. */
export interface AccountInfo {
  account_id: string;
  /** The key that asks: its id, never the key; null for a holder signed in at the console. */
  key_id: string | null;
  /** The plan in force; when none is, the one that ended last; null without any. */
  plan: PlanName | null;
  plan_state: "active" | "expired" | "none";
  /** When that plan ends or ended (RFC 3339, Beijing time, exclusive). */
  plan_ends_at: string | null;
  /** Days that each service may give now; null: nothing. */
  windows: Record<
    "level2_order_history" | "auction_tick" | "level2" | "level2_trade_history",
    DayWindow | null
  >;
  /** One of each interface with a slot, orders first. */
  quotas: Quota[];
  /** At most 20, the newest first: the accepted ones, and refused ones as far as they were kept. */
  last_requests: LastRequest[];
}

/** A dataset of a day of `data_status`. */
export interface StatusDataset {
  /**
   * `available`, `degraded` (served; the delivery had broken rows that were left out), `pending` (a trading day
   * that is expected or being loaded), `missing` (an earlier one that is not there), `withdrawn`, `damaged`.
   */
  state: "available" | "degraded" | "pending" | "missing" | "withdrawn" | "damaged";
  /** Null unless `available` or `degraded`, as are the following. */
  revision: number | null;
  /** The pack's build id, 32 hex digits: equal only for equal contents, also between deployments. */
  build_id: string | null;
  rows: number | null;
  securities: number | null;
  /** Of the whole day's pack. */
  size_bytes: number | null;
  /** RFC 3339, Beijing time. */
  published_at: string | null;
}

/** A day of `data_status`: what it says of orders beside its date, and of every dataset, orders again among them. */
export interface StatusDay extends StatusDataset {
  tradedate: string;
  datasets: Record<DatasetName, StatusDataset>;
}

/** `data` of `data_status`. */
export interface DataStatus {
  /** YYYYMM. */
  month: string;
  /** The first day that the plan covers; null: all history. */
  window_from: string | null;
  /** Trading days up to today inside the window, oldest first; days without trading or data are not listed. */
  days: StatusDay[];
}

/** One change of a dataset's day that may be read. */
export interface Change {
  /** Grows with every change of any day. */
  change: number;
  /** RFC 3339, Beijing time. */
  at: string;
  dataset: DatasetName;
  tradedate: string;
  /** `published`, `restored` (an earlier content again), `withdrawn`, `damaged`. */
  kind: "published" | "restored" | "withdrawn" | "damaged";
  /** The revision it made, or the one that is no longer served. */
  revision: number;
  /** The revision before it; null for a day's first one. */
  previous: number | null;
  /** The build id of `revision`; null when the service no longer has that revision. */
  build_id: string | null;
  /** Which securities differ from the revision before, as `600519.SH`; null where there is nothing to compare. */
  securities: { added: string[]; removed: string[]; changed: string[] } | null;
}

/** `data` of `data_changes`. */
export interface DataChanges {
  /** In the order they happened. */
  changes: Change[];
  /** To be given as `after` next time: nothing is lost and nothing comes twice. */
  next_after: number;
  /** Whether more of them wait. */
  has_more: boolean;
}

/** A number that is known as a range, both ends included. Equal for a whole day: times of single rows are not looked at. */
export interface Range {
  at_least: number;
  at_most: number;
}

/** `data` of `order_history_estimate` and `trade_history_estimate`. */
export interface Estimate {
  symbol: string;
  market: Market;
  tradedate: string;
  revision: number;
  /** HHMMSSmmm; the start inclusive, the end exclusive. */
  start_time: string;
  end_time: string;
  /** Rows in the window. */
  rows: Range;
  page_size: number;
  /** JSON pages; a window without rows takes one too. */
  pages: Range;
  /** Of the Parquet file with all fields; it always holds the whole day. */
  parquet_bytes: number;
  /** What it would take of today's counters. */
  cost: { json: { requests: Range }; parquet: { requests: 1; files: 1 } };
  /** What is left of them; null: unlimited. */
  left_today: { requests: number | null; files: number | null };
  /** Whole seconds until the counters reset. */
  resets_in: number;
}

/** The share of `file_download`: the eleven fields of contract 8.1. */
export interface ShareResult {
  status: "ready" | "preparing";
  data_type: DataType;
  year: number;
  /** YYYYMMDD of the first and the last covered file. */
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
