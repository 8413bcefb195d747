/** The records and answers of the service, by the names it gives them (contract 4.1, 8.1). */
import type { DataType } from "../../entitlement/data-types.ts";
import type { Field, LEGACY_NAMES, Market } from "../../orders/record.ts";

export type {
  AccountInfo as Account,
  Change,
  Counter,
  DataStatus as Status,
  DayWindow,
  Estimate,
  Range,
  ShareResult as ShareInfo,
  StatusDay,
} from "../../operations/wire.ts";
export type { DataType, Field, Market };

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
  /** Of the day on the deployment that answered. */
  revision: number | null;
  fields: F[];
  items: (string | number)[][];
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
