/**
 * Compares the rows of a pack, as another Parquet reader returns them, with the day index. Checks the order of the
 * rows, the block positions and the amounts, and computes the fingerprints of the rows.
 */
import { type Column, type Dataset, type StoredOf, storedColumns } from "../../datasets/dataset.ts";
import { DATASETS } from "../../datasets/registry.ts";
import { formatTimeOfDay } from "../../orders/query/time-window.ts";
import { amountOf } from "../../orders/record.ts";
import { PackFormatError } from "../../packs/errors.ts";
import type { DayIndex, SectionEntry } from "../../packs/layout.ts";
import { Fingerprint, TIME_COLUMN } from "../fingerprint.ts";
import type { ForeignColumn, ForeignRows } from "./foreign-rows.ts";
import type { BlockTimes } from "./pack-bytes.ts";

export interface ComparedSecurity {
  fingerprint: number;
  times: BlockTimes;
}

const TWO_32 = 0x1_0000_0000;

/**
 * Compares rows that are added in order, a batch at a time. Throws `PackFormatError` with the security and row of the
 * first difference.
 */
export class RowComparison {
  private readonly index: DayIndex;
  private readonly dataset: Dataset;
  private readonly stored: StoredOf[];
  private readonly amounts: Extract<Column, { kind: "amount" }>[];
  private readonly done: ComparedSecurity[] = [];
  private entry: SectionEntry | undefined;
  private symbol = -1;
  /** The next row's number within the security. */
  private row = 0;
  private block = 0;
  /** The row at which the next block begins. */
  private blockAt = 0;
  private time = -1;
  /** The number of the security's earlier rows that have the same time as the latest row. */
  private sameTime = 0;
  private fingerprint: Fingerprint;
  private times: { first: string; last: string }[] = [];
  /** Reused memory for the prices of each column. New memory for every batch would stay until V8 collects it. */
  private readonly rounded = new Map<string, Float64Array>();

  constructor(index: DayIndex) {
    this.index = index;
    this.dataset = DATASETS[index.dataset];
    this.stored = storedColumns(this.dataset);
    this.amounts = this.dataset.columns.filter((column) => column.kind === "amount");
    this.fingerprint = new Fingerprint(this.dataset);
    this.begin();
  }

  /** Adds the next rows. */
  take(rows: ForeignRows): void {
    for (let from = 0; from < rows.rows; ) {
      if (this.row === this.entry?.rows) this.finish();
      const to = Math.min(rows.rows, from + Math.max(1, (this.entry?.rows ?? 0) - this.row));
      const first = this.row;
      for (let i = from; i < to; i++) this.place(rows.symbol[i] ?? -1, rows.time[i] ?? 0);
      this.addColumns(rows, from, to, first);
      from = to;
    }
  }

  /** Checks the position of the next row. */
  private place(symbol: number, time: number): void {
    if (symbol !== this.symbol) this.fail(`has the symbol ${String(symbol).padStart(6, "0")}`);
    if (time < this.time) this.fail("is earlier than the row before it");
    this.sameTime = time === this.time ? this.sameTime + 1 : 0;
    if (this.row === this.blockAt) this.beginBlock(time);
    this.time = time;
    this.row += 1;
  }

