/**
 * Builds the cells of a JSON row. Text that is the same in every row (brackets, commas, quotes, constants) is merged
 * into the cells that differ, and repeated values are formatted once.
 */
import {
  amountsCell,
  type Cell,
  constantCell,
  digitsCell,
  doublesCell,
  integersCell,
  tableCell,
} from "./cells.ts";
import { NUMBER_BYTES, putNumber } from "./number-text.ts";
import { copyText, padded, type TextTable, tableOf, textOf, textTable } from "./text-table.ts";

/** The values of one field in a block of rows; `index[row]` is an index into the table beside it. */
export type JsonColumn =
  /** The same text in every row. */
  | { kind: "constant"; text: string }
  | { kind: "texts"; texts: readonly string[]; index: Uint16Array }
  | ({ kind: "numbers" } & NumberTable)
  /** Nine ASCII digits for each row, starting at `first + row × stride`. */
  | { kind: "nineDigits"; bytes: Uint8Array; first: number; stride: number }
  /** Integers from 0 to 2^53. */
  | { kind: "integers"; values: Float64Array }
  /** Finite numbers. */
  | { kind: "doubles"; values: Float64Array }
  /** Raw price (yuan × 10000) × volume / 10000, both integers from 0 to 2^53. */
  | { kind: "amounts"; prices: NumberTable; volumes: NumberTable };

/** Numbers in a table, and each row's index into it. */
export interface NumberTable {
  numbers: Float64Array;
  index: Uint16Array;
}

/** Returns the cells of a row with `columns` in this order. A row begins with `],[`, the end of the row before it. */
export function rowTemplate(columns: readonly JsonColumn[]): Cell[] {
  taken = 0;
  const cells: Cell[] = [];
  let lead = "],[";
  columns.forEach((column, place) => {
    if (place > 0) lead += ",";
    if (column.kind === "constant") {
      lead += JSON.stringify(column.text);
      return;
    }
    if (column.kind === "nineDigits") lead += '"';
    cells.push(cellOf(lead, column));
    lead = column.kind === "nineDigits" ? '"' : "";
  });
  if (lead !== "") cells.push(constantCell(textOf(lead)));
  return cells;
}

function cellOf(lead: string, column: Exclude<JsonColumn, { kind: "constant" }>): Cell {
  switch (column.kind) {
    case "texts":
      return tableCell(textTable(column.texts.map((text) => lead + JSON.stringify(text))), column.index);
    case "numbers":
      return tableCell(numberTable(lead, column.numbers), column.index);
    case "nineDigits":
      return digitsCell(textOf(lead), column);
    case "integers":
      return integersCell(textOf(lead), column);
    case "doubles":
      return doublesCell(textOf(lead), column);
    case "amounts":
      return amountsCell(textOf(lead), column);
  }
}

// Reused for every page: the tables of a page of quotes take a megabyte, which costs more to allocate than to write.
let arena = new Uint8Array(0);
let taken = 0;

/** Returns `numbers` as JSON texts, each after `lead`; valid until the next template. */
function numberTable(lead: string, numbers: Float64Array): TextTable {
  const before = textOf(lead);
  const bytes = arenaBytes(numbers.length * padded(before.length + NUMBER_BYTES));
  const out = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const table = tableOf(numbers.length, bytes, (start, entry) => {
    const at = copyText(out, start, before.view, 0, before.length);
    return putNumber(out, at, numbers[entry] ?? 0);
  });
  taken += (table.starts.at(-1) ?? 0) + padded(table.lengths.at(-1) ?? 0);
  return table;
}

/** Returns `length` unused bytes of the arena, which the caller may take in part. */
function arenaBytes(length: number): Uint8Array<ArrayBuffer> {
  if (taken + length > arena.length) {
    arena = new Uint8Array(Math.max(length, 2 * arena.length));
    taken = 0;
  }
  return arena.subarray(taken, taken + length);
}
