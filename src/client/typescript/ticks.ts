/** A dataset's rows as a stream: converts a caller's query to parameters, and the service's answers to rows. */
import { ConfigurationError, DataRebuilt } from "./errors.ts";
import { MOST_ROWS, type Paging, type Row, type Selection } from "./paging.ts";
import type { DatasetName, FieldName, Page } from "./types.ts";

export interface SecurityQuery {
  /** `600519`, `600519.SH` or `sh600519`. */
  symbol: string;
  /** YYYYMMDD or YYYY-MM-DD; by default the newest trading day, loaded or not. */
  date?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface TimeQuery extends SecurityQuery {
  /** HH:MM, HH:MM:SS, HHMMSS or HHMMSSmmm, inclusive. */
  start?: string | undefined;
  /** Exclusive, in the same forms as `start`. */
  end?: string | undefined;
  /** Rows per request, 1 to 10,000. */
  pageSize?: number | undefined;
}

export interface TickQuery<F extends string> extends TimeQuery {
  /** Columns in the order wanted; the standard ones by default. */
  fields?: readonly F[] | undefined;
  /** Called when the day was rebuilt during reading and is read again from its first row. */
  onRebuild?: ((tradedate: string | null) => void) | undefined;
}

export interface ParquetQuery<F extends string = FieldName> extends SecurityQuery {
  fields?: readonly F[] | undefined;
}

/** Paging needs this column to continue at another base URL. */
const HELPER = "time";

const QUERY_OPTIONS = ["symbol", "date", "start", "end", "pageSize", "fields", "signal", "onRebuild"];

/**
 * Refuses unknown options. If they were ignored, `tradedate` instead of `date` would silently request the newest day.
 */
function refuseUnknown(query: object): void {
  const unknown = Object.keys(query).find((name) => !QUERY_OPTIONS.includes(name));
  if (unknown === undefined) return;
  throw new ConfigurationError(`there is no option ${unknown}; the options are ${QUERY_OPTIONS.join(", ")}`);
}

/** Returns the selection for paging. `hidesLast` is true if the last column was added and not requested. */
export function selectionOf(
  query: TickQuery<string>,
  dataset: DatasetName = "orders",
): { selection: Selection; hidesLast: boolean } {
  refuseUnknown(query);
  const { symbol, date, start, end, pageSize = MOST_ROWS } = query;
  if (!Number.isInteger(pageSize) || pageSize < 1)
    throw new ConfigurationError("pageSize must be 1 to 10,000");
  const fields = namesOf(query.fields);
  const hidesLast = fields !== null && !fields.includes(HELPER);
  return {
    hidesLast,
    selection: {
      dataset,
      params: { symbol, ...(start ? { start_time: start } : {}), ...(end ? { end_time: end } : {}) },
      tradedate: date ? dateOf(date) : null,
      fields: hidesLast ? [...fields, HELPER] : fields,
      pageSize: Math.min(pageSize, MOST_ROWS),
    },
  };
}

/** Returns `params` and `fields` of a Parquet request's body. */
export function parquetBody(query: ParquetQuery<string>): Record<string, unknown> {
  refuseUnknown(query);
  const { symbol, date, fields } = query;
  const params = { symbol, format: "parquet", ...(date ? { tradedate: dateOf(date) } : {}) };
  const names = namesOf(fields);
  return names === null ? { params } : { params, fields: names };
}

/** Returns `2026-03-11` as `20260311`. Returns other text unchanged, because the service checks it. */
export function dateOf(date: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(date) ? date.replaceAll("-", "") : date;
}

/** Returns each name once, because the service returns each column once; null for the standard columns. */
function namesOf(fields: readonly string[] | undefined): string[] | null {
  return fields === undefined || fields.length === 0 ? null : [...new Set(fields)];
}

/** Two multiplicative hashes of rows, which detect accidental differences, not deliberate ones. */
export class Fingerprint {
  #a = 0xdeadbeef;
  #b = 0x41c6ce57;
  /** The number of rows hashed so far. */
  rows = 0;

  add(row: Row): void {
    const text = JSON.stringify(row);
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      this.#a = Math.imul(this.#a ^ unit, 2654435761);
      this.#b = Math.imul(this.#b ^ unit, 1597334677);
    }
    this.#a ^= this.#b >>> 16;
    this.#b ^= this.#a >>> 13;
    this.rows++;
  }

  equals(other: Fingerprint): boolean {
    return this.rows === other.rows && this.#a === other.#a && this.#b === other.#b;
  }
}

export interface TicksOptions {
  signal: AbortSignal | undefined;
  /** Whether the last column was added for paging and is not returned. */
  hidesLast: boolean;
  onRebuild: ((tradedate: string | null) => void) | undefined;
}

/**
 * A stream of rows, created by `Client.orders` and similar methods; no request is sent before the first use. Each row
 * is returned once. After a `break` or an error such as a used-up quota, reading continues after the last returned
 * row. Concurrent iterators share the rows.
 *
 * A day that is rebuilt during reading is read again from its first row, once. If the rows already returned are equal,
 * the stream continues after them; otherwise it throws `DataRebuilt`.
 *
 * @example for await (const row of client.orders({ symbol: "600519", date: "20260311" })) console.log(row.price);
 */
