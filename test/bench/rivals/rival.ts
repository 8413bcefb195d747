/** The tasks of the contestants, and the interface that each of them implements. */
import type { Position } from "../../../src/orders/query/page-plan.ts";
import type { SectionEntry } from "../../../src/packs/layout.ts";
import type { BenchDay } from "../days.ts";

/** Asks for rows of one security in time order: at most `limit`, from `from` (inclusive) to `endTime` (exclusive). */
export interface RowsAsk {
  what: string;
  symbol: string;
  from: Position;
  /** HHMMSSmmm as a number; null for the end of the day. */
  endTime: number | null;
  limit: number;
  /** The position of these rows in the whole pack, as rows and row groups, for contestants that cannot search. */
  told: { startRow: number; endRow: number; rowGroups: number[]; rowsBeforeGroups: number };
}

/** A program or library that holds the day's rows in the form that suits it best. */
export interface Rival {
  name: string;
  /** Returns the rows as JSON text: an array of rows, each an array of its fields. */
  rows(ask: RowsAsk): Promise<string | Uint8Array>;
  /** Writes all rows of the security as a separate ZSTD Parquet file; absent when the rival cannot write one. */
  parquet?(symbol: string, path: string): Promise<void>;
  close?(): void;
}

/** The input of a rival. */
export interface RivalSetting {
  day: BenchDay;
  /** A folder for the rival's own files, which is removed afterwards. */
  folder: string;
}

/** Returns HHMMSSmmm as the nine digits that the pack stores. */
export function nineDigits(time: number): string {
  return String(time).padStart(9, "0");
}

/** Returns the numbers of rows and row groups of the pack before the section `entry`. */
export function before({ pack }: BenchDay, entry: SectionEntry): { rows: number; rowGroups: number } {
  let [rows, rowGroups] = [0, 0];
  for (const each of pack.index.entries) {
    if (each === entry) break;
    rows += each.rows;
    rowGroups += each.blocks.length;
  }
  return { rows, rowGroups };
}
