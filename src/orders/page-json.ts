/**
 * A page's rows as JSON bytes: the array of arrays of spec 2.5, byte for byte what `JSON.stringify` makes of
 * the rows, written from columns without a row object or a string per cell. Repeating values arrive as a
 * table and an index per row, so each distinct one is formatted once.
 */
import { NUMBER_BYTES, putInteger, putNumber, putTenThousandths } from "./number-text.ts";
import { amountOf } from "./record.ts";

/** The values of one field in a block of rows; `index[row]` points into the table beside it. */
export type JsonColumn =
  /** The same text in every row. */
  | { kind: "constant"; text: string }
  | { kind: "texts"; texts: readonly string[]; index: Uint16Array }
  | { kind: "numbers"; numbers: Float64Array; index: Uint16Array }
  /** Texts of `width` ASCII characters that need no escape, one every `stride` bytes from `first` on. */
  | { kind: "fixed"; bytes: Uint8Array; first: number; stride: number; width: number }
  /** Integers of 0 to 2^53. */
  | { kind: "integers"; values: Float64Array }
  /** Raw price (yuan × 10000) × volume / 10000, from the two tables. */
  | { kind: "amounts"; prices: NumberTable; volumes: NumberTable };

/** Numbers in a table and the row's place in it. */
export interface NumberTable {
  numbers: Float64Array;
  index: Uint16Array;
}

/** Rows `startRow` up to but not including `endRow` of one block, its columns in the order of the answer. */
export interface JsonPart {
  columns: readonly JsonColumn[];
  startRow: number;
  endRow: number;
}

/** The rows of all `parts`, one after the other, as the bytes of one JSON array of arrays. */
export function writeItems(parts: readonly JsonPart[]): Uint8Array {
  const filled = parts.filter((part) => part.endRow > part.startRow);
  if (filled.length === 0) return encoder.encode("[]");
  const templates = filled.map((part) => rowTemplate(part.columns));
  const room = filled.reduce(
    (sum, part, index) => sum + (part.endRow - part.startRow) * (templates[index]?.rowBytes ?? 0),
    1,
  );
  const bytes = new Uint8Array(room);
  bytes[0] = OPEN;
  let at = 1;
  filled.forEach((part, index) => {
    const template = templates[index];
    if (template !== undefined) at = writeRows(bytes, at, template, part.startRow, part.endRow);
  });
  bytes[at - 1] = CLOSE; // over the comma behind the last row
  return bytes.subarray(0, at);
}

const encoder = new TextEncoder();
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** A cell that differs from row to row, and the bytes that stand before it in every row. */
type Cell =
  | { kind: "table"; bytes: Uint8Array; starts: Uint32Array; index: Uint16Array }
  | { kind: "fixed"; lead: Uint8Array; bytes: Uint8Array; first: number; stride: number; width: number }
  | { kind: "integers"; lead: Uint8Array; values: Float64Array }
  | { kind: "amounts"; lead: Uint8Array; prices: NumberTable; volumes: NumberTable };

interface RowTemplate {
  cells: Cell[];
  /** What ends every row: constants after the last cell, `]` and the comma before the next row. */
  tail: Uint8Array;
  /** No row is longer. */
  rowBytes: number;
}

/** Folds all that is the same in every row (brackets, commas, quotes, constants) into the cells' leads. */
function rowTemplate(columns: readonly JsonColumn[]): RowTemplate {
  const cells: Cell[] = [];
  let lead = "[";
  let rowBytes = 0;
  columns.forEach((column, place) => {
    if (place > 0) lead += ",";
    if (column.kind === "constant") {
      lead += JSON.stringify(column.text);
      return;
    }
    if (column.kind === "fixed") lead += '"';
    const [cell, cellBytes] = cellOf(column, lead);
    cells.push(cell);
    rowBytes += cellBytes;
    lead = column.kind === "fixed" ? '"' : "";
  });
  const tail = encoder.encode(`${lead}],`);
  return { cells, tail, rowBytes: rowBytes + tail.length };
}

