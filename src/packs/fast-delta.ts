/**
 * Decodes DELTA_BINARY_PACKED integers into a `Float64Array` without a BigInt for each value. Order numbers are
 * integers below 2^53, so adding them as doubles is exact. Pages whose integers could be rounded are left to the
 * general reader.
 */
import { viewOf } from "./page-view.ts";

/** The maximum width of a miniblock's values, in bits, with which no decoded integer can be rounded. */
const WIDEST = 48;
/** The largest minimum delta with which no decoded integer can be rounded. */
const LARGEST_DELTA = 2 ** 51;
/** The widest value, in bits, that a 32-bit word holds when up to 7 bits of another value precede it. */
const WIDEST_IN_WORD = 25;
/** Values of this width begin at whole bytes. */
const ALIGNED = 32;

/**
 * Returns the first `count` integers of `page`. Returns null if the size of the miniblocks is not a multiple of 8
 * values, if a number could be rounded, or if the page is truncated.
 */
export function fastDelta(page: Uint8Array, count: number): Float64Array | null {
  const reader = { page, at: 0 };
  const blockValues = varint(reader);
  const miniblocks = varint(reader);
  const total = varint(reader);
  const first = zigzag(varint(reader));
  const size = blockValues / miniblocks;
  if (!(size > 0 && size % 8 === 0) || total < count || !Number.isSafeInteger(first)) return null;

  const view = viewOf(page);
  const values = new Float64Array(count);
  values[0] = first;
  let filled = 1;
  while (filled < count) {
    const smallest = zigzag(varint(reader));
    if (!(Math.abs(smallest) <= LARGEST_DELTA)) return null;
    const widthsAt = reader.at;
    let at = widthsAt + miniblocks;
    for (let mini = 0; mini < miniblocks && filled < count; mini++) {
      const width = page[widthsAt + mini] ?? WIDEST + 1;
      const end = at + (size * width) / 8;
      if (width > WIDEST || end > page.length) return null;
      const until = Math.min(count, filled + size);
      if (width === ALIGNED) addAligned(view, at, smallest, values, filled, until);
      else if (width <= WIDEST_IN_WORD) addNarrow(view, at, width, smallest, values, filled, until);
      else addWide(page, at, width, smallest, values, filled, until);
      filled = until;
      at = end;
    }
    reader.at = at;
  }
  return values;
}

function addNarrow(
  view: DataView,
  start: number,
  width: number,
  smallest: number,
  values: Float64Array,
  from: number,
  until: number,
): void {
  const mask = (1 << width) - 1;
  let value = values[from - 1] ?? 0;
  let bit = start * 8;
  for (let place = from; place < until; place++) {
    value += smallest + ((view.getUint32(bit >> 3, true) >>> (bit & 7)) & mask);
    values[place] = value;
    bit += width;
  }
}

function addAligned(
  view: DataView,
  start: number,
  smallest: number,
  values: Float64Array,
  from: number,
  until: number,
): void {
  let value = values[from - 1] ?? 0;
  for (let place = from, at = start; place < until; place++, at += 4) {
    value += smallest + view.getUint32(at, true);
    values[place] = value;
  }
}

/** Adds values that are wider than `WIDEST_IN_WORD`, byte by byte. */
function addWide(
  page: Uint8Array,
  start: number,
  width: number,
  smallest: number,
  values: Float64Array,
  from: number,
  until: number,
): void {
  let value = values[from - 1] ?? 0;
  let bit = start * 8;
  for (let place = from; place < until; place++) {
    let delta = 0;
    let weight = 1;
    for (let left = width; left > 0; ) {
      const offset = bit & 7;
      const taken = Math.min(8 - offset, left);
      delta += (((page[Math.floor(bit / 8)] ?? 0) >> offset) & ((1 << taken) - 1)) * weight;
      weight *= 1 << taken;
      bit += taken;
      left -= taken;
    }
    value += smallest + delta;
    values[place] = value;
  }
}

/** Reads an unsigned varint. Returns NaN when the page ends or the number is not below 2^53. */
function varint(reader: { page: Uint8Array; at: number }): number {
  let value = 0;
  for (let weight = 1; weight <= 2 ** 49; weight *= 128) {
    const byte = reader.page[reader.at++];
    if (byte === undefined) return Number.NaN;
    value += (byte & 0x7f) * weight;
    if (byte < 0x80) return value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN;
  }
  return Number.NaN;
}

function zigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
