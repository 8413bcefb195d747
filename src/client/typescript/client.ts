/** The client: one object for a key and the service's base URLs. */
import { type BasketQuery, TickBasket } from "./basket.ts";
import { type Answer, type BodyFor, Endpoints, readAnswer, refusalOf, served, type Taker } from "./calls.ts";
import { only, operationsOf } from "./datasets.ts";
import { ConfigurationError, ProtocolError, ServiceError } from "./errors.ts";
import { Paging } from "./paging.ts";
import { fileTaker, type ParquetFile, type ParquetStream, streamTaker } from "./parquet-file.ts";
import { Share } from "./share.ts";
import {
  dateOf,
  objectOf,
  type ParquetQuery,
  parquetBody,
  selectionOf,
  type TickQuery,
  Ticks,
  type TimeQuery,
} from "./ticks.ts";
import { type Fetch, Transport } from "./transport.ts";
import type {
  Account,
  Change,
  DatasetName,
  DataType,
  Estimate,
  Field,
  ListedSecurity,
  Market,
  OrderRecord,
  QuoteField,
  QuoteFieldName,
  QuoteRecord,
  ShareInfo,
  Status,
  StatusDay,
  TradeField,
  TradeFieldName,
  TradeRecord,
} from "./types.ts";
import { clock, LONGEST_REQUEST_MS, takePlace } from "./waiting.ts";

export interface ClientOptions {
  key: string;
  /** Base URLs without `/api`; the next one is used only when connections to the current one break. */
  baseUrls: string | readonly string[];
  /** The `User-Agent`. By default the client's own name, or the browser's. */
  userAgent?: string | undefined;
  /**
   * Maximum total time of one request's waits and failed attempts; 120,000 by default. 0 means one attempt without
   * waits.
   */
  maxWaitMs?: number | undefined;
  /** Milliseconds without data after which a connection counts as broken; 30,000 by default. */
  timeoutMs?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined;
}

/** Options of every call. When `signal` aborts, the call throws the signal's reason. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** The requested dataset; orders by default. */
export interface DatasetOptions extends CallOptions {
  dataset?: DatasetName | undefined;
}

export interface WaitOptions extends DatasetOptions {
  everyMs?: number | undefined;
  timeoutMs?: number | undefined;
}

/** Reads rows with the columns of `R` (default: `D`). Sends no request until the stream is used. */
export interface Reads<R extends object, D extends keyof R> {
  /**
   * Returns the rows of one security on one day as a stream, in time order. `start` is inclusive, `end` exclusive.
   * `date` is by default the newest trading day, loaded or not.
   *
   * @example await client.orders({ symbol: "600519", date: "20260311", start: "09:30", end: "09:31" }).toArray()
   */
  <F extends keyof R & string = D & string>(query: TickQuery<F>): Ticks<Pick<R, F>>;
  /**
   * Returns the rows of several securities over a range of days as one stream, sorted by day, then by the order of the
   * securities in the query, then by time. `plan()` returns the cost.
   *
   * @example client.orders({ symbols: ["600519", "300750"], startDate: "20260105", endDate: "20260311" })
   */
  <F extends keyof R & string = D & string>(query: BasketQuery<F>): TickBasket<Pick<R, F>>;
}

type AnyQuery = TickQuery<string> | BasketQuery<string>;

/** Returns `day` with the values for `dataset` at the top level, where the service puts the values for orders. */
function ofDay(day: StatusDay, dataset: DatasetName): StatusDay {
  const { datasets } = day as { datasets?: Partial<Record<DatasetName, object>> };
  const found = datasets?.[dataset];
  if (found === undefined) throw new ProtocolError(`this deployment does not serve ${dataset}`);
  return { ...day, ...found };
}

/** The values of `reason` in refusals with code 1002 that may be temporary. */
const NOT_YET: readonly string[] = ["not_loaded", "future_day"];

/**
 * Access to one service with one key. Requests to the same interface are queued, also across clients with the same key.
 * Refusals are thrown as `ServiceError`, temporary ones after retries.
 */
export class Client {
  readonly baseUrls: readonly string[];
  readonly #key: string;
  readonly #maxWaitMs: number;
  readonly #transport: Transport;
  readonly #endpoints: Endpoints;

