/**
 * `edgetape-client` reads orders, trades, quotes and shares with `fetch`, in Node, browsers and workers. It has no
 * dependencies. It has not been run in Deno, although Deno provides all APIs that it uses. Only types are imported from
 * the server.
 *
 * @example
 * const client = new Client({ key: "et_…", baseUrls: ["https://api.example.com"] });
 * for await (const row of client.orders({ symbol: "600519", date: "20260311" })) console.log(row.time, row.price);
 */
export type { Basket, BasketQuery, Plan, QuoteBasket, TickBasket, TradeBasket } from "./basket.ts";
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
export type {
  HistoryQuery,
  Orders,
  ParquetQuery,
  QuoteQuery,
  Quotes,
  SecurityQuery,
  TickQuery,
  Ticks,
  TimeQuery,
  TradeQuery,
  Trades,
} from "./ticks.ts";
export { BrokenConnection, type Fetch } from "./transport.ts";
export type * from "./types.ts";
