/** The client: one object for a key and the service's addresses. */
import { Basket, type BasketQuery } from "./basket.ts";
import { type Answer, type BodyFor, Endpoints, refusalOf, served } from "./calls.ts";
import { ConfigurationError, ProtocolError } from "./errors.ts";
import {
  type OrderQuery,
  Orders,
  type ParquetQuery,
  parquetBody,
  selectionOf,
  type TimeQuery,
} from "./ticks.ts";
import { Paging } from "./paging.ts";
import {
  fileTaker,
  isAnswer,
  noFile,
  type ParquetFile,
  type ParquetStream,
  streamTaker,
} from "./parquet-file.ts";
import { Share } from "./share.ts";
import { type Fetch, Transport } from "./transport.ts";
import type {
  Account,
  Change,
  DataType,
  Estimate,
  Field,
  FieldName,
  ListedSecurity,
  Market,
  ShareInfo,
  Status,
} from "./types.ts";
import { LONGEST_REQUEST_MS, takePlace } from "./waiting.ts";

export interface ClientOptions {
  key: string;
  /** Addresses of the service without `/api`; another one is used only when connections to the present break. */
  baseUrls: string | readonly string[];
  /** Sent as `User-Agent`; by default the client's own name, nothing in browsers. */
  userAgent?: string | undefined;
  /**
   * How long one request may spend on waits and failed attempts in all: for a busy slot, the per-second limit, a
   * broken connection; 120,000. 0: one attempt, no waits.
   */
  maxWaitMs?: number | undefined;
  /** Time without a byte after which a connection counts as broken; 30,000. */
  timeoutMs?: number | undefined;
  /** In place of the global one. */
  fetch?: Fetch | undefined;
}

/** Every call takes one; it throws the signal's reason. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

const ORDER_HISTORY = "level2_order_history";

/**
 * Access to one service with one key. Requests of one interface queue, also over several clients of one key.
 * Refusals are thrown as `ServiceError`; what may pass by waiting is waited for, 403 and 422 never.
 */
export class Client {
  readonly baseUrls: readonly string[];
  readonly #key: string;
  readonly #maxWaitMs: number;
  readonly #transport: Transport;
  readonly #endpoints: Endpoints;

  /** Throws `ConfigurationError` without a key or a usable address. */
  constructor(options: ClientOptions) {
    const { key, baseUrls, userAgent, maxWaitMs = 120_000, timeoutMs = 30_000, fetch } = options ?? {};
    if (!key?.trim()) throw new ConfigurationError("no key: new Client({ key, baseUrls })");
    if (!baseUrls) throw new ConfigurationError("no address: new Client({ key, baseUrls })");
    this.#key = key.trim();
    this.#maxWaitMs = maxWaitMs;
    // Browsers refuse a `fetch` that is called as somebody's method.
    const send: Fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#transport = new Transport(send, timeoutMs, userAgent);
    const listed =
      typeof baseUrls === "string" ? baseUrls.split(",").filter((each) => each.trim()) : baseUrls;
    this.#endpoints = new Endpoints(listed, this.#transport, maxWaitMs);
    this.baseUrls = this.#endpoints.baseUrls;
  }

