/** What every contestant is asked, and what it must be able to do. */
import type { Position } from "../../../src/orders/query/page-plan.ts";
import type { SectionEntry } from "../../../src/packs/layout.ts";
import type { BenchDay } from "../days.ts";

/** Rows of one security in the order of the day: `limit` at most, from `from` (inclusive) to `endTime` (exclusive). */
export interface RowsAsk {
  what: string;
  symbol: string;
  from: Position;
  /** HHMMSSmmm as a number; null: to the end of the day. */
  endTime: number | null;
  limit: number;
  /** Where these rows stand, for those that cannot look for them: rows and row groups of the whole pack. */
  told: { startRow: number; endRow: number; rowGroups: number[]; rowsBeforeGroups: number };
}

/** A program or library with the day's rows in the form it likes best. */
export interface Rival {
  name: string;
  /** The rows as JSON text: an array of arrays of the ten fields. */
  rows(ask: RowsAsk): Promise<string | Uint8Array>;
  /** All rows of the security as a Parquet file of its own, ZSTD; absent: it cannot. */
  parquet?(symbol: string, path: string): Promise<void>;
  close?(): void;
}

/** What a rival is made from. */
export interface RivalSetting {
  day: BenchDay;
  /** For what it stores itself; removed afterwards. */
  folder: string;
}

/** HHMMSSmmm as the nine digits that stand in the pack. */
export function nineDigits(time: number): string {
  return String(time).padStart(9, "0");
}

/** The rows and row groups of the pack that stand before the section `entry`. */
export function before({ pack }: BenchDay, entry: SectionEntry): { rows: number; rowGroups: number } {
  let [rows, rowGroups] = [0, 0];
  for (const each of pack.index.entries) {
    if (each === entry) break;
    rows += each.rows;
    rowGroups += each.blocks.length;
  }
  return { rows, rowGroups };
}
