/**
 * A page's rows as JSON bytes: the array of arrays of spec 2.5, byte for byte what `JSON.stringify` makes of
 * the rows, written from columns without a row object or a string per cell.
 */
import { BATCH_ROWS, type Cell } from "./cells.ts";
import { type JsonColumn, rowTemplate } from "./row-template.ts";
import { SPILL_BYTES, TextArena, type Texts } from "./text-arena.ts";

/** Rows `startRow` up to but not including `endRow` of one block, its columns in the order of the answer. */
export interface JsonPart {
  columns: readonly JsonColumn[];
  startRow: number;
  endRow: number;
}

const OPEN = 0x5b;
const CLOSE = 0x5d;
const NOTHING = new Uint8Array([OPEN, CLOSE]);

// Kept from page to page: fresh memory costs more than what is written to it.
const arena = new TextArena();
let scratch = new DataView(new ArrayBuffer(0));
let batchTexts: Texts = { starts: new Uint32Array(0), lengths: new Uint32Array(0) };

/** The rows of all `parts`, one after the other, as the bytes of one JSON array of arrays. */
export function writeItems(parts: readonly JsonPart[]): Uint8Array {
  arena.clear();
  const filled = parts
    .filter((part) => part.endRow > part.startRow)
    .map(({ columns, startRow, endRow }) => ({ cells: rowTemplate(columns, arena), startRow, endRow }));
  if (filled.length === 0) return NOTHING.slice();
  const out = scratchOf(filled.reduce((sum, part) => sum + roomOf(part), 2 + SPILL_BYTES));
  let at = 0;
  for (const part of filled) at = writeRows(out, at, part);
  // The first row ended a row before it, `],[`, which becomes the array's `[[`; the last one is ended here.
  out.setUint8(1, OPEN);
  out.setUint8(at, CLOSE);
  out.setUint8(at + 1, CLOSE);
  return new Uint8Array(out.buffer.slice(1, at + 2));
}

interface Rows {
  cells: readonly Cell[];
  startRow: number;
  endRow: number;
}

function roomOf({ cells, startRow, endRow }: Rows): number {
  return (endRow - startRow) * cells.reduce((sum, { maxBytes }) => sum + maxBytes, 0);
}

function scratchOf(sizeBytes: number): DataView<ArrayBuffer> {
  if (scratch.byteLength < sizeBytes) scratch = new DataView(new ArrayBuffer(sizeBytes));
  return scratch;
}

/** Writes `rows` from `start` on; returns the place behind them. */
function writeRows(out: DataView, start: number, { cells, startRow, endRow }: Rows): number {
  const stride = cells.length;
  const texts = batchTextsOf(stride * BATCH_ROWS);
  let at = start;
  for (let from = startRow; from < endRow; from += BATCH_ROWS) {
    const batch = { from, until: Math.min(endRow, from + BATCH_ROWS), texts, stride };
    cells.forEach((cell, first) => {
      cell.place(batch, first);
    });
    at = arena.copy(texts, (batch.until - from) * stride, out, at);
  }
  return at;
}

function batchTextsOf(count: number): Texts {
  if (batchTexts.starts.length < count) {
    batchTexts = { starts: new Uint32Array(count), lengths: new Uint32Array(count) };
  }
  return batchTexts;
}
