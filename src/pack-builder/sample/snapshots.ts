/**
 * Generates the snapshots of a sample market: one every three seconds if something changed. The totals of a snapshot
 * include all trades up to and including its time.
 */
import { type RowsOf, storedColumns } from "../../datasets/dataset.ts";
import { LEVELS, quotes } from "../../datasets/quotes.ts";
import type { CallPrice } from "./call-auction.ts";
import { BUY, SELL, type Side } from "./columns.ts";
import type { Levels } from "./levels.ts";
import { clockTime } from "./session.ts";

export type QuoteColumns = RowsOf<typeof quotes>;

type Key = Exclude<keyof QuoteColumns, "rows" | "time">;

const KEYS = storedColumns(quotes).map(({ key }) => key as Key);
const PLACES = Object.fromEntries(KEYS.map((key, place) => [key, place])) as Record<Key, number>;

/** Positions of each level's cells. */
const LEVEL_PLACES = LEVELS.map((level) => ({
  bid: PLACES[`bid${level}E4`],
  bidVolume: PLACES[`bidVolume${level}`],
  ask: PLACES[`ask${level}E4`],
  askVolume: PLACES[`askVolume${level}`],
}));

const INTERVAL_MS = 3000;

/**
 * The times at which snapshots can be due, ascending, HHMMSSmmm. The snapshots with the results of the auctions are not
 * included.
 */
const DUE = [
  { from: [9, 15, 0], to: [9, 24, 57], isCall: true },
  { from: [9, 30, 0], to: [11, 30, 0], isCall: false },
  { from: [13, 0, 0], to: [14, 56, 57], isCall: false },
  { from: [14, 57, 0], to: [14, 59, 57], isCall: true },
].flatMap(({ from, to, isCall }) => {
  const ms = ([hours = 0, minutes = 0, seconds = 0]: number[]) =>
    ((hours * 60 + minutes) * 60 + seconds) * 1000;
  const count = (ms(to) - ms(from)) / INTERVAL_MS + 1;
  return Array.from({ length: count }, (_, step) => ({
    time: clockTime(ms(from) + step * INTERVAL_MS),
    isCall,
  }));
});

interface Snapshot {
  time: number;
  /** The columns in the order of the dataset's stored columns. */
  cells: Float64Array;
}

/** Returns snapshots as columns. */
export function quoteColumns(snapshots: readonly Snapshot[]): QuoteColumns {
  const columns = KEYS.map((key, place) => [
    key,
    Float64Array.from(snapshots, ({ cells }) => cells[place] ?? 0),
  ]);
  const time = Int32Array.from(snapshots, (snapshot) => snapshot.time);
  return { rows: snapshots.length, time, ...Object.fromEntries(columns) };
}

export class SnapshotRecorder {
  private readonly levels: Readonly<Record<Side, Levels>>;
  private readonly preCloseE4: number;
  private readonly virtualMatch: () => CallPrice | null;
  /** The snapshots so far. */
  readonly snapshots: Snapshot[] = [];
  private next = 0;
  private changes = -1;
  private trades = 0;
  private volume = 0;
  /** The turnover and the prices of the day so far, in ten-thousandths of a yuan. */
  private amountE4 = 0;
  private openE4 = 0;
  private highE4 = 0;
  private lowE4 = 0;
  private lastE4 = 0;

  /** `virtualMatch` returns the current virtual match of an auction. */
  constructor(
    levels: Readonly<Record<Side, Levels>>,
    preCloseE4: number,
    virtualMatch: () => CallPrice | null,
  ) {
    this.levels = levels;
    this.preCloseE4 = preCloseE4;
    this.virtualMatch = virtualMatch;
  }

  /** Adds a trade to the totals of the day. */
  traded(priceE4: number, volume: number): void {
    this.trades += 1;
    this.volume += volume;
    this.amountE4 += priceE4 * volume;
    if (this.openE4 === 0) this.openE4 = priceE4;
    this.highE4 = Math.max(this.highE4, priceE4);
    this.lowE4 = this.lowE4 === 0 ? priceE4 : Math.min(this.lowE4, priceE4);
    this.lastE4 = priceE4;
  }

  /** Adds the snapshots that are due before `time` and differ from the last one. */
  takeBefore(time: number): void {
    for (let due = DUE[this.next]; due !== undefined && due.time < time; due = DUE[++this.next]) {
      if (this.changesSoFar() !== this.changes) this.take(due.time, due.isCall);
    }
  }

  private changesSoFar(): number {
    return this.levels[BUY].changes + this.levels[SELL].changes;
  }

  /** Adds a snapshot: of the virtual match if `isCall` (during a call auction), otherwise of the book. */
  take(time: number, isCall = false): void {
    this.changes = this.changesSoFar();
    const row = new Float64Array(KEYS.length);
    row[PLACES.openE4] = this.openE4;
    row[PLACES.highE4] = this.highE4;
    row[PLACES.lowE4] = this.lowE4;
    row[PLACES.closeE4] = this.lastE4;
    row[PLACES.preCloseE4] = this.preCloseE4;
    row[PLACES.volume] = this.volume;
    row[PLACES.amount] = this.amountE4 / 10_000;
    row[PLACES.numTrades] = this.trades;
    if (isCall) this.writeMatch(row);
    else this.writeBook(row);
    this.snapshots.push({ time, cells: row });
  }

  /**
   * Writes the levels of a snapshot during a call: the virtual match at level 1, the unmatched quantity at level 2, and
   * no other cell.
   */
  private writeMatch(row: Float64Array): void {
    const [first, second] = LEVEL_PLACES;
    const match = this.virtualMatch();
    if (match === null || first === undefined || second === undefined) return;
    row[first.bid] = match.priceE4;
    row[first.ask] = match.priceE4;
    row[first.bidVolume] = match.matched;
    row[first.askVolume] = match.matched;
    row[second.bidVolume] = Math.max(0, match.surplus);
    row[second.askVolume] = Math.max(0, -match.surplus);
  }

  private writeBook(row: Float64Array): void {
    const { [BUY]: bids, [SELL]: asks } = this.levels;
    for (const [at, { bid, bidVolume, ask, askVolume }] of LEVEL_PLACES.entries()) {
      row[bid] = bids.prices[at] ?? 0;
      row[bidVolume] = bids.volumes[at] ?? 0;
      row[ask] = asks.prices[at] ?? 0;
      row[askVolume] = asks.volumes[at] ?? 0;
    }
    row[PLACES.totalBidVolume] = bids.volume;
    row[PLACES.totalAskVolume] = asks.volume;
    row[PLACES.avgBidPriceE4] = average(bids);
    row[PLACES.avgAskPriceE4] = average(asks);
  }
}

function average({ volume, worth }: Levels): number {
  return volume === 0 ? 0 : Math.round(worth / volume);
}
