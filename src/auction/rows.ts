/**
 * Computes the opening call auction of a security from its quotes: one row for each call snapshot, and one for the
 * result. A snapshot's values decide whether it is a call snapshot or the result. Its time does not, because after
 * 09:25 both can occur in the same second (contract 8.10).
 */
import { type RowsOf, storedColumns } from "../datasets/dataset.ts";
import { LEVELS, quotes as quotesDataset } from "../datasets/quotes.ts";

const DEEPER = LEVELS.slice(1);

const NEEDED = [
  "closeE4",
  "preCloseE4",
  "volume",
  ...LEVELS.flatMap((n) => [`bid${n}E4`, `bidVolume${n}`, `ask${n}E4`, `askVolume${n}`] as const),
] as const;

/** The columns of a security's quotes from which its auction is computed. */
export type AuctionQuotes = Pick<RowsOf<typeof quotesDataset>, "rows" | "time" | (typeof NEEDED)[number]>;

/** Keys of the quote columns that the auction does not use. */
export const UNNEEDED_COLUMNS: readonly string[] = storedColumns(quotesDataset)
  .map(({ key }) => key)
  .filter((key) => !NEEDED.some((each) => each === key));

/** The time range of the auction's snapshots as HHMMSSmmm: `AUCTION_BEGIN` is inclusive, `AUCTION_END` exclusive. */
export const [AUCTION_BEGIN, AUCTION_END] = [91500000, 93000000] as const;
/** Times as HHMMSSmmm. A result is at or after `RESULT_BEGIN`; a call snapshot is before `CALL_END`. */
const [RESULT_BEGIN, CALL_END] = [92500000, 92510000] as const;

export interface AuctionRow {
  /** The quote's row number, from 0. */
  row: number;
  /** HHMMSSmmm. */
  time: number;
  isResult: boolean;
  /** The price in ten-thousandths of a yuan; 0 when nothing matches. */
  priceE4: number;
  /** The previous close in ten-thousandths of a yuan. */
  preCloseE4: number;
  /** The matched quantity in shares; in the result row, the traded quantity. */
  volume: number;
  unmatched: number;
  /** The side that has the unmatched quantity; empty when nothing is unmatched. */
  side: "b" | "s" | "";
}

/** A snapshot that is impossible in an auction and gets no row. */
export interface AuctionDefect {
  /**
   * `auction_snapshot` if the snapshot shows neither a virtual match nor the result; `auction_sides` if both sides
   * have an unmatched quantity.
   */
  kind: "auction_snapshot" | "auction_sides";
  /** The quote's row number, from 0. */
  row: number;
  /** The quote's time, HHMMSSmmm. */
  time: number;
}

export interface Auction {
  /** The rows in the order of the quotes; the result, if there is one, is the last row. */
  rows: AuctionRow[];
  defects: AuctionDefect[];
}

/** Returns the auction of a security. It has no rows when no quote is from 09:15 (inclusive) to 09:30 (exclusive). */
export function auctionOf(quotes: AuctionQuotes): Auction {
  const auction: Auction = { rows: [], defects: [] };
  for (let row = 0; row < quotes.rows; row++) {
    const time = quotes.time[row] ?? 0;
    if (time < AUCTION_BEGIN) continue;
    if (time >= AUCTION_END) break;
    if (isCall(quotes, row)) {
      const call = callRow(quotes, row);
      if (call === null) auction.defects.push({ kind: "auction_sides", row, time });
      else auction.rows.push(call);
    } else if (time >= RESULT_BEGIN) {
      auction.rows.push(resultRow(quotes, row));
      break;
    } else auction.defects.push({ kind: "auction_snapshot", row, time });
  }
  return auction;
}

/**
 * Returns whether a snapshot is a call snapshot. Such a snapshot shows either a virtual match, with the same price and
 * quantity on both sides, or no price and no quantity at all.
 */
