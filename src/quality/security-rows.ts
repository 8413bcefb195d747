/** The rows of one security on one day, as the checks read them. */
import type { Auction } from "../auction/rows.ts";
import type { CodeColumn, RowsOf } from "../datasets/dataset.ts";
import type { trades } from "../datasets/trades.ts";
import type { OrderColumns, Security } from "../orders/record.ts";

export type TradeColumns = RowsOf<typeof trades>;

/** Keys of columns that no check reads. */
export const UNREAD_COLUMNS = ["orderId", "orderKind"];

/** The totals of a day's last snapshot before 15:05. */
export interface LastSnapshot {
  /** The day's cumulative volume in shares, as in the source. */
  volume: number;
  /** The day's cumulative amount in yuan, as in the source. */
  amount: number;
  /** The day's highest price, ten-thousandths of a yuan. */
  highE4: number;
  /** The day's lowest price, ten-thousandths of a yuan. */
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
  lastSnapshot: LastSnapshot | null;
  /** Absent when there are no snapshots. */
  quoteSpan?: QuoteSpan | undefined;
  /** The opening auction from the quotes; absent where the day has no quotes. */
  auction?: Auction | undefined;
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

/** Returns `time` (HHMMSSmmm) as milliseconds since midnight. */
export function sinceMidnightMs(time: number): number {
  const seconds = Math.floor(time / 1000);
  const minutes = Math.floor(seconds / 100);
  return ((Math.floor(minutes / 100) * 60 + (minutes % 100)) * 60 + (seconds % 100)) * 1000 + (time % 1000);
}
