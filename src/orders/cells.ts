/**
 * Writes the cells of JSON rows. A batch of rows is written at once: each row has a slot, and each cell appends its
 * text to every slot. Each loop therefore does one thing only. Loops read local variables, because a closure's
 * variables would be looked up for every row.
 */
import { NUMBER_BYTES, PLAIN_BELOW, putInteger, putNumber, putTenThousandths } from "./number-text.ts";
import { amountOf } from "./record.ts";
import type { JsonColumn } from "./row-template.ts";
import { copyText, type ShortText, STEP, type Text, type TextTable } from "./text-table.ts";

/** A batch being written: rows `from` (inclusive) to `until` (exclusive) of a block. */
export interface RowBatch {
  from: number;
  until: number;
  /** The slots of the batch's rows, one after another. */
  out: DataView;
  /** The current end of each row's text, as a position in `out`. */
  ends: Uint32Array;
}

/** Writes one cell of every row, and the fixed text that precedes the cell. */
export interface Cell {
  /** The maximum number of bytes that the cell adds to a row. */
  maxBytes: number;
  /** Appends the cell's text to each row of the batch. May overwrite up to `SPILL_BYTES` bytes after it. */
  append(batch: RowBatch): void;
}

const NINE = 9;

/** Returns a cell with the same text in every row. */
export function constantCell(text: Text): Cell {
  const append = ({ from, until, out, ends }: RowBatch) => {
    const { view, length } = text;
    for (let place = 0; place < until - from; place++) {
      ends[place] = copyText(out, ends[place] ?? 0, view, 0, length);
    }
  };
  return { maxBytes: text.length, append };
}

/** Returns a cell that has, for each row, the text of `table` whose number is `index[row]`. */
export function tableCell(table: TextTable, index: Uint16Array): Cell {
  const maxBytes = table.lengths.reduce((longest, length) => Math.max(longest, length), 0);
  const isShort = maxBytes <= STEP && table.starts.at(-1) === (table.starts.length - 1) * STEP;
  if (isShort) return shortCell(table, index, maxBytes);
  const append = ({ from, until, out, ends }: RowBatch) => {
    const { view, starts, lengths } = table;
    const entries = index;
    for (let row = from, place = 0; row < until; row++, place++) {
      const entry = entries[row] ?? 0;
      ends[place] = copyText(out, ends[place] ?? 0, view, starts[entry] ?? 0, lengths[entry] ?? 0);
    }
  };
  return { maxBytes, append };
}

/** Returns a cell whose texts each fit in one copy step, so that it needs no copy loop and no table of starts. */
function shortCell(table: TextTable, index: Uint16Array, maxBytes: number): Cell {
  const append = ({ from, until, out, ends }: RowBatch) => {
    const { view, lengths } = table;
    const entries = index;
    for (let row = from, place = 0; row < until; row++, place++) {
      const entry = entries[row] ?? 0;
      const at = ends[place] ?? 0;
      out.setBigUint64(at, view.getBigUint64(entry * STEP, true), true);
      ends[place] = at + (lengths[entry] ?? 0);
    }
  };
  return { maxBytes, append };
}

type ColumnOf<Kind> = Extract<JsonColumn, { kind: Kind }>;

/** Returns a cell that consists of `lead` and nine digits. */
export function digitsCell(lead: Text, column: ColumnOf<"nineDigits">): Cell {
  const append = ({ from, until, out, ends }: RowBatch) => {
    const { bytes, first, stride } = column;
    const { view, length } = lead;
    const digits = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let row = from, place = 0; row < until; row++, place++) {
      const at = copyText(out, ends[place] ?? 0, view, 0, length);
      const digit = first + row * stride;
      out.setUint32(at, digits.getUint32(digit, true), true);
      out.setUint32(at + 4, digits.getUint32(digit + 4, true), true);
      out.setUint8(at + 8, digits.getUint8(digit + 8));
      ends[place] = at + NINE;
    }
  };
  return { maxBytes: lead.length + NINE, append };
}

/** Returns a cell that consists of `lead` and an integer. */
export function integersCell(lead: ShortText, column: ColumnOf<"integers">): Cell {
  const append = ({ from, until, out, ends }: RowBatch) => {
    const { values } = column;
    const { word, length } = lead;
    for (let row = from, place = 0; row < until; row++, place++) {
      const at = ends[place] ?? 0;
      out.setUint32(at, word, true);
      ends[place] = putInteger(out, at + length, values[row] ?? 0);
    }
  };
  return { maxBytes: lead.length + NUMBER_BYTES, append };
}

/** Returns a cell that consists of `lead` and a number, which is often the same as in the previous row. */
export function doublesCell(lead: ShortText, column: ColumnOf<"doubles">): Cell {
  const append = ({ from, until, out, ends }: RowBatch) => {
    const { values } = column;
    const { word, length } = lead;
    let [value, start, bytes] = [Number.NaN, 0, 0];
    for (let row = from, place = 0; row < until; row++, place++) {
      const next = values[row] ?? 0;
      const at = ends[place] ?? 0;
      if (next === value) {
        ends[place] = copyText(out, at, out, start, bytes);
        continue;
      }
      out.setUint32(at, word, true);
      const end = putNumber(out, at + length, next);
      ends[place] = end;
      [value, start, bytes] = [next, at, end - at];
    }
  };
  return { maxBytes: lead.length + NUMBER_BYTES, append };
}

/** Returns a cell that consists of `lead` and the amount, which is price × volume. */
export function amountsCell(lead: ShortText, { prices, volumes }: ColumnOf<"amounts">): Cell {
  const append = ({ from, until, out, ends }: RowBatch) => {
    const { word, length } = lead;
    const { numbers: priceNumbers, index: priceIndex } = prices;
    const { numbers: volumeNumbers, index: volumeIndex } = volumes;
    for (let row = from, place = 0; row < until; row++, place++) {
      const start = ends[place] ?? 0;
      out.setUint32(start, word, true);
      const at = start + length;
      const priceE4 = priceNumbers[priceIndex[row] ?? 0] ?? 0;
      const volume = volumeNumbers[volumeIndex[row] ?? 0] ?? 0;
      const units = priceE4 * volume;
      // Below 10^15 the product is exact, and the amount (product / 10,000) prints without an exponent.
      ends[place] =
        units < PLAIN_BELOW
          ? putTenThousandths(out, at, units)
          : putNumber(out, at, amountOf(priceE4, volume));
    }
  };
  return { maxBytes: lead.length + NUMBER_BYTES, append };
}