function isCall(quotes: AuctionQuotes, row: number): boolean {
  if ((quotes.time[row] ?? 0) >= CALL_END || at(quotes.volume, row) !== 0) return false;
  if (!DEEPER.every((n) => at(quotes[`bid${n}E4`], row) === 0 && at(quotes[`ask${n}E4`], row) === 0))
    return false;
  const { bid1E4, ask1E4, bidVolume1, askVolume1 } = quotes;
  if (at(bid1E4, row) !== at(ask1E4, row) || at(bidVolume1, row) !== at(askVolume1, row)) return false;
  if (at(bid1E4, row) > 0) return true;
  return LEVELS.every(
    (n) => at(quotes[`bidVolume${n}`], row) === 0 && at(quotes[`askVolume${n}`], row) === 0,
  );
}

/**
 * Returns the row of a call snapshot, or `null` when both sides have an unmatched quantity. Level 2 of each side
 * contains that side's unmatched quantity.
 */
function callRow(quotes: AuctionQuotes, row: number): AuctionRow | null {
  const [buys, sells] = [at(quotes.bidVolume2, row), at(quotes.askVolume2, row)];
  if (buys > 0 && sells > 0) return null;
  return {
    row,
    time: quotes.time[row] ?? 0,
    isResult: false,
    priceE4: at(quotes.bid1E4, row),
    preCloseE4: at(quotes.preCloseE4, row),
    volume: at(quotes.bidVolume1, row),
    ...surplus(buys - sells),
  };
}

/** Returns the row of the result: the price and quantity traded, and the quantity left in the book at that price. */
function resultRow(quotes: AuctionQuotes, row: number): AuctionRow {
  const volume = at(quotes.volume, row);
  // The column `open` cannot be used: it is still 0 in Shanghai's first snapshot that includes the opening trade.
  const priceE4 = volume === 0 ? 0 : at(quotes.closeE4, row);
  const buys = priceE4 > 0 && at(quotes.bid1E4, row) === priceE4 ? at(quotes.bidVolume1, row) : 0;
  const sells = priceE4 > 0 && at(quotes.ask1E4, row) === priceE4 ? at(quotes.askVolume1, row) : 0;
  return {
    row,
    time: quotes.time[row] ?? 0,
    isResult: true,
    priceE4,
    preCloseE4: at(quotes.preCloseE4, row),
    volume,
    ...surplus(buys > 0 ? buys : -sells),
  };
}

/**
 * Returns the unmatched quantity and its side. `shares` is positive for unmatched buys and negative for unmatched
 * sells.
 */
export function surplus(shares: number): Pick<AuctionRow, "unmatched" | "side"> {
  return { unmatched: Math.abs(shares), side: shares > 0 ? "b" : shares < 0 ? "s" : "" };
}

function at(values: Float64Array, row: number): number {
  return values[row] ?? 0;
}

/**
 * The limit, in ten-thousandths of a yuan, up to which `percentChange` is exact in doubles. It applies to the price
 * change and to the previous close. If either is larger, `percentChange` uses `BigInt`.
 */
const MOST_EXACT = Number.MAX_SAFE_INTEGER / 4_000_000;

/**
 * Returns the change from the previous close to the price in percent, exactly computed and rounded half away from zero
 * to 4 decimals. Returns `null` when either price is 0. Both are in ten-thousandths of a yuan.
 */
export function percentChange({
  priceE4,
  preCloseE4,
}: Pick<AuctionRow, "priceE4" | "preCloseE4">): number | null {
  if (priceE4 === 0 || preCloseE4 === 0) return null;
  const change = priceE4 - preCloseE4;
  const size = Math.abs(change);
  const tenThousandths =
    size <= MOST_EXACT && preCloseE4 <= MOST_EXACT
      ? Math.floor((size * 2_000_000 + preCloseE4) / (2 * preCloseE4))
      : Number((BigInt(size) * 2_000_000n + BigInt(preCloseE4)) / (2n * BigInt(preCloseE4)));
  return (tenThousandths === 0 ? 0 : Math.sign(change) * tenThousandths) / 10_000;
}
