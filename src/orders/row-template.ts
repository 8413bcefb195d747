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
import {
  copyText,
  padded,
  SHORT_BYTES,
  type ShortText,
  shortText,
  type TextTable,
  tableOf,
  textOf,
  textTable,
} from "./text-table.ts";

/** The values of one field in a block of rows; `index[row]` is an index into the table of the same column. */
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

/** Returns the cells of a row, in the order of `columns`. A row begins with `],[`, which ends the row before it. */
export function rowTemplate(columns: readonly JsonColumn[]): Cell[] {
  taken = 0;
  const parts: Part[] = [];
  let lead = "],[";
  columns.forEach((column, place) => {
    if (place > 0) lead += ",";
    const constant = constantOf(column);
    if (constant !== null) lead += constant;
    else if (column.kind === "texts") {
      const texts = column.texts.map((text) => lead + JSON.stringify(text));
      parts.push(joined(parts, { texts, index: column.index }));
      lead = "";
    } else if (column.kind === "nineDigits") {
      parts.push({ lead: `${lead}"`, column });
      lead = '"';
    } else if (column.kind !== "constant") {
      parts.push({ lead, column });
      lead = "";
    }
  });
  const cells = parts.flatMap((part) =>
    "texts" in part ? tableCell(textTable(part.texts), part.index) : cellsOf(part.lead, part.column),
  );
  return lead === "" ? cells : [...cells, constantCell(textOf(lead))];
}

/** Returns the JSON text that `column` has in every row, or null when rows can differ. */
function constantOf(column: JsonColumn): string | null {
  if (column.kind === "constant") return JSON.stringify(column.text);
  if (column.kind === "texts" && column.texts.length === 1) return JSON.stringify(column.texts[0]);
  if (column.kind === "numbers" && column.numbers.length === 1) return JSON.stringify(column.numbers[0]);
  return null;
}

/**
 * The texts of a column. Each text begins with the constant text that precedes the column in every row. `index[row]` is
 * an index into `texts`.
 */
interface Texts {
  texts: readonly string[];
  index: Uint16Array;
}

type Varying = Exclude<JsonColumn, { kind: "constant" | "texts" }>;

type Part = Texts | { lead: string; column: Varying };

/** Two columns of texts are joined only if they have at most this many combinations. */
const JOINED_TEXTS = 64;

/**
 * Returns the texts to add to `parts`. If the last part is also a column of texts and the two have few combinations,
 * removes that part and returns the combinations, so that a row has one cell fewer. Otherwise returns `next`.
 */
function joined(parts: Part[], next: Texts): Texts {
  const last = parts.at(-1);
  const width = next.texts.length;
  if (last === undefined || !("texts" in last) || last.texts.length * width > JOINED_TEXTS) return next;
  parts.pop();
  const [first, second, index] = [last.index, next.index, new Uint16Array(next.index.length)];
  for (let row = 0; row < index.length; row++) index[row] = (first[row] ?? 0) * width + (second[row] ?? 0);
  return { texts: last.texts.flatMap((text) => next.texts.map((after) => text + after)), index };
}

/** Returns the cell of `column` with `lead`, the text before it; two cells if `lead` is long. */
function cellsOf(lead: string, column: Varying): Cell | Cell[] {
  if (column.kind === "numbers") return tableCell(numberTable(lead, column.numbers), column.index);
  const text = textOf(lead);
  if (column.kind === "nineDigits") return digitsCell(text, column);
  if (text.length > SHORT_BYTES) return [constantCell(text), cellOf({ word: 0, length: 0 }, column)];
  return cellOf(shortText(text), column);
}

function cellOf(lead: ShortText, column: Exclude<Varying, { kind: "numbers" | "nineDigits" }>): Cell {
  switch (column.kind) {
    case "integers":
      return integersCell(lead, column);
    case "doubles":
      return doublesCell(lead, column);
    case "amounts":
      return amountsCell(lead, column);
  }
}

// Reused for every page: the tables of a page of quotes take a megabyte, which costs more to allocate than to write.
let arena = new Uint8Array(0);
let taken = 0;

/** Returns `numbers` as JSON texts, each after `lead`. The table is valid until the next call of `rowTemplate`. */
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

/** Returns `length` unused bytes of the arena. The caller may use fewer. */
function arenaBytes(length: number): Uint8Array<ArrayBuffer> {
  if (taken + length > arena.length) {
    arena = new Uint8Array(Math.max(length, 2 * arena.length));
    taken = 0;
  }
  return arena.subarray(taken, taken + length);
}
