/** The rows of several securities over a range of days, as one stream: by day, then security, then time. */
import type { Client } from "./client.ts";
import { operationsOf } from "./datasets.ts";
import { BadRequest, ConfigurationError, NoData, NotAllowed } from "./errors.ts";
import { dateOf, type TickQuery, type Ticks } from "./ticks.ts";
import type { DatasetName, Field, Page, StatusDay } from "./types.ts";

/** Several securities over a range of days. The other options are as for one day. */
export interface BasketQuery<F extends string = Field> extends Omit<TickQuery<F>, "symbol" | "date"> {
  /**
   * Symbols in the forms that `SecurityQuery` accepts; each security is read once. The rows of a stock and of an index
   * with the same digits (`000001`) have the same `symbol`.
   */
  symbols: readonly string[];
  /** First and last day, YYYYMMDD or YYYY-MM-DD, both included. */
  startDate: string;
  endDate: string;
}

/** The cost of reading the remaining rows of a basket; nothing of it is charged yet. */
export interface Plan {
  /** Number of loaded days in the range that the plan covers. */
  days: number;
  /** Remaining pairs of a security and a day. */
  securityDays: number;
  /** Upper estimates. Above 60 `securityDays` they come from a sample, and `isExact` is false. */
  rows: number;
  requests: number;
  /** Parquet files for the same days; each also counts as a request. */
  files: number;
  isExact: boolean;
  /** Today's remaining quota; null if unlimited. */
  requestsLeft: number | null;
  filesLeft: number | null;
  /** Days of quota that the requests need, today included; null if the plan allows no requests. */
  quotaDays: number | null;
  /** Advice if reading takes more than 30 days of quota or 100,000 requests. */
  hint: string | null;
}

interface Part {
  symbol: string;
  date: string;
}

/** Maximum number of estimates that a plan requests. If there are more parts, the plan samples them evenly. */
const MOST_ESTIMATES = 60;

/** Beyond this many days of quota, a share is the better way. */
const MANY_DAYS = 30;

/**
 * Beyond this many requests, a share is the better way. 100,000 requests take an hour at the per-second limit, and in
 * practice a day.
 */
const MANY_REQUESTS = 100_000;

/** The bytes that a connection of 100 Mbit/s transfers in a day. */
const BYTES_A_DAY = (100e6 / 8) * 86_400;

/** Reasons of a 1002 that are about one security. */
const EMPTY: readonly string[] = ["no_orders", "security_unknown"];
/** Reasons of a 1002 that are about the whole day. A 1002 with any other reason was not sent by the service. */
const UNREADABLE: readonly string[] = [
  "not_loaded",
  "not_trading_day",
  "future_day",
  "before_history",
  "withdrawn",
  "nothing_published",
];

const EXCHANGES: Record<string, string> = { SS: "SH", SSE: "SH", XSHG: "SH", SZSE: "SZ", XSHE: "SZ" };

/**
 * Returns each security once. Throws when the same six digits occur with and without an exchange, because both can mean
 * the same security.
 */
function distinct(symbols: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const symbol of symbols) {
    const text = symbol
      .trim()
      .toUpperCase()
      .replace(/^(SH|SZ)(\d{6})$/, "$2.$1");
    const [digits = text, exchange] = text.split(".");
    const code = exchange === undefined ? digits : `${digits}.${EXCHANGES[exchange] ?? exchange}`;
    if (!found.has(code)) found.set(code, symbol);
  }
  for (const [code, symbol] of found) {
    const bare = found.get(code.slice(0, 6));
    if (bare !== undefined && bare !== symbol)
      throw new ConfigurationError(
        `${bare} and ${symbol} can be the same security: write each with its exchange`,
      );
  }
  return [...found.values()];
}

/**
 * The rows of a `BasketQuery`. Each row is returned once, as in `Ticks`. After an error, reading can continue, even on
 * a later day. Days that are not loaded and securities without rows are skipped and listed.
 */
