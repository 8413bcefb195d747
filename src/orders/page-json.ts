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

/** The size of a piece. It is small, so that memory is freed step by step while a slow client reads. */
const PIECE_BYTES = 64 * 1024;

const OPEN = 0x5b;
const CLOSE = 0x5d;
/** A row of at least this length is copied faster in one call than in steps. */
const LONG_ROW_BYTES = 256;
/** Bytes of `]]`, the end of the last row and of the array. */
const END_BYTES = 2;

// Reused for every page: allocating memory costs more than writing it.
let slots = new DataView(new ArrayBuffer(0));
const ends = new Uint32Array(BATCH_ROWS);

/** A part of the page's bytes, written up to `at`. */
interface Piece {
  view: DataView<ArrayBuffer>;
  at: number;
}

/**
 * Returns the rows of all `parts` in order as the bytes of one JSON array of arrays, in pieces of 64 KiB or less that
 * share no memory. No row is divided between two pieces.
 */
export function writeItems(parts: readonly JsonPart[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Piece[] = [];
  for (const { columns, startRow, endRow } of parts) {
    if (endRow > startRow) writeRows(pieces, rowTemplate(columns), startRow, endRow);
  }
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined) return [new Uint8Array([OPEN, CLOSE])];
  // Each row was written with a leading `],[`, which ends the row before it. For the first row, `[[` replaces `],[`.
  first.view.setUint8(1, OPEN);
  last.view.setUint8(last.at, CLOSE);
  last.view.setUint8(last.at + 1, CLOSE);
  last.at += END_BYTES;
  // The last piece is copied, because its memory can be much larger than its text.
  last.view = new DataView(last.view.buffer.slice(0, last.at));
  return pieces.map(({ view, at }, number) => new Uint8Array(view.buffer).subarray(number === 0 ? 1 : 0, at));
}

/** Writes rows at the end of `pieces`. */
function writeRows(pieces: Piece[], cells: readonly Cell[], startRow: number, endRow: number): void {
  const slotBytes = padded(cells.reduce((sum, { maxBytes }) => sum + maxBytes, SPILL_BYTES));
  const batchBytes = BATCH_ROWS * slotBytes;
  if (slots.byteLength < batchBytes) slots = new DataView(new ArrayBuffer(batchBytes));
  for (let from = startRow; from < endRow; from += BATCH_ROWS) {
    const batch = { from, until: Math.min(endRow, from + BATCH_ROWS), out: slots, ends };
    const rows = batch.until - from;
    for (let place = 0; place < rows; place++) ends[place] = place * slotBytes;
    for (const cell of cells) cell.append(batch);
    for (let place = 0; place < rows; ) place = gather(withSpace(pieces, slotBytes), place, rows, slotBytes);
  }
}

/** Returns the last piece, or a new one if that has no space for a row and the end of the array. */
function withSpace(pieces: Piece[], slotBytes: number): Piece {
  const needed = slotBytes + END_BYTES;
  const last = pieces.at(-1);
  if (last !== undefined && last.at + needed <= last.view.byteLength) return last;
  const next = { view: new DataView(new ArrayBuffer(Math.max(PIECE_BYTES, needed))), at: 0 };
  pieces.push(next);
  return next;
}

/**
 * Copies the texts of a batch to `piece` without gaps, from row `first` (inclusive) to `rows` (exclusive). Returns the
 * row before which it stopped because the piece was full, or `rows`.
 */
function gather(piece: Piece, first: number, rows: number, slotBytes: number): number {
  const { view } = piece;
  const lastAt = view.byteLength - slotBytes - END_BYTES;
  const isLong = slotBytes >= LONG_ROW_BYTES;
  const [from, to] = [new Uint8Array(slots.buffer), new Uint8Array(view.buffer)];
  let at = piece.at;
  let place = first;
  for (let slot = first * slotBytes; place < rows && at <= lastAt; place++, slot += slotBytes) {
    const end = ends[place] ?? 0;
    if (isLong) to.set(from.subarray(slot, end), at);
    else copyText(view, at, slots, slot, end - slot);
    at += end - slot;
  }
  piece.at = at;
  return place;
}
