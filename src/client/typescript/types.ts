/** The records and answers of the service, by the names it gives them (spec 2.3, 2.4). */
import type { Field, LEGACY_NAMES, Market } from "../../orders/record.ts";

export type { Field, Market };

/** A column that can be asked for; a legacy name keeps its name in the row. */
export type FieldName = Field | keyof typeof LEGACY_NAMES;

/** One order record, all fields. */
export interface OrderRecord {
  /** Six digits; a string in every output. */
  symbol: string;
  /** YYYYMMDD. */
  tradedate: string;
  /** HHMMSSmmm, nine digits, Beijing time. */
  time: string;
  /** May be 0 and may repeat. */
  order_id: number;
  /** The exchange's own number; unique at most within exchange, security and day. 0 on phase flags. */
  exchange_order_id: number;
  /** Shanghai: A new, D cancel, S phase flag. Shenzhen: 0 limit, 1 market, U best own side. */
  order_type: string;
  /** Buy or sell (B, S), or the trading phase: not a direction in every row. */
  order_code: string;
  /** Yuan. */
  price: number;
  /** Shares or units; of a cancel, what was left. */
  volume: number;
  /** Yuan: price × volume, computed by the service. */
  amount: number;
  /** Legacy name of `exchange_order_id`. */
  order_no: number;
  /** Legacy name of `order_code`. */
  side: string;
}

/** A row with the asked columns. */
export type OrderRow<F extends FieldName = Field> = Pick<OrderRecord, F>;

/** A page as the service sends it: values stand in the order of `fields`. */
export interface OrderPage<F extends FieldName = Field> {
  tradedate: string;
  /** Of the day on the line that answered. */
  revision: number | null;
  fields: F[];
  items: (string | number)[][];
}

/** From `from` to `to`, days as YYYYMMDD, both included; a `from` of null: all history. */
export interface DayWindow {
  from: string | null;
  to: string;
}

/** A daily counter; null: unlimited. */
export interface Counter {
  limit: number | null;
  used: number;
  left: number | null;
  credited: number;
}

/** `data` of `account_info`. */
export interface Account {
  account_id: string;
  key_id: string | null;
  plan: string | null;
  plan_state: string;
  plan_ends_at: string | null;
  windows: Record<"level2_order_history" | "auction_tick" | "level2", DayWindow | null>;
  quotas: {
    interface: string;
    day: string;
    requests: Counter | null;
    files: Counter | null;
    /** Whole seconds. */
    resets_in: number;
    busy: boolean;
  }[];
  last_requests: {
    time: string;
    request_id: string;
    interface: string | null;
    code: number;
    reason: string;
    symbol: string | null;
    tradedate: string | null;
    rows: number;
  }[];
}

/** A day of `data_status`. All but `tradedate` and `state` are null unless `available` or `degraded`. */
export interface StatusDay {
  tradedate: string;
  state: "available" | "degraded" | "pending" | "missing" | "withdrawn" | "damaged";
  revision: number | null;
  rows: number | null;
  securities: number | null;
  size_bytes: number | null;
  published_at: string | null;
}

/** `data` of `data_status`. */
export interface Status {
  /** YYYYMM. */
  month: string;
  window_from: string | null;
  days: StatusDay[];
}

/** A security of a day. */
export interface ListedSecurity {
  symbol: string;
  market: Market;
  rows: number;
  /** Of its Parquet file with all fields. */
  size_bytes: number;
  /** HHMMSSmmm; null without orders. */
  first_time: string | null;
  last_time: string | null;
}

/** One change of a day that may be read. */
export interface Change {
  change: number;
  at: string;
  tradedate: string;
  kind: "published" | "restored" | "withdrawn" | "damaged";
  revision: number;
  previous: number | null;
  /** As `600519.SH`; null where there is nothing to compare with. */
  securities: { added: string[]; removed: string[]; changed: string[] } | null;
}

/** A number known as a range; both ends included. */
export interface Range {
  at_least: number;
  at_most: number;
}

/** `data` of `order_history_estimate`. */
export interface Estimate {
  symbol: string;
  market: string;
  tradedate: string;
  revision: number;
  start_time: string;
  end_time: string;
  rows: Range;
  page_size: number;
  pages: Range;
  parquet_bytes: number;
  cost: { json: { requests: Range }; parquet: { requests: number; files: number } };
  left_today: { requests: number | null; files: number | null };
  resets_in: number;
}

/** The share of `file_download` (spec 2.3). */
export interface ShareInfo {
  status: string;
  data_type: string;
  year: number;
  start_date: string;
  end_date: string;
  file_count: number;
  size_bytes: number;
  url: string;
  password: string;
  expires_at: string;
  /** Seconds; 0 when ready. */
  retry_after: number;
}

/** A file of a share as its manifest names it. */
export interface ShareFile {
  /** Inside the share: `20260311/20260311_aucde.parquet`. */
  path: string;
  tradedate: string;
  size_bytes: number;
  /** 64 hex digits. */
  sha256: string;
  revision: number;
}

export type DataType = "auction_tick" | "level2";