export class TickBasket<R extends object> implements AsyncIterable<R> {
  /** Securities found so far to have no rows on a day. */
  readonly empty: { symbol: string; tradedate: string }[] = [];
  /** Trading days that cannot be read. */
  readonly missing: { tradedate: string; state: string }[] = [];
  /** First day that the plan covers, if the range begins earlier. */
  windowFrom: string | null = null;
  readonly #client: Client;
  readonly #dataset: DatasetName;
  readonly #query: BasketQuery<string>;
  readonly #open: (query: TickQuery<string>) => Ticks<R>;
  /** The parts to be read after the current one. */
  #parts: Part[] | null = null;
  #current: { part: Part; ticks: Ticks<R> } | null = null;
  #days: StatusDay[] = [];
  /** Rows that `toArray` read before an error. */
  readonly #collected: R[] = [];

  /** @internal */
  constructor(
    client: Client,
    dataset: DatasetName,
    query: BasketQuery<string>,
    open: (query: TickQuery<string>) => Ticks<R>,
  ) {
    const [first, last] = [dateOf(query.startDate), dateOf(query.endDate)];
    for (const date of [first, last]) {
      if (!/^\d{8}$/.test(date))
        throw new ConfigurationError(`${date} is not a date: write YYYYMMDD or YYYY-MM-DD`);
    }
    if (first > last) throw new ConfigurationError(`the first day ${first} is after the last day ${last}`);
    if (query.symbols.length === 0) throw new ConfigurationError("symbols is empty");
    this.#client = client;
    this.#dataset = dataset;
    this.#open = open;
    this.#query = { ...query, startDate: first, endDate: last, symbols: distinct(query.symbols) };
    this.#ticksOf({ symbol: query.symbols[0] ?? "", date: first });
  }

  /** Yields rows as objects. Throws the same errors as `Ticks`, such as `QuotaUsed`. */
  [Symbol.asyncIterator](): AsyncGenerator<R, void, undefined> {
    return this.#rest((ticks) => ticks[Symbol.asyncIterator]());
  }

  /** Yields rows as the service sends them, up to 10,000 of one security and day at a time. */
  pages(): AsyncGenerator<Page<R>, void, undefined> {
    return this.#rest((ticks) => ticks.pages());
  }

