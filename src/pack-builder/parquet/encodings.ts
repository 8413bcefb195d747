/**
 * Writes Parquet's value encodings as packs use them: DELTA_BINARY_PACKED for ids, the RLE / bit-packing hybrid for
 * dictionary indices. Values are integers below 2^53 in doubles.
 */
import type { ByteWriter } from "./byte-writer.ts";
import { deltaBinaryPackedWide } from "./wide-delta.ts";

const DELTA_BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = DELTA_BLOCK / MINIBLOCKS;

/** Returns the number of bits that the non-negative integer `value` below 2^53 needs. */
export function bitWidth(value: number): number {
  const high = Math.floor(value / 0x1_0000_0000);
  return high > 0 ? 64 - Math.clz32(high) : 32 - Math.clz32(value >>> 0);
}

/**
 * If all values are below this, they differ by less than 2^52, and their differences differ by less than 2^53. Doubles
 * hold both exactly.
 */
const EXACT_BELOW = 2 ** 52;

const deltas = new Float64Array(DELTA_BLOCK);

/**
 * Appends `values[from, to)` as one DELTA_BINARY_PACKED page body. There must be at least one value, and none may be
 * negative.
 */
export function deltaBinaryPacked(out: ByteWriter, values: Float64Array, from: number, to: number): void {
  if (!beginPage(out, values, from, to)) return;
  let previous = values[from] ?? 0;
  for (let start = from + 1; start < to; start += DELTA_BLOCK) {
    const count = Math.min(DELTA_BLOCK, to - start);
    let smallest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      const value = values[start + i] ?? 0;
      const delta = value - previous;
      deltas[i] = delta;
      if (delta < smallest) smallest = delta;
      previous = value;
    }
    for (let i = 0; i < count; i++) deltas[i] = (deltas[i] ?? 0) - smallest;
    deltas.fill(0, count);
    out.zigzag(smallest);
    deltaMiniblocks(out, count);
  }
}

/**
 * Appends a page's head and returns true. If a value is too large for exact differences in doubles, appends the whole
 * page instead and returns false.
 */
function beginPage(out: ByteWriter, values: Float64Array, from: number, to: number): boolean {
  let largest = 0;
  for (let i = from; i < to; i++) largest = Math.max(largest, values[i] ?? 0);
  if (largest >= EXACT_BELOW) {
    deltaBinaryPackedWide(out, values, from, to);
    return false;
  }
  out.varint(DELTA_BLOCK);
  out.varint(MINIBLOCKS);
  out.varint(to - from);
  out.zigzag(values[from] ?? 0);
  return true;
}

/**
 * Appends `values[from, to)` like `deltaBinaryPacked`, but stores each difference in whole bytes, relative to the
 * smallest difference of the page. Equal differences then have equal bytes, which ZSTD finds only at byte boundaries.
 * The blocks have the usual size, because arrow-rs cannot skip rows in miniblocks of more than 64 values.
 */
export function deltaWholeBytes(out: ByteWriter, values: Float64Array, from: number, to: number): void {
  if (!beginPage(out, values, from, to)) return;
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = from + 1; i < to; i++) smallest = Math.min(smallest, (values[i] ?? 0) - (values[i - 1] ?? 0));
  for (let start = from + 1; start < to; start += DELTA_BLOCK) {
    out.zigzag(smallest);
    wholeByteBlock(out, values, start, Math.min(to, start + DELTA_BLOCK), smallest);
  }
}

/** Appends one block: the widths of its miniblocks and the differences of `values[from, to)`, less `smallest`. */
function wholeByteBlock(
  out: ByteWriter,
  values: Float64Array,
  from: number,
  to: number,
  smallest: number,
): void {
  let largest = 0;
  for (let i = from; i < to; i++) {
    largest = Math.max(largest, (values[i] ?? 0) - (values[i - 1] ?? 0) - smallest);
  }
  const size = Math.max(1, Math.ceil(bitWidth(largest) / 8));
  const filled = Math.ceil((to - from) / MINIBLOCK);
  let at = out.reserve(MINIBLOCKS + size * filled * MINIBLOCK);
  const bytes = out.bytes;
  for (let mini = 0; mini < MINIBLOCKS; mini++) bytes[at++] = mini < filled ? 8 * size : 0;
  const end = at + size * filled * MINIBLOCK;
  for (let i = from; i < to; i++) {
    const difference = (values[i] ?? 0) - (values[i - 1] ?? 0) - smallest;
    let low = difference >>> 0;
    for (let byte = 0; byte < size; byte++) {
      if (byte === 4) low = Math.floor(difference / 0x1_0000_0000);
      bytes[at++] = low & 255;
      low >>>= 8;
    }
  }
  // The last miniblock is filled up with zeros.
  bytes.fill(0, at, end);
  out.length = end;
}

