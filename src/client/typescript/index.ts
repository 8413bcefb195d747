/**
 * `edgetape-client` reads orders, trades, quotes and shares with `fetch`, in Node, browsers and workers. It has no
 * dependencies. It has not been run in Deno, although Deno provides all APIs that it uses. Only types are imported from
 * the server.
 *
 * @example
 * const client = new Client({ key: "et_…", baseUrls: ["https://api.example.com"] });
 * for await (const row of client.orders({ symbol: "600519", date: "20260311" })) console.log(row.time, row.price);
 */
import type { TickBasket } from "./basket.ts";
import * as errors from "./errors.ts";
import type { TickQuery, Ticks } from "./ticks.ts";
import type {
  Field,
  FieldName,
  OrderRow,
  QuoteField,
  QuoteFieldName,
  QuoteRow,
  TradeField,
  TradeFieldName,
  TradeRow,
} from "./types.ts";

export type { BasketQuery, Plan, TickBasket } from "./basket.ts";
export {
  type CallOptions,
  Client,
  type ClientOptions,
  type DatasetOptions,
  type WaitOptions,
} from "./client.ts";
export * from "./errors.ts";
export type { ParquetFacts, ParquetFile, ParquetStream } from "./parquet-file.ts";
export type { DownloadOptions, FileDownload, Share } from "./share.ts";
export type { ParquetQuery, SecurityQuery, TickQuery, Ticks, TimeQuery } from "./ticks.ts";
export { BrokenConnection, type Fetch } from "./transport.ts";
export type * from "./types.ts";

// The bundle shortens the names of classes. This restores the names of errors.
for (const [name, value] of Object.entries(errors)) Object.defineProperty(value, "name", { value: name });

export type HistoryQuery<F extends FieldName = Field> = TickQuery<F>;
export type Orders<F extends FieldName = Field> = Ticks<OrderRow<F>>;
export type Basket<F extends FieldName = Field> = TickBasket<OrderRow<F>>;

export type TradeQuery<F extends TradeFieldName = TradeField> = TickQuery<F>;
export type Trades<F extends TradeFieldName = TradeField> = Ticks<TradeRow<F>>;
export type TradeBasket<F extends TradeFieldName = TradeField> = TickBasket<TradeRow<F>>;

export type QuoteQuery<F extends QuoteFieldName = QuoteField> = TickQuery<F>;
export type Quotes<F extends QuoteFieldName = QuoteField> = Ticks<QuoteRow<F>>;
export type QuoteBasket<F extends QuoteFieldName = QuoteField> = TickBasket<QuoteRow<F>>;