  /**
   * Adds the rows `[from, to)` to the fingerprint and checks their amounts. The first of them is row `first` of the
   * security.
   */
  private addColumns(rows: ForeignRows, from: number, to: number, first: number): void {
    const { fingerprint } = this;
    const pricesE4: Record<string, Float64Array> = {};
    fingerprint.addNumbers(TIME_COLUMN, rows.time, from, to);
    for (const [number, { kind, name }] of this.stored.entries()) {
      const column = TIME_COLUMN + 1 + number;
      const values = columnOf(rows, name);
      if (kind === "code") fingerprint.addIndexed(column, rows.texts[name] ?? [], values, from, to);
      else if (values instanceof Int32Array) fingerprint.addPairs(column, values, from, to);
      else if (values instanceof Float64Array && kind === "yuan") {
        fingerprint.addDoubles(column, values, from, to);
      } else if (values instanceof Float64Array) {
        const rounded = this.pricesE4(name, values.subarray(from, to), first);
        pricesE4[name] = rounded;
        fingerprint.addNumbers(column, rounded, 0, to - from);
      }
    }
    for (const { name, price, volume } of this.amounts) {
      const amounts = columnOf(rows, name);
      const volumes = columnOf(rows, volume);
      for (let i = from; i < to; i++) {
        const shares = (volumes[2 * i + 1] ?? 0) * TWO_32 + ((volumes[2 * i] ?? 0) >>> 0);
        const expected = amountOf(pricesE4[price]?.[i - from] ?? 0, shares);
        if (amounts[i] !== expected) this.fail(`has the wrong ${name} ${amounts[i]}`, first + i - from);
      }
    }
  }

  /**
   * Returns `prices` × 10000; each price must be a whole number of ten-thousandths. The result can be longer than
   * `prices`, and is valid until the next call with the same `name`.
   */
  private pricesE4(name: string, prices: Float64Array, first: number): Float64Array {
    let rounded = this.rounded.get(name);
    if (rounded === undefined || rounded.length < prices.length) {
      rounded = new Float64Array(prices.length);
      this.rounded.set(name, rounded);
    }
    for (let i = 0; i < prices.length; i++) {
      const priceE4 = Math.round((prices[i] ?? 0) * 10_000);
      if (prices[i] !== priceE4 / 10_000) this.fail(`has the wrong ${name} ${prices[i]}`, first + i);
      rounded[i] = priceE4;
    }
    return rounded;
  }

  /** Returns the result for every security in the order of the index. */
  end(): ComparedSecurity[] {
    if (this.entry !== undefined && this.row === this.entry.rows) this.finish();
    if (this.entry !== undefined) this.fail("is missing");
    return this.done;
  }

  /** Advances to the next security with rows. */
  private begin(): void {
    this.entry = this.index.entries[this.done.length];
    while (this.entry?.rows === 0) {
      this.done.push({ fingerprint: 0, times: [] });
      this.entry = this.index.entries[this.done.length];
    }
    this.symbol = Number(this.entry?.symbol ?? -1);
    this.row = 0;
    this.block = 0;
    this.blockAt = 0;
    this.time = -1;
    this.fingerprint = new Fingerprint(this.dataset);
    this.times = [];
  }

  private finish(): void {
    this.endBlock();
    if (this.time !== this.entry?.lastTime) {
      const said = `the index says that its last row has ${this.entry?.lastTime}`;
      this.fail(`is the last one and has the time ${this.time}; ${said}`, this.row - 1);
    }
    this.done.push({ fingerprint: this.fingerprint.value(), times: this.times });
    this.begin();
  }

  private beginBlock(time: number): void {
    const block = this.entry?.blocks[this.block];
    if (this.row > 0) this.endBlock();
    if (block?.t0 !== time || block.k0 !== this.sameTime) {
      this.fail(
        `begins a block at ${time} after ${this.sameTime} rows of that time; ` +
          `the index says ${block?.t0} after ${block?.k0}`,
      );
    }
    this.times.push({ first: formatTimeOfDay(time), last: "" });
    this.block += 1;
    this.blockAt = this.entry?.blocks[this.block]?.firstRow ?? -1;
  }

  private endBlock(): void {
    const times = this.times.at(-1);
    if (times !== undefined) times.last = formatTimeOfDay(this.time);
  }

  private fail(what: string, row = this.row): never {
    const { entry } = this;
    const where = entry === undefined ? "after the last security" : `of ${entry.symbol}.${entry.market}`;
    throw new PackFormatError(`row ${row} ${where} ${what}`);
  }
}

function columnOf({ columns }: ForeignRows, name: string): ForeignColumn {
  const column = columns[name];
  if (column === undefined) throw new PackFormatError(`the pack has no column ${name}`);
  return column;
}
