/**
 * Rows that a source holds more than once. Where the layout numbers its rows, the same number is the same row and is
 * kept once. Elsewhere an equal row is no proof: one alone is kept and counted; a repeated part of a file (equal rows
 * that go back in time, or two in a row that were already two in a row) is left out.
 */
import type { CodeColumn, OrderColumns } from "../orders/record.ts";
import type { OrderBatch } from "./order-batch.ts";

export interface Repeats {
  /** 1 for every row that is left out; `null` when none is. */
  isLeftOut: Uint8Array | null;
  /** Rows that are left out because they are there already. */
  repeated: number;
  /** Equal rows that are kept. */
  identical: number;
  /** Rows, left out too, whose number another row with other content has. */
  conflicts: number[];
  /** Two files of the batch that hold the same row. */
  twice: [number, number] | null;
}

const NONE: Repeats = { isLeftOut: null, repeated: 0, identical: 0, conflicts: [], twice: null };

/** More rows of one millisecond than this are compared by a table. */
const FEW_ROWS = 12;

/**
 * Finds the repeats among the rows of one security. `order` holds the row numbers by time, `null` when the rows stand
 * so already; `fileOf` gives the file of a row.
 */
export function repeatsOf(
  { columns, sequence }: OrderBatch,
  order: Int32Array | null,
  fileOf: (row: number) => number,
): Repeats {
  const copyOf = sequence === null ? equalRows(columns, order) : sameNumbers(sequence);
  if (copyOf === null) return NONE;
  const isLeftOut = new Uint8Array(columns.rows);
  const found: Repeats = { ...NONE, isLeftOut, conflicts: [] };
  let latest = 0;
  for (let row = 0; row < columns.rows; row++) {
    const time = columns.time[row] ?? 0;
    const first = copyOf[row] ?? -1;
    if (first >= 0) {
      found.twice ??= fileOf(first) === fileOf(row) ? null : [fileOf(first), fileOf(row)];
      if (sequence !== null && !isEqual(columns, first, row)) {
        found.conflicts.push(row);
        isLeftOut[row] = 1;
      } else if (sequence !== null || time < latest || isLeftOut[row - 1] === 1 || isRun(copyOf, row)) {
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

/** Whether the row and a neighbour repeat two rows that were neighbours too. */
function isRun(copyOf: Int32Array, row: number): boolean {
  const first = copyOf[row] ?? -1;
  return copyOf[row + 1] === first + 1 || (first > 0 && copyOf[row - 1] === first - 1);
}

/** Per row the first one with its number, -1 for none; `null` when all numbers differ. 0 is no number. */
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

/** Per row the first one that is equal to it in every column, -1 for none; `null` when all rows differ. */
function equalRows(columns: OrderColumns, order: Int32Array | null): Int32Array | null {
  const { rows, time } = columns;
  const at = (place: number) => (order === null ? place : (order[place] ?? 0));
  let copyOf: Int32Array | null = null;
  const mark = (row: number, first: number) => {
    copyOf ??= new Int32Array(rows).fill(-1);
    copyOf[row] = first;
  };
  for (let from = 0, to = 1; from < rows; from = to) {
    const stamp = time[at(from)];
    for (to = from + 1; to < rows && time[at(to)] === stamp; ) to += 1;
    if (to - from > FEW_ROWS)
      markEqual(
        columns,
        Array.from({ length: to - from }, (_, i) => at(from + i)),
        mark,
      );
    else {
      for (let later = from + 1; later < to; later++) {
        for (let earlier = from; earlier < later; earlier++) {
          if (!isEqual(columns, at(earlier), at(later))) continue;
          mark(at(later), at(earlier));
          break;
        }
      }
    }
  }
  return copyOf;
}

function markEqual(columns: OrderColumns, rows: number[], mark: (row: number, first: number) => void): void {
  const firsts = new Map<string, number>();
  for (const row of rows) {
    const text = rowText(columns, row);
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, row);
    else mark(row, first);
  }
}

function isEqual(columns: OrderColumns, a: number, b: number): boolean {
  return (
    columns.exchangeOrderId[a] === columns.exchangeOrderId[b] &&
    columns.time[a] === columns.time[b] &&
    columns.orderId[a] === columns.orderId[b] &&
    columns.priceE4[a] === columns.priceE4[b] &&
    columns.volume[a] === columns.volume[b] &&
    isSameCode(columns.orderType, a, b) &&
    isSameCode(columns.orderCode, a, b)
  );
}

function isSameCode({ values, index }: CodeColumn, a: number, b: number): boolean {
  const [left = 0, right = 0] = [index[a], index[b]];
  return left === right || values[left] === values[right];
}

/** A row as text: time, ids, type, code, price × 10000, volume. */
export function rowText(columns: OrderColumns, row: number): string {
  const { orderType, orderCode } = columns;
  return [
    String(columns.time[row]).padStart(9, "0"),
    columns.orderId[row],
    columns.exchangeOrderId[row],
    orderType.values[orderType.index[row] ?? 0],
    orderCode.values[orderCode.index[row] ?? 0],
    columns.priceE4[row],
    columns.volume[row],
  ].join(",");
}