/**
 * Writes the widths and packed values of one block of differences; miniblocks beyond the first `count` differences have
 * width 0 and no bytes.
 */
function deltaMiniblocks(out: ByteWriter, count: number): void {
  const widthsAt = out.reserve(MINIBLOCKS + DELTA_BLOCK * 8);
  out.length += MINIBLOCKS;
  for (let block = 0; block < MINIBLOCKS; block++) {
    const first = block * MINIBLOCK;
    let largest = 0;
    for (let i = first; i < first + MINIBLOCK; i++) largest = Math.max(largest, deltas[i] ?? 0);
    // Width 0 would suffice for equal steps, but polars of mid-2024 refuses it.
    const width = first < count ? Math.max(1, bitWidth(largest)) : 0;
    out.bytes[widthsAt + block] = width;
    if (width > 0 && width <= 24) packNarrow(out, first, width);
    else if (width > 24) packWide(out, first, width);
  }
}

/** Packs one miniblock with up to 24 bits a value; with at most 7 pending bits, 32-bit arithmetic is exact. */
function packNarrow(out: ByteWriter, first: number, width: number): void {
  const bytes = out.bytes;
  let at = out.length;
  let pending = 0;
  let bits = 0;
  for (let i = first; i < first + MINIBLOCK; i++) {
    pending |= (deltas[i] ?? 0) << bits;
    bits += width;
    while (bits >= 8) {
      bytes[at++] = pending;
      pending >>>= 8;
      bits -= 8;
    }
  }
  out.length = at;
}

/** Packs one miniblock of any width in pieces of 16 bits. */
function packWide(out: ByteWriter, first: number, width: number): void {
  const bytes = out.bytes;
  let at = out.length;
  let pending = 0;
  let bits = 0;
  for (let i = first; i < first + MINIBLOCK; i++) {
    let rest = deltas[i] ?? 0;
    for (let left = width; left > 0; left -= 16) {
      pending |= (rest % 65536) << bits;
      rest = Math.floor(rest / 65536);
      bits += Math.min(left, 16);
      while (bits >= 8) {
        bytes[at++] = pending;
        pending >>>= 8;
        bits -= 8;
      }
    }
  }
  out.length = at;
}

/**
 * Appends `count` dictionary indices as the RLE / bit-packing hybrid, without the leading width byte. Repeated values
 * become a run where that is shorter; bit-packed groups are multiples of eight values.
 */
export function rleBitPacked(out: ByteWriter, indices: Uint16Array, count: number, width: number): void {
  const shortestRun = width >= 4 ? 8 : 16;
  let packedFrom = 0;
  let at = 0;
  while (at < count) {
    const value = indices[at];
    let end = at + 1;
    while (end < count && indices[end] === value) end++;
    // Bit-packed values before a run must be a multiple of eight, so they include the first values of the run.
    const lent = (8 - ((at - packedFrom) % 8)) % 8;
    if (end - at - lent >= shortestRun) {
      const runFrom = at + lent;
      if (runFrom > packedFrom) bitPack(out, indices, packedFrom, runFrom, width);
      out.varint((end - runFrom) << 1);
      for (let shift = 0; shift < width; shift += 8) out.byte(((value ?? 0) >>> shift) & 255);
      packedFrom = end;
    }
    at = end;
  }
  if (packedFrom < count) bitPack(out, indices, packedFrom, count, width);
}

/** Appends `count` dictionary indices as one bit-packed run, for widths of whole bytes. */
export function packedWhole(out: ByteWriter, indices: Uint16Array, count: number, width: 8 | 16): void {
  bitPack(out, indices, 0, count, width);
}

/** Writes `indices[from, to)` bit-packed, padded with zeros to a multiple of eight values. */
function bitPack(out: ByteWriter, indices: Uint16Array, from: number, to: number, width: number): void {
  const groups = (to - from + 7) >> 3;
  out.varint((groups << 1) | 1);
  let at = out.reserve(groups * width);
  const bytes = out.bytes;
  let pending = 0;
  let bits = 0;
  for (let i = from; i < from + groups * 8; i++) {
    pending |= (i < to ? (indices[i] ?? 0) : 0) << bits;
    bits += width;
    while (bits >= 8) {
      bytes[at++] = pending;
      pending >>>= 8;
      bits -= 8;
    }
  }
  out.length = at;
}
