/**
 * Encodes the blocks of one section. The index region of a pack and the catalog's row of the security contain the same
 * bytes. Little endian, 20 bytes a block.
 */
import { PackFormatError } from "./errors.ts";
import type { Block } from "./layout.ts";

/** Bytes of one encoded block: offset, first row, t0, k0, CRC-32, each u32. */
export const BLOCK_BYTES = 20;

/** Returns `blocks` as a blob of 20 bytes a block. Throws `RangeError` for a value outside u32. */
export function encodeBlocks(blocks: readonly Block[]): Uint8Array {
  const bytes = new Uint8Array(blocks.length * BLOCK_BYTES);
  const view = new DataView(bytes.buffer);
  blocks.forEach((block, index) => {
    const at = index * BLOCK_BYTES;
    view.setUint32(at, u32(block.offset), true);
    view.setUint32(at + 4, u32(block.firstRow), true);
    view.setUint32(at + 8, u32(block.t0), true);
    view.setUint32(at + 12, u32(block.k0), true);
    view.setUint32(at + 16, u32(block.crc), true);
  });
  return bytes;
}

/** Returns the blocks in `blob`. Throws `PackFormatError` unless it holds a whole number of blocks. */
export function decodeBlocks(blob: Uint8Array): Block[] {
  if (blob.length % BLOCK_BYTES !== 0) {
    throw new PackFormatError(
      `the length of a block list, ${blob.length} bytes, is not a multiple of ${BLOCK_BYTES}`,
    );
  }
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  return Array.from({ length: blob.length / BLOCK_BYTES }, (_, index) => {
    const at = index * BLOCK_BYTES;
    return {
      offset: view.getUint32(at, true),
      firstRow: view.getUint32(at + 4, true),
      t0: view.getUint32(at + 8, true),
      k0: view.getUint32(at + 12, true),
      crc: view.getUint32(at + 16, true),
    };
  });
}

/**
 * Returns `value`, which must be an integer from 0 to 2^32 - 1. A silent overflow would make a page read wrong bytes.
 */
export function u32(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
    throw new RangeError(`${value} does not fit an unsigned 32-bit field of the pack index`);
  }
  return value;
}