  /** Throws `ConfigurationError` without a key or a usable base URL. */
  constructor(options: ClientOptions) {
    const { key, baseUrls, userAgent, maxWaitMs = 120_000, timeoutMs = 30_000, fetch } = options ?? {};
    if (!key?.trim()) throw new ConfigurationError("no key: pass it as in new Client({ key, baseUrls })");
    if (!baseUrls) throw new ConfigurationError("no base URL: pass it as in new Client({ key, baseUrls })");
    this.#key = key.trim();
    this.#maxWaitMs = maxWaitMs;
    // Browsers refuse a `fetch` that is called as a method.
    const send: Fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#transport = new Transport(send, timeoutMs, userAgent);
    const listed =
      typeof baseUrls === "string" ? baseUrls.split(",").filter((each) => each.trim()) : baseUrls;
    this.#endpoints = new Endpoints(listed, this.#transport, maxWaitMs);
    this.baseUrls = this.#endpoints.baseUrls;
  }

  /** Calls `level2_order_history`. */
  readonly orders: Reads<OrderRecord, Field> = (query: AnyQuery) => this.#read("orders", query);

  /** Reads trades, and Shenzhen's cancellations. Calls `level2_trade_history`. */
  readonly trades: Reads<TradeRecord, TradeField> = (query: AnyQuery) => this.#read("trades", query);

  /** Reads snapshots of the book, about one every three seconds. Calls `level2_quote_history`. */
  readonly quotes: Reads<QuoteRecord, QuoteField> = (query: AnyQuery) => this.#read("quotes", query);

  /** Returns a security's orders of a whole day as a Parquet file. Each accepted attempt counts as one file. */
  ordersParquet(query: ParquetQuery): Promise<ParquetFile> {
    return this.#file("orders", query);
  }

  /** Returns the day's trades; otherwise like `ordersParquet`. */
  tradesParquet(query: ParquetQuery<TradeFieldName>): Promise<ParquetFile> {
    return this.#file("trades", query);
  }

  /** Returns the day's snapshots; otherwise like `ordersParquet`. */
  quotesParquet(query: ParquetQuery<QuoteFieldName>): Promise<ParquetFile> {
    return this.#file("quotes", query);
  }

  /**
   * Returns the file of `ordersParquet` as a stream, for files larger than memory. Read, cancel or abort the body,
   * because the next request waits for its end.
   */
  ordersParquetStream(query: ParquetQuery): Promise<ParquetStream> {
    return this.#fileStream("orders", query);
  }

  /** Returns the day's trades; otherwise like `ordersParquetStream`. */
  tradesParquetStream(query: ParquetQuery<TradeFieldName>): Promise<ParquetStream> {
    return this.#fileStream("trades", query);
  }

  /** Returns the day's snapshots; otherwise like `ordersParquetStream`. */
  quotesParquetStream(query: ParquetQuery<QuoteFieldName>): Promise<ParquetStream> {
    return this.#fileStream("quotes", query);
  }

  /** Returns the share of a year's daily files: `auction_tick` from 2022, `level2` from 2017. */
  async share(dataType: DataType, year: number, options: CallOptions = {}): Promise<Share> {
    const outer = await this.#ask<{ data?: ShareInfo }>(
      "file_download",
      { data_type: dataType, year },
      options,
    );
    const info = outer.data;
    if (typeof info?.url !== "string") throw new ProtocolError("the answer holds no share");
    return new Share(info, this.#transport, this.#maxWaitMs);
  }

  /** Returns the plan, its windows, today's remaining quotas, and how the last 20 requests ended. Not charged. */
  account(options: CallOptions = {}): Promise<Account> {
    return this.#ask("account_info", {}, options);
  }

  /**
   * Returns the trading days of a month (YYYYMM; by default the current one), with the state of `dataset`. Calls
   * `data_status`; not charged.
   */
  async status(month?: string, options: DatasetOptions = {}): Promise<Status> {
    const { signal, dataset = "orders" } = options;
    const status = await this.#ask<Status>("data_status", { month }, { signal });
    return dataset === "orders" ? status : { ...status, days: status.days.map((day) => ofDay(day, dataset)) };
  }