  /**
   * The orders of one security on one day, in order of time, as a stream of rows; nothing is asked yet. `start`
   * is inclusive, `end` exclusive; without `date` it is the newest trading day, loaded or not.
   *
   * @example await client.orders({ symbol: "600519", date: "20260311", start: "09:30", end: "09:31" }).toArray()
   */
  orders<F extends FieldName = Field>(query: OrderQuery<F>): Orders<F>;
  /**
   * The orders of several securities over a range of days as one stream: by day, then security in the order given,
   * then time; nothing is asked yet. `plan()` says what it takes.
   *
   * @example client.orders({ symbols: ["600519", "300750"], startDate: "20260105", endDate: "20260311" })
   */
  orders<F extends FieldName = Field>(query: BasketQuery<F>): Basket<F>;
  orders<F extends FieldName = Field>(query: OrderQuery<F> | BasketQuery<F>): Orders<F> | Basket<F> {
    if ("symbols" in query) return new Basket<F>(this, query);
    const { selection, hidesLast } = selectionOf(query);
    const paging = new Paging((...call) => this.#call(...call), selection);
    return new Orders<F>(paging, { signal: query.signal, hidesLast, onRebuild: query.onRebuild });
  }

  /** The whole day of a security as the service's own Parquet file; each accepted try counts as one file. */
  async ordersParquet(query: ParquetQuery): Promise<ParquetFile> {
    const done = await this.#permit(ORDER_HISTORY, query.signal);
    try {
      const body = this.#enveloped(ORDER_HISTORY, () => parquetBody(query));
      const taken = await this.#endpoints.receive(body, fileTaker(this.baseUrls.length), query.signal);
      if (isAnswer(taken)) throw taken.code === 200 ? noFile(taken) : refusalOf(taken);
      return taken;
    } finally {
      done();
    }
  }

  /**
   * As `ordersParquet`, for files larger than memory: read or cancel the body, or abort it by the signal; the next
   * request waits for it.
   */
  async ordersParquetStream(query: ParquetQuery): Promise<ParquetStream> {
    const done = await this.#permit(ORDER_HISTORY, query.signal);
    try {
      const body = this.#enveloped(ORDER_HISTORY, () => parquetBody(query));
      const taken = await this.#endpoints.receive(body, streamTaker(done, query.signal), query.signal);
      if (isAnswer(taken)) throw taken.code === 200 ? noFile(taken) : refusalOf(taken);
      return taken;
    } catch (error) {
      done();
      throw error;
    }
  }

  /** The share of a year's daily files: `auction_tick` from 2022, `level2` from 2017. */
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

  /** Plan, windows, what is left of today's quotas, how the last 20 requests ended. Counts nothing. */
  account(options: CallOptions = {}): Promise<Account> {
    return this.#ask("account_info", {}, options);
  }

  /** The trading days of a month (YYYYMM; the present one) and their states. Counts nothing. */
  status(month?: string, options: CallOptions = {}): Promise<Status> {
    return this.#ask("data_status", { month }, options);
  }

  /** The securities of a day (the newest trading day), by symbol and market. Counts nothing. */
  async symbols(
    date?: string,
    options: CallOptions & { market?: Market | undefined } = {},
  ): Promise<ListedSecurity[]> {
    const { market, signal } = options;
    const { fields, items } = await this.#ask<{ fields: string[]; items: unknown[][] }>(
      "data_symbols",
      { tradedate: date, market },
      { signal },
    );
    return items.map(
      (item) => Object.fromEntries(fields.map((name, at) => [name, item[at]])) as unknown as ListedSecurity,
    );
  }

  /** What `orders` or `ordersParquet` with this query would bring and cost. Counts nothing. */
  estimate({ symbol, date, start, end, signal, pageSize }: TimeQuery): Promise<Estimate> {
    const params = { symbol, tradedate: date, start_time: start, end_time: end, page_size: pageSize };
    return this.#ask("order_history_estimate", params, { signal });
  }

  /** What changed of the days that may be read, from `since` on (inclusive) or behind the change `after`. */
  async *changes({
    since,
    after,
    signal,
  }: CallOptions & { since?: string | undefined; after?: number | undefined } = {}): AsyncGenerator<
    Change,
    void,
    undefined
  > {
    let behind = after;
    for (;;) {
      const data = await this.#ask<{ changes: Change[]; next_after: number; has_more: boolean }>(
        "data_changes",
        { since, after: behind },
        { signal },
      );
      yield* data.changes;
      if (!data.has_more) return;
      behind = data.next_after;
    }
  }

  /** `data` of a served answer; parameters that are undefined are left out by JSON itself. */
  async #ask<T>(apiname: string, params: Record<string, unknown>, { signal }: CallOptions): Promise<T> {
    return served(await this.#call(apiname, () => ({ params }), signal)) as T;
  }

  async #call(apiname: string, bodyFor: BodyFor, signal: AbortSignal | undefined): Promise<Answer> {
    const done = await this.#permit(apiname, signal);
    try {
      return await this.#endpoints.call(this.#enveloped(apiname, bodyFor), signal);
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
