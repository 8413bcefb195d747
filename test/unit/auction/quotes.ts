/** Creates snapshots of one security, row by row. Prices are in ten-thousandths of a yuan. */
import type { AuctionQuotes } from "../../../src/auction/rows.ts";

/** One side of the book: the price and the number of shares of each level, from level 1. Other levels are empty. */
type Side = readonly (readonly [number, number])[];

export interface Snapshot {
  time: number;
  close?: number;
  preClose?: number;
  volume?: number;
  bid?: Side;
  ask?: Side;
}

export const PRE_CLOSE = 100_000;

/**
 * Returns a snapshot of the call auction with `matched` shares at `price`. `left` is the number of unmatched shares:
 * positive if buyers remain, negative if sellers remain.
 */
export function call(time: number, price: number, matched: number, left = 0): Snapshot {
  const level = [price, matched] as const;
  return { time, bid: [level, [0, Math.max(0, left)]], ask: [level, [0, Math.max(0, -left)]] };
}

/** Returns the snapshots as columns, in the given order. */
export function quotesOf(snapshots: readonly Snapshot[]): AuctionQuotes {
  const column = (of: (snapshot: Snapshot) => number) => Float64Array.from(snapshots, of);
  const levels = Array.from({ length: 10 }, (_, place) => [
    [`bid${place + 1}E4`, column(({ bid }) => bid?.[place]?.[0] ?? 0)],
    [`bidVolume${place + 1}`, column(({ bid }) => bid?.[place]?.[1] ?? 0)],
    [`ask${place + 1}E4`, column(({ ask }) => ask?.[place]?.[0] ?? 0)],
    [`askVolume${place + 1}`, column(({ ask }) => ask?.[place]?.[1] ?? 0)],
  ]);
  return {
    rows: snapshots.length,
    time: Int32Array.from(snapshots, ({ time }) => time),
    closeE4: column(({ close }) => close ?? 0),
    preCloseE4: column(({ preClose }) => preClose ?? PRE_CLOSE),
    volume: column(({ volume }) => volume ?? 0),
    ...Object.fromEntries(levels.flat()),
  } as AuctionQuotes;
}
