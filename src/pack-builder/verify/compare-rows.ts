/** Rows that a foreign reader finds, walked against the day index: order, places of blocks, amounts, fingerprints. */
import { amountOf } from "../../orders/record.ts";
import { PackFormatError } from "../../packs/errors.ts";
import type { DayIndex, SectionEntry } from "../../packs/layout.ts";
import { Fingerprint } from "../fingerprint.ts";
import type { ForeignReader, ForeignRows } from "./foreign-rows.ts";
import type { BlockTimes } from "./pack-bytes.ts";

export interface ComparedSecurity {
  fingerprint: number;
  times: BlockTimes;
}

const TWO_32 = 0x1_0000_0000;

/**
 * Reads all rows and gives what it saw of every security, in the order of the index. Throws `PackFormatError`
 * with the security and row of the first difference. `onProgress` is given the share of the rows, from 0 to 1.
 */
export async function compareRows(
  index: DayIndex,
  reader: ForeignReader,
  onProgress: (share: number) => void,
): Promise<ComparedSecurity[]> {
  const walk = new RowWalk(index, reader);
  const total = index.entries.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  for await (const rows of reader.rows()) {
    walk.take(rows);
    done += rows.rows;
    onProgress(Math.min(1, done / total));
  }
  return walk.end();
}

class RowWalk {
  private readonly index: DayIndex;
  private readonly types: number[];
  private readonly codes: number[];
  private readonly done: ComparedSecurity[] = [];
  private entry: SectionEntry | undefined;
  private symbol = -1;
  /** Row of the security that comes next. */
  private row = 0;
  private block = 0;
  /** Row at which the next block begins. */
  private blockAt = 0;
  private time = -1;
  /** Rows of the present time so far. */
  private sameTime = 0;
  private fingerprint = new Fingerprint();
  private times: { first: string; last: string }[] = [];

  constructor(index: DayIndex, { types, codes }: { types: number[]; codes: number[] }) {
    this.index = index;
    this.types = types;
    this.codes = codes;
    this.begin();
  }

  take(rows: ForeignRows): void {
    const { types, codes } = this;
    for (let i = 0; i < rows.rows; i++) {
      if (this.row === this.entry?.rows) this.finish();
      if (rows.symbol[i] !== this.symbol) this.fail(`is of ${rows.symbol[i]}`);
      const time = rows.time[i] ?? 0;
      if (time < this.time) this.fail("is earlier than the row before it");
      this.sameTime = time === this.time ? this.sameTime + 1 : 0;
      if (this.row === this.blockAt) this.beginBlock(time);
      this.time = time;
      const priceE4 = Math.round((rows.price[i] ?? 0) * 10_000);
      const low = rows.volume[2 * i] ?? 0;
      const high = rows.volume[2 * i + 1] ?? 0;
      const volume = high * TWO_32 + (low >>> 0);
      if (rows.price[i] !== priceE4 / 10_000) this.fail(`has the price ${rows.price[i]}`);
      if (rows.amount[i] !== amountOf(priceE4, volume)) this.fail(`has the amount ${rows.amount[i]}`);
      const { fingerprint } = this;
      fingerprint.add(time);
      fingerprint.addWords(rows.orderId[2 * i] ?? 0, rows.orderId[2 * i + 1] ?? 0);
      fingerprint.addWords(rows.exchangeOrderId[2 * i] ?? 0, rows.exchangeOrderId[2 * i + 1] ?? 0);
      fingerprint.add(types[rows.orderType[i] ?? 0] ?? 0);
      fingerprint.add(codes[rows.orderCode[i] ?? 0] ?? 0);
      fingerprint.add(priceE4);
      fingerprint.addWords(low, high);
      this.row += 1;
    }
  }

  end(): ComparedSecurity[] {
    if (this.entry !== undefined && this.row === this.entry.rows) this.finish();
    if (this.entry !== undefined) this.fail("is missing");
    return this.done;
  }

  /** Moves to the next security that has rows. */
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
    this.fingerprint = new Fingerprint();
    this.times = [];
  }

  private finish(): void {
    if (this.time !== this.entry?.lastTime) this.fail(`is missing: the last one is of ${this.time}`);
    this.endBlock();
    if (this.time !== this.entry?.lastTime) {
      this.fail(`comes after the time ${this.time}; the index says it ends at ${this.entry?.lastTime}`);
    }
    this.done.push({ fingerprint: this.fingerprint.value(), times: this.times });
    this.begin();
  }

  private beginBlock(time: number): void {
    const block = this.entry?.blocks[this.block];
    if (this.row > 0) this.endBlock();
    if (block?.t0 !== time || block.k0 !== this.sameTime) {
      this.fail(`has time ${time}, ${this.sameTime} rows into it; the index says ${block?.t0}, ${block?.k0}`);
    }
    this.times.push({ first: nineDigits(time), last: "" });
    this.block += 1;
    this.blockAt = this.entry?.blocks[this.block]?.firstRow ?? -1;
  }

  private endBlock(): void {
    const times = this.times.at(-1);
    if (times !== undefined) times.last = nineDigits(this.time);
  }

  private fail(what: string): never {
    const { entry } = this;
    const where = entry === undefined ? "behind the last security" : `of ${entry.symbol}.${entry.market}`;
    throw new PackFormatError(`row ${this.row} ${where} ${what}`);
  }
}

function nineDigits(time: number): string {
  return String(time).padStart(9, "0");
}