  /**
   * Returns the securities of a day (by default the newest), sorted by symbol, then market. Calls `data_symbols`; not
   * charged.
   */
  async symbols(
    date?: string,
    options: DatasetOptions & { market?: Market | undefined } = {},
  ): Promise<ListedSecurity[]> {
    const { market, signal, dataset } = options;
    const { fields, items } = await this.#ask<{ fields: string[]; items: unknown[][] }>(
      "data_symbols",
      { tradedate: date, market, ...only(dataset) },
      { signal },
    );
    return items.map((item) => objectOf<ListedSecurity>(fields, item));
  }

  /** Returns the estimated number of rows of this query, and its cost as pages and as a Parquet file. Not charged. */
  estimate(query: TimeQuery & DatasetOptions): Promise<Estimate> {
    const { symbol, date, start, end, signal, pageSize, dataset = "orders" } = query;
    const params = { symbol, tradedate: date, start_time: start, end_time: end, page_size: pageSize };
    return this.#ask(operationsOf(dataset).estimate, params, { signal });
  }

  /**
   * Yields the changes of a dataset on the days that the plan covers, from `since` (inclusive) or after change number
   * `after`. Calls `data_changes`; not charged.
   */
  async *changes(
    options: DatasetOptions & { since?: string | undefined; after?: number | undefined } = {},
  ): AsyncGenerator<Change, void, undefined> {
    const { since, after, signal, dataset } = options;
    let behind = after;
    for (;;) {
      const data = await this.#ask<{ changes: Change[]; next_after: number; has_more: boolean }>(
        "data_changes",
        { since, after: behind, ...only(dataset) },
        { signal },
      );
      yield* data.changes;
      if (!data.has_more) return;
      behind = data.next_after;
    }
  }

  /**
   * Waits until a dataset of a day can be read; returns the day's revision. Checks every `everyMs` (default 60,000) for
   * up to `timeoutMs` (default unlimited). Throws `NoData` if the day is not loaded in time, or never will be. Calls
   * `data_symbols`; not charged.
   */
  async waitUntilReady(date: string, options: WaitOptions = {}): Promise<number | null> {
    const { dataset, everyMs = 60_000, timeoutMs = Number.POSITIVE_INFINITY, signal } = options;
    const params = { tradedate: dateOf(date), market: "SH", ...only(dataset) };
    for (let waitedMs = 0; ; ) {
      const answer = await this.#call("data_symbols", () => ({ params }), signal);
      if (answer.code === 200) return answer.revision;
      const pauseMs = Math.min(everyMs, timeoutMs - waitedMs);
      if (!NOT_YET.includes(answer.reason ?? "") || pauseMs <= 0) throw refusalOf(answer);
      await clock.sleep(pauseMs, signal);
      waitedMs += pauseMs;
    }
  }

  #read<R extends object>(dataset: DatasetName, query: AnyQuery): Ticks<R> & TickBasket<R> {
    const open = (one: TickQuery<string>) => {
      const { selection, hidesLast } = selectionOf(one, dataset);
      const paging = new Paging((...call) => this.#call(...call), selection);
      return new Ticks<R>(paging, { signal: one.signal, hidesLast, onRebuild: one.onRebuild });
    };
    const made = "symbols" in query ? new TickBasket<R>(this, dataset, query, open) : open(query);
    // The overloads of `Reads` state whether a query returns `Ticks` or a `TickBasket`.
    return made as Ticks<R> & TickBasket<R>;
  }

  async #file(dataset: DatasetName, query: ParquetQuery<string>): Promise<ParquetFile> {
    const { read } = operationsOf(dataset);
    const done = await this.#permit(read, query.signal);
    try {
      return await this.#received(read, query, fileTaker(this.baseUrls.length, dataset));
    } finally {
      done();
    }
  }

  /** Returns the file as a stream. The next request waits until the stream's end, or until an error occurs. */
  async #fileStream(dataset: DatasetName, query: ParquetQuery<string>): Promise<ParquetStream> {
    const { read } = operationsOf(dataset);
    const done = await this.#permit(read, query.signal);
    try {
      return await this.#received(read, query, streamTaker(done, query.signal, dataset));
    } catch (error) {
      done();
      throw error;
    }
  }

  async #received<T extends object>(
    apiname: string,
    query: ParquetQuery<string>,
    take: Taker<T>,
  ): Promise<T> {
    const body = this.#enveloped(apiname, () => parquetBody(query));
    const taken = await this.#endpoints.receive(body, take, query.signal);
    if (!("waitMs" in taken)) return taken;
    throw taken.code === 200 ? new ServiceError(`${taken.baseUrl} sent no file`, taken) : refusalOf(taken);
  }

  /** Returns `data` of the answer, or throws the refusal. JSON omits undefined parameters. */
  async #ask<T>(apiname: string, params: Record<string, unknown>, { signal }: CallOptions): Promise<T> {
    return served(await this.#call(apiname, () => ({ params }), signal)) as T;
  }

  async #call(apiname: string, bodyFor: BodyFor, signal: AbortSignal | undefined): Promise<Answer> {
    const done = await this.#permit(apiname, signal);
    try {
      return await this.#endpoints.receive(this.#enveloped(apiname, bodyFor), readAnswer, signal);
    } finally {
      done();
    }
  }

  #permit(apiname: string, signal: AbortSignal | undefined): Promise<() => void> {
    return takePlace(this.#key, apiname, signal, this.#maxWaitMs + LONGEST_REQUEST_MS);
  }

  #enveloped(apiname: string, bodyFor: BodyFor): BodyFor {
    return (baseUrl) => ({ apiname, apikey: this.#key, ...bodyFor(baseUrl) });
  }
}
