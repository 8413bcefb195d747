/**
 * Writes a page's rows as JSON bytes: the array of arrays of contract 5.1, byte for byte as `JSON.stringify` writes it.
 * Reads columns, and creates no object for a row and no string for a cell.
 */
import type { Cell } from "./cells.ts";
import { type JsonColumn, rowTemplate } from "./row-template.ts";
import { copyText, padded, SPILL_BYTES } from "./text-table.ts";

/** The rows of one block from `startRow` to `endRow` (exclusive). `columns` has the order of the answer. */
export interface JsonPart {
  columns: readonly JsonColumn[];
  startRow: number;
  endRow: number;
}

/** The number of rows in a batch: few enough that the batch stays in the processor's cache. */
const BATCH_ROWS = 256;

const OPEN = 0x5b;
const CLOSE = 0x5d;
const NOTHING = new Uint8Array([OPEN, CLOSE]);
/** A row of at least this length is copied faster in one call than in steps. */
const LONG_ROW_BYTES = 256;
/** Bytes of `]]`, the end of the last row and of the array. */
const END_BYTES = 2;

// Reused for every page: allocating memory costs more than writing it.
let page = new DataView(new ArrayBuffer(0));
let slots = new DataView(new ArrayBuffer(0));
const ends = new Uint32Array(BATCH_ROWS);

/** Returns the rows of all `parts` in order as the bytes of one JSON array of arrays. */
export function writeItems(parts: readonly JsonPart[]): Uint8Array {
  let at = 0;
  for (const { columns, startRow, endRow } of parts) {
    if (endRow > startRow) at = writeRows(at, rowTemplate(columns), startRow, endRow);
  }
  if (at === 0) return NOTHING.slice();
  // Each row was written with a leading `],[`, which ends the row before it. For the first row, `[[` replaces `],[`.
  page.setUint8(1, OPEN);
  page.setUint8(at, CLOSE);
  page.setUint8(at + 1, CLOSE);
  return new Uint8Array(page.buffer.slice(1, at + END_BYTES));
}

/** Writes rows to `page`, beginning at `start`. Returns the position after them. */
function writeRows(start: number, cells: readonly Cell[], startRow: number, endRow: number): number {
  const slotBytes = padded(cells.reduce((sum, { maxBytes }) => sum + maxBytes, SPILL_BYTES));
  slots = withSpace(slots, BATCH_ROWS * slotBytes, 0);
  let at = start;
  for (let from = startRow; from < endRow; from += BATCH_ROWS) {
    const batch = { from, until: Math.min(endRow, from + BATCH_ROWS), out: slots, ends };
    const rows = batch.until - from;
    for (let place = 0; place < rows; place++) ends[place] = place * slotBytes;
    for (const cell of cells) cell.append(batch);
    page = withSpace(page, at + rows * slotBytes + END_BYTES, at);
    at = gather(at, rows, slotBytes);
  }
  return at;
}

/** Copies a batch's texts to `page` without gaps, beginning at `start`. Returns the position after them. */
function gather(start: number, rows: number, slotBytes: number): number {
  let at = start;
  if (slotBytes < LONG_ROW_BYTES) {
    for (let place = 0, slot = 0; place < rows; place++, slot += slotBytes) {
      at = copyText(page, at, slots, slot, (ends[place] ?? 0) - slot);
    }
    return at;
  }
  const [from, to] = [new Uint8Array(slots.buffer), new Uint8Array(page.buffer)];
  for (let place = 0, slot = 0; place < rows; place++, slot += slotBytes) {
    const text = from.subarray(slot, ends[place]);
    to.set(text, at);
    at += text.length;
  }
  return at;
}

/** Returns `view` if it has space for `sizeBytes`, else a larger view with the first `keptBytes` copied. */
function withSpace(view: DataView<ArrayBuffer>, sizeBytes: number, keptBytes: number): DataView<ArrayBuffer> {
  if (view.byteLength >= sizeBytes) return view;
  const larger = new Uint8Array(Math.max(sizeBytes, 2 * view.byteLength));
  larger.set(new Uint8Array(view.buffer, 0, keptBytes));
  return new DataView(larger.buffer);
}
