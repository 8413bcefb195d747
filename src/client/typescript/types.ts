/**
 * The types of the service's records and answers, under the service's own names (contract 4.1, 8.1). The columns of a
 * dataset's rows are derived from its description; `build.ts` writes them out with the meaning of each.
 */
import type { Column, Dataset } from "../../datasets/dataset.ts";
import type { orders } from "../../datasets/orders.ts";
import type { quotes } from "../../datasets/quotes.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import type { trades } from "../../datasets/trades.ts";
import type { DataType } from "../../entitlement/data-types.ts";
import type { Market } from "../../orders/record.ts";

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
export type { DatasetName, DataType, Market };

type ColumnsOf<D extends Dataset> = D["columns"][number];
type CellOf<C extends Column> = C["type"] extends "BYTE_ARRAY" ? string : number;
type NamesOf<C extends Column> = C["name"] | (C extends { legacyName: infer L extends string } ? L : never);
type RecordOf<D extends Dataset> = { [C in ColumnsOf<D> as NamesOf<C>]: CellOf<C> };
type StandardOf<D extends Dataset> = Exclude<ColumnsOf<D>, { onRequest: true }>["name"];

/** One order with all available columns. */
export type OrderRecord = RecordOf<typeof orders>;

/** One trade, or in Shenzhen a cancellation, with all available columns. */
export type TradeRecord = RecordOf<typeof trades>;

/** One snapshot of the book with all available columns. */
export type QuoteRecord = RecordOf<typeof quotes>;

/** A standard column of orders. */
export type Field = StandardOf<typeof orders>;

/** A standard column of trades. */
export type TradeField = StandardOf<typeof trades>;

/** A standard column of quotes. */
export type QuoteField = StandardOf<typeof quotes>;

/** The name of a column of orders, current or legacy. Rows use the requested name. */
export type FieldName = keyof OrderRecord;

/** A column of trades. */
export type TradeFieldName = keyof TradeRecord;

/** The name of a column of quotes, current or legacy. Rows use the requested name. */
export type QuoteFieldName = keyof QuoteRecord;

/** An order with the requested columns. */
export type OrderRow<F extends FieldName = Field> = Pick<OrderRecord, F>;

/** A trade with the requested columns. */
export type TradeRow<F extends TradeFieldName = TradeField> = Pick<TradeRecord, F>;

/** A snapshot with the requested columns. */
export type QuoteRow<F extends QuoteFieldName = QuoteField> = Pick<QuoteRecord, F>;

/** A page of rows `R` as the service sends it; values are in the order of `fields`. */
export interface Page<R extends object> {
  tradedate: string;
  /** The day's revision on the deployment that answered. */
  revision: number | null;
  fields: (keyof R & string)[];
  items: (string | number)[][];
}

export type OrderPage<F extends FieldName = Field> = Page<OrderRow<F>>;
export type TradePage<F extends TradeFieldName = TradeField> = Page<TradeRow<F>>;
export type QuotePage<F extends QuoteFieldName = QuoteField> = Page<QuoteRow<F>>;

/** A security on a day. */
export interface ListedSecurity {
  symbol: string;
  market: Market;
  rows: number;
  /** Size in bytes of the Parquet file with all fields. */
  size_bytes: number;
  /** HHMMSSmmm; null without rows. */
  first_time: string | null;
  last_time: string | null;
}

/** A file of a share, as listed in its manifest. */
export interface ShareFile {
  /** The path inside the share: `20260311/20260311_aucde.parquet`. */
  path: string;
  tradedate: string;
  size_bytes: number;
  /** 64 hex digits. */
  sha256: string;
  revision: number;
}
