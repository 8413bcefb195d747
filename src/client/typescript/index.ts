/**
 * `edgetape-client`: order records and shares over `fetch`, for Node, browsers and workers, without a
 * dependency; in Deno, which has all it uses, it was never run. Imports of the server are types only.
 *
 * @example
 * const client = new Client({ key: "et_…", baseUrls: ["https://api.example.com"] });
 * for await (const row of client.orders({ symbol: "600519", date: "20260311" })) console.log(row.time, row.price);
 */
export type { Basket, BasketQuery, Plan } from "./basket.ts";
export { type CallOptions, Client, type ClientOptions } from "./client.ts";
export * from "./errors.ts";
export type { OrderQuery, Orders, ParquetQuery, SecurityQuery, TimeQuery } from "./ticks.ts";
export type { ParquetFacts, ParquetFile, ParquetStream } from "./parquet-file.ts";
export type { DownloadOptions, FileDownload, Share } from "./share.ts";
export { BrokenConnection, type Fetch } from "./transport.ts";
export type * from "./types.ts";
