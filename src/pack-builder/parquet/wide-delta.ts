/**
 * Writes DELTA_BINARY_PACKED for pages with ids of 2^52 and more, whose differences a double cannot hold. Such ids are
 * rare, so this code is not optimised.
 */
import type { ByteWriter } from "./byte-writer.ts";

const DELTA_BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = DELTA_BLOCK / MINIBLOCKS;

/** Appends `values[from, to)` as one page body. There must be at least one value; all are integers below 2^53. */
export function deltaBinaryPackedWide(out: ByteWriter, values: Float64Array, from: number, to: number): void {
  out.varint(DELTA_BLOCK);
  out.varint(MINIBLOCKS);
  out.varint(to - from);
  zigzag(out, BigInt(values[from] ?? 0));
  for (let start = from + 1; start < to; start += DELTA_BLOCK) {
    const deltas: bigint[] = [];
    for (let i = start; i < Math.min(to, start + DELTA_BLOCK); i++) {
      deltas.push(BigInt(values[i] ?? 0) - BigInt(values[i - 1] ?? 0));
    }
    let smallest = deltas[0] ?? 0n;
    for (const delta of deltas) if (delta < smallest) smallest = delta;
    zigzag(out, smallest);
    packBlock(
      out,
      deltas.map((delta) => delta - smallest),
    );
  }
}

function packBlock(out: ByteWriter, offsets: bigint[]): void {
  const miniblocks = Array.from({ length: MINIBLOCKS }, (_, block) =>
    offsets.slice(block * MINIBLOCK, (block + 1) * MINIBLOCK),
  );
  const widths = miniblocks.map((values) => {
    let largest = 0n;
    for (const value of values) if (value > largest) largest = value;
    return values.length === 0 ? 0 : largest.toString(2).length;
  });
  for (const width of widths) out.byte(width);
  miniblocks.forEach((values, block) => {
    const width = widths[block] ?? 0;
    let packed = 0n;
    values.forEach((value, i) => {
      packed |= value << BigInt(i * width);
    });
    for (let byte = 0; byte < (MINIBLOCK / 8) * width; byte++) {
      out.byte(Number((packed >> BigInt(byte * 8)) & 255n));
    }
  });
}

function zigzag(out: ByteWriter, value: bigint): void {
  let rest = value < 0n ? -value * 2n - 1n : value * 2n;
  while (rest > 127n) {
    out.byte(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  out.byte(Number(rest));
}