/** The cell of a column that differs from row to row, and the most bytes it needs in a row. */
function cellOf(column: Exclude<JsonColumn, { kind: "constant" }>, lead: string): [Cell, number] {
  const leadBytes = encoder.encode(lead);
  switch (column.kind) {
    case "texts": {
      const texts = column.texts.map((text) => encoder.encode(lead + JSON.stringify(text)));
      const table = tableOf(texts.length, (place) => texts[place] ?? leadBytes);
      return [{ kind: "table", ...table, index: column.index }, table.longest];
    }
    case "numbers": {
      const cell = new Uint8Array(leadBytes.length + NUMBER_BYTES);
      cell.set(leadBytes);
      const table = tableOf(column.numbers.length, (place) =>
        cell.subarray(0, putNumber(cell, leadBytes.length, column.numbers[place] ?? 0)),
      );
      return [{ kind: "table", ...table, index: column.index }, table.longest];
    }
    case "fixed":
      return [{ ...column, lead: leadBytes }, leadBytes.length + column.width];
    case "integers":
    case "amounts":
      return [{ ...column, lead: leadBytes }, leadBytes.length + NUMBER_BYTES];
  }
}

/** `count` texts one after the other, with where each begins; `textAt` may reuse its buffer. */
function tableOf(count: number, textAt: (place: number) => Uint8Array) {
  let bytes = new Uint8Array(count * 16 + 64);
  const starts = new Uint32Array(count + 1);
  let at = 0;
  let longest = 0;
  for (let place = 0; place < count; place++) {
    const text = textAt(place);
    if (at + text.length > bytes.length) {
      const grown = new Uint8Array(2 * (at + text.length));
      grown.set(bytes);
      bytes = grown;
    }
    bytes.set(text, at);
    at += text.length;
    starts[place + 1] = at;
    longest = Math.max(longest, text.length);
  }
  return { bytes, starts, longest };
}

function writeRows(out: Uint8Array, from: number, template: RowTemplate, start: number, end: number): number {
  const { cells, tail } = template;
  let at = from;
  for (let row = start; row < end; row++) {
    for (let place = 0; place < cells.length; place++) {
      const cell = cells[place] as Cell;
      if (cell.kind === "table") {
        const entry = cell.index[row] ?? 0;
        at = copy(out, at, cell.bytes, cell.starts[entry] ?? 0, cell.starts[entry + 1] ?? 0);
        continue;
      }
      at = copy(out, at, cell.lead, 0, cell.lead.length);
      if (cell.kind === "fixed") {
        const first = cell.first + row * cell.stride;
        at = copy(out, at, cell.bytes, first, first + cell.width);
      } else if (cell.kind === "integers") {
        at = putInteger(out, at, cell.values[row] ?? 0);
      } else {
        at = putAmount(out, at, cell.prices, cell.volumes, row);
      }
    }
    at = copy(out, at, tail, 0, tail.length);
  }
  return at;
}

/** The amount of `row`: its product is an exact integer as long as it is below 2^53. */
function putAmount(
  out: Uint8Array,
  at: number,
  prices: NumberTable,
  volumes: NumberTable,
  row: number,
): number {
  const priceE4 = prices.numbers[prices.index[row] ?? 0] ?? 0;
  const volume = volumes.numbers[volumes.index[row] ?? 0] ?? 0;
  const product = priceE4 * volume;
  if (product < 1e15) return putTenThousandths(out, at, product);
  return putNumber(out, at, amountOf(priceE4, volume));
}

/** Copies short pieces; for a dozen bytes a loop is faster than `set` with its view. */
function copy(out: Uint8Array, at: number, from: Uint8Array, start: number, end: number): number {
  let place = at;
  for (let index = start; index < end; index++) out[place++] = from[index] ?? 0;
  return place;
}