  /** Returns all rows not yet iterated. After an error, another call continues and returns them all. */
  async toArray(): Promise<R[]> {
    const rows = this.#rest(async function* (ticks) {
      yield* await ticks.toArray();
    });
    for await (const row of rows) this.#collected.push(row);
    return this.#collected.splice(0);
  }

  /** Returns the cost of the remaining rows, and the remaining quota. Not charged. */
  async plan(): Promise<Plan> {
    const waiting = await this.#listed();
    const parts = this.#current === null ? waiting : [this.#current.part, ...waiting];
    const step = Math.max(1, Math.ceil(parts.length / MOST_ESTIMATES));
    const asked = parts.filter((_, at) => at % step === 0);
    const sum = { rows: 0, requests: 0, files: 0 };
    for (const part of asked) {
      const { rows, pages } = await this.#estimate(part);
      sum.rows += rows;
      sum.requests += pages;
      if (pages > 0) sum.files++;
    }
    const { signal } = this.#query;
    const { quotas } = await this.#client.account({ signal });
    const quota = quotas.find((each) => each.interface === operationsOf(this.#dataset).read);
    const [requests, files] = [quota?.requests ?? NOTHING, quota?.files ?? NOTHING];
    const scaled = (value: number) => Math.ceil((value * parts.length) / Math.max(1, asked.length));
    const quotaDays = daysOf(scaled(sum.requests), requests);
    const isVeryLong = quotaDays === null || quotaDays > MANY_DAYS || scaled(sum.requests) > MANY_REQUESTS;
    const bulkBytes = this.#days.reduce((total, { size_bytes }) => total + (size_bytes ?? 0), 0);
    return {
      days: this.#days.length,
      securityDays: parts.length,
      rows: scaled(sum.rows),
      requests: scaled(sum.requests),
      files: scaled(sum.files),
      isExact: asked.length === parts.length,
      requestsLeft: requests.left,
      filesLeft: files.left,
      quotaDays,
      hint: isVeryLong ? hintOf(this.#days.length, bulkBytes, this.#dataset) : null,
    };
  }

  /**
   * Returns the reader of the current part or, if that part is finished, of the next part; null after the last part.
   */
  async #next(): Promise<Ticks<R> | null> {
    const parts = await this.#listed();
    if (this.#current === null) {
      const part = parts.shift();
      if (part === undefined) return null;
      this.#current = { part, ticks: this.#ticksOf(part) };
    }
    return this.#current.ticks;
  }

  /** Reads every part to its end. Leaves out parts that the service cannot serve (`#leaveOut`). */
  async *#rest<T>(
    read: (ticks: Ticks<R>) => AsyncGenerator<T, void, undefined>,
  ): AsyncGenerator<T, void, undefined> {
    for (let ticks = await this.#next(); ticks !== null; ticks = await this.#next()) {
      try {
        yield* read(ticks);
      } catch (error) {
        this.#leaveOut(error);
      }
      if (this.#current?.ticks === ticks) this.#current = null;
    }
  }

  /**
   * Adds the current part to `empty` if its security has no rows that day, or the day to `missing` if it cannot be
   * read. Throws every other error.
   */
  #leaveOut(error: unknown): void {
    if (!(error instanceof NoData) || this.#current === null) throw error;
    const { symbol, date } = this.#current.part;
    if (EMPTY.includes(error.reason ?? "")) this.empty.push({ symbol, tradedate: date });
    else if (!UNREADABLE.includes(error.reason ?? "")) throw error;
    else if (!this.missing.some(({ tradedate }) => tradedate === date)) {
      this.missing.push({ tradedate: date, state: error.reason ?? "" });
    }
  }

  #ticksOf({ symbol, date }: Part): Ticks<R> {
    const { symbols, startDate, endDate, ...options } = this.#query;
    return this.#open({ ...options, symbol, date });
  }

  async #listed(): Promise<Part[]> {
    if (this.#parts !== null) return this.#parts;
    const { symbols, startDate, endDate, signal } = this.#query;
    const days: StatusDay[] = [];
    let before: NotAllowed | null = null;
    for (const month of monthsOf(startDate, endDate)) {
      try {
        const status = await this.#client.status(month, { signal, dataset: this.#dataset });
        if (status.window_from !== null && status.window_from > startDate)
          this.windowFrom = status.window_from;
        days.push(...status.days.filter((day) => startDate <= day.tradedate && day.tradedate <= endDate));
      } catch (error) {
        if (!(error instanceof NotAllowed) || error.reason !== "outside_window") throw error;
        before = error;
      }
    }
    if (before !== null && this.windowFrom === null) throw before;
    for (const day of days) {
      if (day.revision === null) this.missing.push({ tradedate: day.tradedate, state: day.state });
    }
    this.#days = days.filter(({ revision }) => revision !== null);
    this.#parts = this.#days.flatMap(({ tradedate }) =>
      symbols.map((symbol) => ({ symbol, date: tradedate })),
    );
    return this.#parts;
  }

  /** Returns the maximum number of rows in a part, and of requests for them; zeros if the part has no rows. */
  async #estimate(part: Part): Promise<{ rows: number; pages: number }> {
    const { start, end, pageSize, signal } = this.#query;
    try {
      const query = { ...part, start, end, pageSize, signal, dataset: this.#dataset };
      const { rows, pages } = await this.#client.estimate(query);
      return { rows: rows.at_most, pages: pages.at_most };
    } catch (error) {
      if (error instanceof NoData || error instanceof BadRequest) return { rows: 0, pages: 0 };
      throw error;
    }
  }
}

const NOTHING = { left: 0, limit: 0 };

function daysOf(requests: number, { left, limit }: { left: number | null; limit: number | null }) {
  if (left === null || requests <= left) return 1;
  return limit === null || limit === 0 ? null : 1 + Math.ceil((requests - left) / limit);
}

/** Returns advice to use a share. It names only files of `dataset`, because a share also holds the other datasets. */
function hintOf(days: number, sizeBytes: number, dataset: DatasetName): string {
  const hours = Math.ceil((sizeBytes / BYTES_A_DAY) * 24);
  return (
    `a level2 share holds these ${days} days in ${(sizeBytes / 1e9).toFixed(1)} GB, about ${hours} hours at ` +
    '100 Mbit/s, and uses no quota: share = await client.share("level2", year), then share.download(file) for ' +
    `each <day>_${dataset}.parquet of share.files()`
  );
}

/** Returns the months from the first to the last day, YYYYMM. */
function monthsOf(first: string, last: string): string[] {
  const months: string[] = [];
  let [year, month] = [Number(first.slice(0, 4)), Number(first.slice(4, 6))];
  for (;;) {
    const name = `${year}${String(month).padStart(2, "0")}`;
    if (name > last.slice(0, 6)) return months;
    months.push(name);
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
  }
}
