/**
 * Finds rows that a source repeats. If rows have sequence numbers, rows with the same number are the same row, which is
 * kept once. If they have none, a single row that equals an earlier row may be genuine, so it is kept and counted. The
 * rows of a repeated part of a file are left out. A part is repeated if its rows equal earlier rows and go back in
 * time, or if two consecutive rows equal two earlier consecutive rows. Equal quotes are all kept.
 */
import {
  type CodeColumn,
  codesOf,
  type Dataset,
  numbersOf,
  type Rows,
  storedColumns,
} from "../datasets/dataset.ts";
import type { DatasetName } from "../datasets/registry.ts";
import type { Batch } from "./batch.ts";

export interface Repeats {
  /** For each row, 1 if it is left out, else 0; `null` when no row repeats an earlier one. */
  isLeftOut: Uint8Array | null;
  /** Number of repeated rows left out. */
  repeated: number;
  /** Number of rows that equal an earlier row and are kept. */
  identical: number;
  /** The rows that are left out because an earlier row has the same sequence number but different content. */
  conflicts: number[];
  /** The numbers of two files in the batch which both contain the same row; `null` if there are no such files. */
  twice: [number, number] | null;
}

const NONE: Repeats = { isLeftOut: null, repeated: 0, identical: 0, conflicts: [], twice: null };

/** Datasets whose equal rows are all kept, because a source may send the same snapshot twice. */
const KEPT_EQUAL: ReadonlySet<string> = new Set<DatasetName>(["quotes"]);

/** Up to this number of rows in one millisecond are compared pairwise; more rows are compared with a hash table. */
const FEW_ROWS = 12;

/**
 * Finds the repeats among the rows of one security. `order` holds the row numbers sorted by time, or is `null` when the
 * rows are already sorted. `fileOf` returns the number of a row's file.
 */
export function repeatsOf(
  { rows, sequence }: Batch,
  dataset: Dataset,
  order: Int32Array | null,
  fileOf: (row: number) => number,
): Repeats {
  const cells = new Cells(rows, dataset);
  const copyOf = sequence === null ? equalRows(cells, order) : sameNumbers(sequence);
  if (copyOf === null) return NONE;
  const isLeftOut = new Uint8Array(rows.rows);
  const found: Repeats = { ...NONE, isLeftOut, conflicts: [] };
  const keepsEqual = KEPT_EQUAL.has(dataset.name);
  let latest = 0;
  for (let row = 0; row < rows.rows; row++) {
    const time = rows.time[row] ?? 0;
    const first = copyOf[row] ?? -1;
    if (first >= 0) {
      found.twice ??= fileOf(first) === fileOf(row) ? null : [fileOf(first), fileOf(row)];
      if (sequence !== null && !cells.isEqual(first, row)) {
        found.conflicts.push(row);
        isLeftOut[row] = 1;
      } else if (
        sequence !== null ||
        (!keepsEqual && (time < latest || isLeftOut[row - 1] === 1 || isRun(copyOf, row)))
      ) {
        found.repeated += 1;
        isLeftOut[row] = 1;
      } else {
        found.identical += 1;
      }
    }
    latest = Math.max(latest, time);
  }
  return found;
}

/** Returns whether the row, together with the row before or after it, repeats two consecutive earlier rows. */
function isRun(copyOf: Int32Array, row: number): boolean {
  const first = copyOf[row] ?? -1;
  return copyOf[row + 1] === first + 1 || (first > 0 && copyOf[row - 1] === first - 1);
}

/**
 * Returns, for each row, the first earlier row with the same sequence number, or -1; `null` when all numbers differ.
 * The number 0 means that a row has no sequence number; such rows are not compared.
 */
