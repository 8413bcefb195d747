/**
 * Stores texts as bytes, padded to multiples of eight so that they are copied eight bytes at a time. A page of JSON
 * consists of 80,000 short texts.
 */

/** Number of bytes that are copied in one step. */
export const STEP = 8;

/** Copying a text can overwrite up to this many bytes after the end of the copy. */
export const SPILL_BYTES = STEP - 1;

/** One text, starting at the view's first byte. */
export interface Text {
  view: DataView;
  length: number;
}

/** A text of at most `SHORT_BYTES` bytes as a 32-bit word, first byte lowest, so that writing it takes one store. */
export interface ShortText {
  word: number;
  length: number;
}

/** The maximum length of a `ShortText`. */
export const SHORT_BYTES = 4;

/** Texts in one buffer, by index. */
export interface TextTable {
  view: DataView;
  starts: Uint32Array;
  lengths: Uint32Array;
}

const encoder = new TextEncoder();

/** Returns `text` as bytes. */
export function textOf(text: string): Text {
  const { view, lengths } = textTable([text]);
  return { view, length: lengths[0] ?? 0 };
}

/** Returns `text`, of 1 to `SHORT_BYTES` bytes, as a word. */
export function shortText({ view, length }: Text): ShortText {
  return { word: view.getUint32(0, true), length };
}

/** Returns `texts` as bytes. */
export function textTable(texts: readonly string[]): TextTable {
  const encoded = texts.map((text) => encoder.encode(text));
  const space = encoded.reduce((sum, { length }) => sum + padded(length), 0);
  const bytes = new Uint8Array(space);
  return tableOf(texts.length, bytes, (start, entry) => {
    const text = encoded[entry] ?? new Uint8Array(0);
    bytes.set(text, start);
    return start + text.length;
  });
}

/** Returns a table of `count` texts in `bytes`; `put` writes one text at `start` and returns the position after it. */
export function tableOf(
  count: number,
  bytes: Uint8Array<ArrayBuffer>,
  put: (start: number, entry: number) => number,
): TextTable {
  const starts = new Uint32Array(count);
  const lengths = new Uint32Array(count);
  let start = 0;
  for (let entry = 0; entry < count; entry++) {
    starts[entry] = start;
    lengths[entry] = put(start, entry) - start;
    start += padded(lengths[entry] ?? 0);
  }
  return { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), starts, lengths };
}

/** Returns the number of bytes that a text of `length` bytes takes in a table: a multiple of `STEP`. */
export function padded(length: number): number {
  return (length + STEP - 1) & -STEP;
}

/**
 * Copies `length` bytes of `from`, starting at `start` and in steps of eight, to `out` at `at`. Returns the position
 * after them.
 */
export function copyText(out: DataView, at: number, from: DataView, start: number, length: number): number {
  for (let step = 0; step < length; step += STEP) {
    out.setBigUint64(at + step, from.getBigUint64(start + step, true), true);
  }
  return at + length;
}