export class Ticks<R extends object> implements AsyncIterable<R> {
  readonly #paging: Paging;
  readonly #options: TicksOptions;
  /** The hash of all returned rows. */
  #handed = new Fingerprint();
  /** The hash of the rows that were read again after a rebuild, up to the number of returned rows. */
  #again: Fingerprint | null = null;
  /** A page that was read but not returned yet. */
  #pending: Page<R> | null = null;
  /** Number of returned rows of the pending page. */
  #at = 0;
  /** The page that is being read. */
  #filling: Promise<boolean> | null = null;
  /** The rows that `toArray` read before an error. */
  readonly #collected: R[] = [];

  /** @internal */
  constructor(paging: Paging, options: TicksOptions) {
    this.#paging = paging;
    this.#options = options;
  }

  /** The day, YYYYMMDD; null before the first page if no date was given. */
  get tradedate(): string | null {
    return this.#paging.tradedate;
  }

  /** How often reading restarted because the day changed: 0 or 1. */
  get restarts(): number {
    return this.#paging.restarts;
  }

  /** Yields rows as objects. Throws `ServiceError` for a refusal, `ConnectionFailed` when no base URL answers. */
  async *[Symbol.asyncIterator](): AsyncGenerator<R, void, undefined> {
    do {
      for (let page = this.#ready(); page !== null; page = this.#ready()) {
        const row = page.items[this.#at++] as Row;
        this.#handed.add(row);
        yield objectOf<R>(page.fields, row);
      }
    } while (await this.#fill());
  }

  /** Yields rows as the service sends them, up to 10,000 at a time. */
  async *pages(): AsyncGenerator<Page<R>, void, undefined> {
    do {
      const page = this.#ready();
      if (page === null) continue;
      const rest = this.#take(page);
      for (const row of rest.items) this.#handed.add(row);
      yield rest;
    } while (await this.#fill());
  }

  /** Returns all rows not yet iterated. After an error, another call continues and returns them all. */
  async toArray(): Promise<R[]> {
    do {
      const page = this.#ready();
      if (page === null) continue;
      for (const row of this.#take(page).items) this.#collected.push(objectOf<R>(page.fields, row));
    } while (await this.#fill());
    return this.#collected.splice(0);
  }

  /** Returns the pending page if it has rows that were not yet returned, otherwise null. */
  #ready(): Page<R> | null {
    return this.#pending === null || this.#at >= this.#pending.items.length ? null : this.#pending;
  }

  #take(page: Page<R>): Page<R> {
    const items = this.#at === 0 ? page.items : page.items.slice(this.#at);
    this.#pending = null;
    return { ...page, items };
  }

  /**
   * Reads until a page has rows that were not yet returned. Returns false after the last page. Concurrent iterators
   * share the page.
   */
  #fill(): Promise<boolean> {
    this.#filling ??= this.#read().finally(() => {
      this.#filling = null;
    });
    return this.#filling;
  }

  async #read(): Promise<boolean> {
    while (this.#ready() === null) {
      const { signal, hidesLast, onRebuild } = this.#options;
      const step = await this.#paging.next(signal);
      if (step === null) {
        if (this.#again !== null) this.#refuse();
        return false;
      }
      if (step.isAnew) {
        onRebuild?.(this.tradedate);
        // The collected rows were not returned yet, so they are dropped, and the new rows are not compared with them.
        this.#collected.length = 0;
        this.#again = this.#handed.rows > 0 ? new Fingerprint() : null;
      }
      const { tradedate, revision } = step;
      const fields = (hidesLast ? step.fields.slice(0, -1) : step.fields) as Page<R>["fields"];
      const rows = hidesLast ? step.rows.map((row) => row.slice(0, -1)) : step.rows;
      this.#pending = { tradedate, revision, fields, items: this.#unhanded(rows) };
      this.#at = 0;
    }
    return true;
  }

  /** After a rebuild of the day, skips the rows that the caller has already received and returns the others. */
  #unhanded(rows: Row[]): Row[] {
    if (this.#again === null) return rows;
    let at = 0;
    for (const row of rows) {
      if (this.#again.rows === this.#handed.rows) break;
      this.#again.add(row);
      at++;
    }
    if (this.#again.rows < this.#handed.rows) return [];
    if (!this.#again.equals(this.#handed)) this.#refuse();
    this.#again = null;
    return rows.slice(at);
  }

  #refuse(): never {
    throw new DataRebuilt(
      `${this.tradedate} was rebuilt while it was read, and the ${this.#handed.rows} rows already returned have ` +
        "changed: read it again",
      { code: 422, reason: "data_rebuilt", requestId: null },
    );
  }
}

export function objectOf<R extends object>(fields: readonly string[], row: readonly unknown[]): R {
  const record: Record<string, unknown> = {};
  fields.forEach((field, column) => {
    record[field] = row[column];
  });
  return record as R;
}
