/** The rows of one security on one day, as the checks read them. */
import type { Auction } from "../auction/rows.ts";
import type { CodeColumn, RowsOf } from "../datasets/dataset.ts";
import type { trades } from "../datasets/trades.ts";
import type { Market, OrderColumns, Security } from "../orders/record.ts";

export type TradeColumns = RowsOf<typeof trades>;

/** Keys of columns that no check reads. */
export const UNREAD_COLUMNS = ["orderId", "orderKind"];

/** The totals of a day before 15:05, in shares, in yuan, and in ten-thousandths of a yuan. */
export interface DayTotals {
  volume: number;
  amount: number;
  highE4: number;
  lowE4: number;
}

/** The number of a security's snapshots, and the times of the first and the last one, HHMMSSmmm. */
export interface QuoteSpan {
  rows: number;
  first: number;
  last: number;
}

export interface SecurityDay extends Security {
  /** `null` where the day has no pack of the dataset; 0 rows where the pack has no rows of the security. */
  orders: OrderColumns | null;
  trades: TradeColumns | null;
  /** `null` when there is no snapshot before 15:05. */
  lastSnapshot: DayTotals | null;
  /** Absent when there are no snapshots. */
  quoteSpan?: QuoteSpan | undefined;
  /** The opening auction from the quotes; absent where the day has no quotes. */
  auction?: Auction | undefined;
}

/** The kind of an order row. `UNPRICED`: a market order or a best-own-side order in Shenzhen. */
export const [IGNORED, LIMIT, UNPRICED, CANCEL] = [0, 1, 2, 3] as const;
/** The sides of orders. The side is 0 for a code other than B and S. */
export const [BUY, SELL] = [1, 2] as const;

/** Returns the kind of each order: `IGNORED`, `LIMIT`, `UNPRICED` or `CANCEL`. */
export function orderKinds({ orderType }: OrderColumns, market: Market): Uint8Array {
  return coded(orderType, market === "SH" ? shanghaiKind : shenzhenKind);
}

/** Rows of type S are not orders; they mark phases of the day. */
function shanghaiKind(type: string): number {
  return type === "A" ? LIMIT : type === "D" ? CANCEL : IGNORED;
}

/** Only a limit order (0) has its own price. */
function shenzhenKind(type: string): number {
  return type === "0" ? LIMIT : UNPRICED;
}

/** Returns the side of each order: `BUY`, `SELL` or 0. */
export function orderSides({ orderCode }: OrderColumns): Uint8Array {
  return coded(orderCode, sideOf);
}

function sideOf(code: string): number {
  return code === "B" ? BUY : code === "S" ? SELL : 0;
}

/** Returns 1 for each trade that is a cancel of Shenzhen, else 0. */
export function shenzhenCancels({ tradeCode }: TradeColumns): Uint8Array {
  return coded(tradeCode, isCancelCode);
}

function isCancelCode(code: string): number {
  return code === "C" ? 1 : 0;
}

type Meaning = (text: string) => number;

/** The cached results of `coded`. Several checks read the same column with the same meaning. */
const known = new WeakMap<CodeColumn, Map<Meaning, Uint8Array>>();

/**
 * Applies `meaning` to the text in each row of a code column, and returns the results. The caller must not change the
 * array.
 */
export function coded(column: CodeColumn, meaning: Meaning): Uint8Array {
  const ofColumn = known.get(column) ?? new Map<Meaning, Uint8Array>();
  const out = ofColumn.get(meaning) ?? codedRows(column, meaning);
  known.set(column, ofColumn.set(meaning, out));
  return out;
}

function codedRows({ values, index }: CodeColumn, meaning: Meaning): Uint8Array {
  const numbers = values.map(meaning);
  const out = new Uint8Array(index.length);
  for (let row = 0; row < out.length; row++) out[row] = numbers[index[row] ?? 0] ?? 0;
  return out;
}

/** Returns whether the numbers are above 0 and each is above the one before. */
export function isAscending(numbers: Float64Array): boolean {
  let before = 0;
  for (const number of numbers) {
    if (number <= before) return false;
    before = number;
  }
  return true;
}

/** Returns `time` (HHMMSSmmm) as milliseconds since midnight. */
export function sinceMidnightMs(time: number): number {
  const seconds = Math.floor(time / 1000);
  const minutes = Math.floor(seconds / 100);
  return ((Math.floor(minutes / 100) * 60 + (minutes % 100)) * 60 + (seconds % 100)) * 1000 + (time % 1000);
}
