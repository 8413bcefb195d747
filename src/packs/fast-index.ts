/**
 * Decodes dictionary indices (RLE_DICTIONARY: one byte of bit width, then runs) into a `Uint16Array`, many times faster
 * than the general reader. A block has at most 10,000 values, so no array grows and no value is boxed. Other pages are
 * left to the general reader.
 */
import { viewOf } from "./page-view.ts";

const WIDEST = 16;

/**
 * Returns the first `count` indices of `page`. Returns null for a page that this reader does not handle: a width beyond
 * 16 bits, a run beyond the page's end, or a truncated page.
 */
export function fastIndex(page: Uint8Array, count: number): Uint16Array | null {
  const width = page[0] ?? WIDEST + 1;
  if (width > WIDEST) return null;
  const whole = wholeBytes(page, width, count);
  if (whole !== null) return whole;
  const index = new Uint16Array(count);
  if (width === 0) return index;
  const view = viewOf(page);
  const valueBytes = (width + 7) >> 3;
  let at = 1;
  let filled = 0;
  while (filled < count) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = page[at++];
      if (byte === undefined || shift > 21) return null;
      header |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const run = header >>> 1;
    if ((header & 1) === 1) {
      const end = at + run * width;
      if (run === 0 || end > page.length) return null;
      const until = Math.min(count, filled + run * 8);
      unpack(view, at, width, index, filled, until);
      filled = until;
      at = end;
    } else {
      if (run === 0 || at + valueBytes > page.length) return null;
      const value = (page[at] ?? 0) | (valueBytes === 2 ? (page[at + 1] ?? 0) << 8 : 0);
      const until = Math.min(count, filled + run);
      index.fill(value, filled, until);
      filled = until;
      at += valueBytes;
    }
  }
  return index;
}

/**
 * Returns the first `count` indices of a page that consists of one bit-packed run with 8 or 16 bits per index; null for
 * any other page.
 */
function wholeBytes(page: Uint8Array, width: number, count: number): Uint16Array | null {
  if (width !== 8 && width !== 16) return null;
  const [, low = 0, high = 0] = page;
  const hasTwo = low >= 0x80;
  const header = hasTwo ? (low & 0x7f) | (high << 7) : low;
  const at = hasTwo ? 3 : 2;
  const end = at + (count * width) / 8;
  if ((hasTwo && high >= 0x80) || (header & 1) === 0 || (header >> 1) * 8 < count || end > page.length)
    return null;
  if (width === 8) return new Uint16Array(page.subarray(at, end));
  const index = new Uint16Array(count);
  new Uint8Array(index.buffer).set(page.subarray(at, end));
  return index;
}

/** Unpacks values of `width` bits, lowest bits first, into `index[from, until)`. */
function unpack(
  view: DataView,
  start: number,
  width: number,
  index: Uint16Array,
  from: number,
  until: number,
) {
  const mask = (1 << width) - 1;
  let bit = start * 8;
  for (let place = from; place < until; place++) {
    index[place] = (view.getUint32(bit >> 3, true) >>> (bit & 7)) & mask;
    bit += width;
  }
}
