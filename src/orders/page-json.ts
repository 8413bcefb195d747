/**
 * A page's rows as JSON bytes: the array of arrays of spec 2.5, byte for byte what `JSON.stringify` makes of
 * the rows, written from columns without a row object or a string per cell.
 */
import { putInteger, putNumber, putTenThousandths } from "./number-text.ts";
import { amountOf } from "./record.ts";
import {
  type Cell,
  type JsonColumn,
  putText,
  putWords,
  type RowTemplate,
  rowTemplate,
} from "./row-template.ts";

/** Rows `startRow` up to but not including `endRow` of one block, its columns in the order of the answer. */
export interface JsonPart {
  columns: readonly JsonColumn[];
  startRow: number;
  endRow: number;
}

const OPEN = 0x5b;
const CLOSE = 0x5d;
const NOTHING = new Uint8Array([OPEN, CLOSE]);
/** Texts are written by whole words: the last one may reach a little behind its end. */
const SPILL_BYTES = 8;

/** The rows of all `parts`, one after the other, as the bytes of one JSON array of arrays. */
export function writeItems(parts: readonly JsonPart[]): Uint8Array {
  const filled = parts
    .filter((part) => part.endRow > part.startRow)
    .map((part) => ({ ...part, template: rowTemplate(part.columns) }));
  if (filled.length === 0) return NOTHING.slice();
  const room = filled.reduce(
    (sum, { startRow, endRow, template }) => sum + (endRow - startRow) * template.rowBytes,
    1 + SPILL_BYTES,
  );
  const out = scratchOf(room);
  out.setUint8(0, OPEN);
  let at = 1;
  for (const { template, startRow, endRow } of filled) at = writeRows(out, at, template, startRow, endRow);
  out.setUint8(at - 1, CLOSE); // over the comma behind the last row
  return new Uint8Array(out.buffer.slice(0, at));
}

/** Where a page is written before its size is known; kept, so that a page costs memory for its own bytes only. */
let scratch = new DataView(new ArrayBuffer(0));

function scratchOf(room: number): DataView<ArrayBuffer> {
  if (scratch.byteLength < room) scratch = new DataView(new ArrayBuffer(room));
  return scratch;
}

function writeRows(out: DataView, from: number, template: RowTemplate, start: number, end: number): number {
  const { cells, tail } = template;
  let at = from;
  for (let row = start; row < end; row++) {
    for (let place = 0; place < cells.length; place++) at = putCell(out, at, cells[place] as Cell, row);
    at = putText(out, at, tail);
  }
  return at;
}

function putCell(out: DataView, at: number, cell: Cell, row: number): number {
  if (cell.kind === "table") {
    const entry = cell.index[row] ?? 0;
    return putWords(out, at, cell.texts, cell.starts[entry] ?? 0, cell.lengths[entry] ?? 0);
  }
  const place = putText(out, at, cell.lead);
  switch (cell.kind) {
    case "nineDigits": {
      const first = cell.first + row * cell.stride;
      out.setUint32(place, cell.digits.getUint32(first, true), true);
      out.setUint32(place + 4, cell.digits.getUint32(first + 4, true), true);
      out.setUint8(place + 8, cell.digits.getUint8(first + 8));
      return place + 9;
    }
    case "integers":
      return putInteger(out, place, cell.values[row] ?? 0);
    case "amounts": {
      const { prices, volumes } = cell;
      const priceE4 = prices.numbers[prices.index[row] ?? 0] ?? 0;
      const volume = volumes.numbers[volumes.index[row] ?? 0] ?? 0;
      const units = priceE4 * volume;
      // Below 10^15 the product is exact and its ten-thousandth has the plain decimal.
      if (units < 1e15) return putTenThousandths(out, place, units);
      return putNumber(out, place, amountOf(priceE4, volume));
    }
  }
}