function sameNumbers(sequence: Float64Array): Int32Array | null {
  let isAscending = true;
  for (let row = 1; row < sequence.length && isAscending; row++) {
    isAscending = (sequence[row] ?? 0) > (sequence[row - 1] ?? 0);
  }
  if (isAscending) return null;
  const firsts = new Map<number, number>();
  let copyOf: Int32Array | null = null;
  for (let row = 0; row < sequence.length; row++) {
    const number = sequence[row] ?? 0;
    if (number === 0) continue;
    const first = firsts.get(number);
    if (first === undefined) firsts.set(number, row);
    else {
      copyOf ??= new Int32Array(sequence.length).fill(-1);
      copyOf[row] = first;
    }
  }
  return copyOf;
}

/** Returns, for each row, the first earlier row with equal cells, or -1; `null` when all rows differ. */
function equalRows(cells: Cells, order: Int32Array | null): Int32Array | null {
  const { rows, time } = cells.rows;
  const at = (place: number) => (order === null ? place : (order[place] ?? 0));
  let copyOf: Int32Array | null = null;
  const mark = (row: number, first: number) => {
    copyOf ??= new Int32Array(rows).fill(-1);
    copyOf[row] = first;
  };
  for (let from = 0, to = 1; from < rows; from = to) {
    const stamp = time[at(from)];
    for (to = from + 1; to < rows && time[at(to)] === stamp; ) to += 1;
    if (to - from === 1 || cells.haveAscending(at, from, to)) continue;
    if (to - from > FEW_ROWS)
      markEqual(
        cells,
        Array.from({ length: to - from }, (_, i) => at(from + i)),
        mark,
      );
    else {
      for (let later = from + 1; later < to; later++) {
        for (let earlier = from; earlier < later; earlier++) {
          if (!cells.isEqual(at(earlier), at(later))) continue;
          mark(at(later), at(earlier));
          break;
        }
      }
    }
  }
  return copyOf;
}

function markEqual(cells: Cells, rows: number[], mark: (row: number, first: number) => void): void {
  const firsts = new Map<string, number>();
  for (const row of rows) {
    const text = cells.text(row);
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, row);
    else mark(row, first);
  }
}

/** The cells of the rows of one security. */
export class Cells {
  readonly rows: Rows;
  /** The columns in file order. */
  private readonly columns: readonly (Float64Array | CodeColumn)[];
  private readonly numbers: readonly Float64Array[];
  private readonly codes: readonly CodeColumn[];

  constructor(rows: Rows, dataset: Dataset) {
    const stored = storedColumns(dataset);
    this.rows = rows;
    this.codes = stored.filter(({ kind }) => kind === "code").map((column) => codesOf(rows, column));
    this.numbers = stored.filter(({ kind }) => kind !== "code").map((column) => numbersOf(rows, column));
    this.columns = stored.map((column) =>
      column.kind === "code" ? codesOf(rows, column) : numbersOf(rows, column),
    );
  }

  /** Returns whether two rows are equal in every cell. */
  isEqual(a: number, b: number): boolean {
    for (const numbers of this.numbers) if (numbers[a] !== numbers[b]) return false;
    for (const { values, index } of this.codes) {
      const [left = 0, right = 0] = [index[a], index[b]];
      if (left !== right && values[left] !== values[right]) return false;
    }
    return this.rows.time[a] === this.rows.time[b];
  }

  /**
   * Returns whether some numeric column ascends over the rows `at(from)` to `at(to - 1)`, so that no two of them are
   * equal. In almost every millisecond, the order or trade number ascends.
   */
  haveAscending(at: (place: number) => number, from: number, to: number): boolean {
    for (const numbers of this.numbers) {
      let place = from + 1;
      while (place < to && (numbers[at(place)] ?? 0) > (numbers[at(place - 1)] ?? 0)) place += 1;
      if (place === to) return true;
    }
    return false;
  }

  /**
   * Returns a row as comma-separated text: the time, then the other cells in file order. Prices are in ten-thousandths
   * of a yuan.
   */
  text(row: number): string {
    const cells = this.columns.map((column) =>
      "index" in column ? column.values[column.index[row] ?? 0] : column[row],
    );
    return [String(this.rows.time[row]).padStart(9, "0"), ...cells].join(",");
  }
}
