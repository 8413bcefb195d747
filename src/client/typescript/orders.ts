/** The orders of one security on one day as a stream of rows, read page by page when they are asked for. */
import { DataRebuilt } from "./errors.ts";
import { Fingerprint } from "./fingerprint.ts";
import type { Row } from "./page.ts";
import type { Field, FieldName, OrderPage, OrderRow } from "./types.ts";
import type { Walk } from "./walk.ts";

export interface OrdersOptions {
  signal: AbortSignal | undefined;
  /** Whether the last column was added for the walk's own use. */
  hidesLast: boolean;
  onRebuild: ((tradedate: string | null) => void) | undefined;
}

/**
 * A stream of orders, made by `Client.orders`; nothing is asked before the first use. It is read once: after a
 * `break`, or after an error such as a used-up quota, reading on continues behind the last row handed out, and
 * iterators at the same time share the rows, each of which comes once.
 *
 * A day that is rebuilt meanwhile is read again from its first row, once. Rows already handed out are compared
 * then, and the stream goes on behind them when they are the same; otherwise it throws `DataRebuilt`.
 *
 * @example for await (const row of client.orders({ symbol: "600519", date: "20260311" })) console.log(row.price);
 */
export class Orders<F extends FieldName = Field> implements AsyncIterable<OrderRow<F>> {
  readonly #walk: Walk;
  readonly #options: OrdersOptions;
  /** Of all rows handed out. */
  #handed = new Fingerprint();
  /** Of the rows read again after a rebuild, until they are as many as were handed out. */
  #again: Fingerprint | null = null;
  /** Read, not handed out yet. */
  #pending: OrderPage<F> | null = null;
  /** Rows of the pending page that were handed out. */
  #at = 0;
  /** The page that is being read. */
  #filling: Promise<boolean> | null = null;
  /** What `toArray` read before an error. */
  readonly #collected: OrderRow<F>[] = [];

  constructor(walk: Walk, options: OrdersOptions) {
    this.#walk = walk;
    this.#options = options;
  }

  /** The day, YYYYMMDD; null before the first page when no date was given. */
  get tradedate(): string | null {
    return this.#walk.tradedate;
  }

  /** How often the day was read anew because it changed meanwhile: 0 or 1. */
  get restarts(): number {
    return this.#walk.restarts;
  }

  /** Rows as objects. Throws `ServiceError` for a refusal, `ConnectionFailed` when no line answers. */
  async *[Symbol.asyncIterator](): AsyncGenerator<OrderRow<F>, void, undefined> {
    do {
      for (let page = this.#ready(); page !== null; page = this.#ready()) {
        const row = page.items[this.#at++] as Row;
        this.#handed.add(row);
        yield objectOf<F>(page.fields, row);
      }
    } while (await this.#fill());
  }

  /** Rows as the service sends them, up to 10,000 at a time. Throws the same as iterating. */
  async *pages(): AsyncGenerator<OrderPage<F>, void, undefined> {
    do {
      const page = this.#ready();
      if (page === null) continue;
      const rest = this.#take(page);
      for (const row of rest.items) this.#handed.add(row);
      yield rest;
    } while (await this.#fill());
  }

  /** All rows that were not read by iterating. After an error the same call goes on and returns them all. */
  async toArray(): Promise<OrderRow<F>[]> {
    do {
      const page = this.#ready();
      if (page === null) continue;
      for (const row of this.#take(page).items) this.#collected.push(objectOf<F>(page.fields, row));
    } while (await this.#fill());
    return this.#collected.splice(0);
  }

  /** The page that has rows to hand out, if there is one. */
  #ready(): OrderPage<F> | null {
    return this.#pending === null || this.#at >= this.#pending.items.length ? null : this.#pending;
  }

  /** What was not handed out of the pending page, which is over then. */
  #take(page: OrderPage<F>): OrderPage<F> {
    const items = this.#at === 0 ? page.items : page.items.slice(this.#at);
    this.#pending = null;
    return { ...page, items };
  }

  /** Reads on until a page has rows to hand out; false after the last. Iterators at the same time share the page. */
  #fill(): Promise<boolean> {
    this.#filling ??= this.#read().finally(() => {
      this.#filling = null;
    });
    return this.#filling;
  }

  async #read(): Promise<boolean> {
    while (this.#ready() === null) {
      const { signal, hidesLast, onRebuild } = this.#options;
      const step = await this.#walk.next(signal);
      if (step === null) {
        if (this.#again !== null) this.#refuse();
        return false;
      }
      if (step.isAnew) {
        onRebuild?.(this.tradedate);
        // Collected rows were not handed out: the new ones take their place without a comparison.
        this.#collected.length = 0;
        this.#again = this.#handed.rows > 0 ? new Fingerprint() : null;
      }
      const { tradedate, revision } = step;
      const fields = (hidesLast ? step.fields.slice(0, -1) : step.fields) as F[];
      const rows = hidesLast ? step.rows.map((row) => row.slice(0, -1)) : step.rows;
      this.#pending = { tradedate, revision, fields, items: this.#unhanded(rows) };
      this.#at = 0;
    }
    return true;
  }

  /** The rows behind those that were handed out before the day was rebuilt. */
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
      `${this.tradedate} was rebuilt while it was read, and the ${this.#handed.rows} rows handed out are not the ` +
        "same any more: begin again",
      { code: 422, reason: "data_rebuilt", requestId: null },
    );
  }
}

function objectOf<F extends FieldName>(fields: readonly string[], row: Row): OrderRow<F> {
  const record: Record<string, unknown> = {};
  fields.forEach((field, column) => {
    record[field] = row[column];
  });
  return record as OrderRow<F>;
}
