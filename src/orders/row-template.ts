/**
 * The template of a row of JSON: what is the same in every row (brackets, commas, quotes, constants) is folded
 * into the cells that differ, and values that repeat are formatted once. Texts lie padded to whole words, so
 * the writer copies words instead of bytes.
 */
import { NUMBER_BYTES, putNumber } from "./number-text.ts";

/** The values of one field in a block of rows; `index[row]` points into the table beside it. */
export type JsonColumn =
  /** The same text in every row. */
  | { kind: "constant"; text: string }
  | { kind: "texts"; texts: readonly string[]; index: Uint16Array }
  | ({ kind: "numbers" } & NumberTable)
  /** Nine ASCII digits, the first of each row's at `first + row × stride`. */
  | { kind: "nineDigits"; bytes: Uint8Array; first: number; stride: number }
  /** Integers of 0 to 2^53. */
  | { kind: "integers"; values: Float64Array }
  /** Raw price (yuan × 10000) × volume / 10000, both integers of 0 to 2^53. */
  | { kind: "amounts"; prices: NumberTable; volumes: NumberTable };

/** Numbers in a table, and each row's place in it. */
export interface NumberTable {
  numbers: Float64Array;
  index: Uint16Array;
}

/** Bytes that are copied word by word: `view` holds them padded to whole words of four. */
export interface Text {
  view: DataView;
  length: number;
}

/** A cell that differs from row to row. `lead` stands before it in every row; texts of a table hold it already. */
export type Cell =
  | { kind: "table"; texts: DataView; starts: Uint32Array; lengths: Uint32Array; index: Uint16Array }
  | { kind: "nineDigits"; lead: Text; digits: DataView; first: number; stride: number }
  | { kind: "integers"; lead: Text; values: Float64Array }
  | { kind: "amounts"; lead: Text; prices: NumberTable; volumes: NumberTable };

export interface RowTemplate {
  cells: Cell[];
  /** What ends every row: constants after the last cell, `]` and the comma before the next row. */
  tail: Text;
  /** No row is longer. */
  rowBytes: number;
}

const encoder = new TextEncoder();
const WORD = 4;
const NINE = 9;

/** The template of a row with `columns` in this order. */
export function rowTemplate(columns: readonly JsonColumn[]): RowTemplate {
  const cells: Cell[] = [];
  let lead = "[";
  let rowBytes = 0;
  columns.forEach((column, place) => {
    if (place > 0) lead += ",";
    if (column.kind === "constant") {
      lead += JSON.stringify(column.text);
      return;
    }
    if (column.kind === "nineDigits") lead += '"';
    const [cell, cellBytes] = cellOf(column, lead);
    cells.push(cell);
    rowBytes += cellBytes;
    lead = column.kind === "nineDigits" ? '"' : "";
  });
  const tail = textOf(`${lead}],`);
  return { cells, tail, rowBytes: rowBytes + tail.length };
}

/** The cell of a column that differs from row to row, and the most bytes it takes in a row. */
function cellOf(column: Exclude<JsonColumn, { kind: "constant" }>, before: string): [Cell, number] {
  const lead = textOf(before);
  switch (column.kind) {
    case "texts": {
      const texts = column.texts.map((text) => encoder.encode(before + JSON.stringify(text)));
      const room = texts.reduce((sum, text) => sum + text.length + WORD, 0);
      const table = tableOf(texts.length, room, (out, at, place) => putBytes(out, at, texts[place]));
      return [{ kind: "table", ...table, index: column.index }, table.longest];
    }
    case "numbers": {
      const { numbers, index } = column;
      const room = numbers.length * (lead.length + NUMBER_BYTES + WORD);
      const table = tableOf(numbers.length, room, (out, at, place) =>
        putNumber(out, putText(out, at, lead), numbers[place] ?? 0),
      );
      return [{ kind: "table", ...table, index }, table.longest];
    }
    case "nineDigits": {
      const { kind, bytes, first, stride } = column;
      const digits = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return [{ kind, lead, digits, first, stride }, lead.length + NINE];
    }
    case "integers":
    case "amounts":
      return [{ ...column, lead }, lead.length + NUMBER_BYTES];
  }
}

/** `count` texts, each from a whole word on, in at most `room` bytes; `put` writes one and returns its end. */
function tableOf(count: number, room: number, put: (out: DataView, at: number, place: number) => number) {
  const texts = new DataView(new ArrayBuffer(room + WORD));
  const starts = new Uint32Array(count);
  const lengths = new Uint32Array(count);
  let at = 0;
  let longest = 0;
  for (let place = 0; place < count; place++) {
    const length = put(texts, at, place) - at;
    starts[place] = at;
    lengths[place] = length;
    longest = Math.max(longest, length);
    at += (length + WORD - 1) & -WORD;
  }
  return { texts, starts, lengths, longest };
}

function textOf(text: string): Text {
  const bytes = encoder.encode(text);
  const view = new DataView(new ArrayBuffer(bytes.length + WORD));
  putBytes(view, 0, bytes);
  return { view, length: bytes.length };
}

function putBytes(out: DataView, at: number, bytes: Uint8Array = new Uint8Array(0)): number {
  for (let index = 0; index < bytes.length; index++) out.setUint8(at + index, bytes[index] ?? 0);
  return at + bytes.length;
}

/** Writes `text` at `at` by whole words, and so up to three bytes behind the place it returns. */
export function putText(out: DataView, at: number, { view, length }: Text): number {
  return putWords(out, at, view, 0, length);
}

/** Copies `length` bytes from `start` on by whole words, and so up to three bytes behind the place it returns. */
export function putWords(out: DataView, at: number, from: DataView, start: number, length: number): number {
  for (let offset = 0; offset < length; offset += WORD) {
    out.setUint32(at + offset, from.getUint32(start + offset, true), true);
  }
  return at + length;
}
