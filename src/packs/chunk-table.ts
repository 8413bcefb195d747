/**
 * The chunk table: the sizes of a section's column chunks, written between the section's leading `PAR1` and its first
 * block. Parquet readers follow the footer's offsets and never read the table. Parquet answers with chosen columns need
 * it, because the exact length of such an answer must be known before its first byte is sent. The footer holds these
 * sizes too, but the section is read from its start, and the footer comes last. Little endian, 12 bytes per chunk, then
 * a CRC-32.
 */
import { crc32 } from "node:zlib";
import { u32 } from "./blocks-blob.ts";
import { PackFormatError } from "./errors.ts";

/** The sizes of one column chunk in bytes, page headers included. */
export interface ChunkSizes {
  /** The size of the chunk's dictionary page, which precedes the data page; 0 when it has none. */
  dictionary: number;
  /** The size of the whole chunk as stored. */
  total: number;
  /** The size of the whole chunk before compression (the footer's `total_uncompressed_size`). */
  uncompressed: number;
}

const CHUNK_BYTES = 12;
const CRC_BYTES = 4;

/**
 * Returns the bytes of the chunk table of a section with `blockCount` blocks of `columnCount` columns. The first block
 * begins directly after it.
 */
export function chunkTableBytes(blockCount: number, columnCount: number): number {
  return blockCount * columnCount * CHUNK_BYTES + CRC_BYTES;
}

/** Returns the chunk table of `blocks`: for each block the sizes of all `columnCount` chunks in file order. */
export function encodeChunkTable(
  blocks: readonly (readonly ChunkSizes[])[],
  columnCount: number,
): Uint8Array {
  const bytes = new Uint8Array(chunkTableBytes(blocks.length, columnCount));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const chunks of blocks) {
    if (chunks.length !== columnCount)
      throw new RangeError(`a block has ${chunks.length} chunks; expected ${columnCount}`);
    for (const chunk of chunks) {
      view.setUint32(at, u32(chunk.dictionary), true);
      view.setUint32(at + 4, u32(chunk.total), true);
      view.setUint32(at + 8, u32(chunk.uncompressed), true);
      at += CHUNK_BYTES;
    }
  }
  view.setUint32(at, crc32(bytes.subarray(0, at)), true);
  return bytes;
}

/**
 * Returns the chunk sizes of `blockCount` blocks in `bytes`. Throws `PackFormatError` when length or checksum is wrong.
 */
export function decodeChunkTable(bytes: Uint8Array, blockCount: number, columnCount: number): ChunkSizes[][] {
  if (bytes.length !== chunkTableBytes(blockCount, columnCount)) {
    throw new PackFormatError(`a chunk table of ${bytes.length} bytes does not fit ${blockCount} blocks`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - CRC_BYTES;
  if (view.getUint32(end, true) !== crc32(bytes.subarray(0, end))) {
    throw new PackFormatError("a chunk table's bytes do not match their checksum");
  }
  return Array.from({ length: blockCount }, (_block, block) =>
    Array.from({ length: columnCount }, (_column, column) => {
      const at = (block * columnCount + column) * CHUNK_BYTES;
      return {
        dictionary: view.getUint32(at, true),
        total: view.getUint32(at + 4, true),
        uncompressed: view.getUint32(at + 8, true),
      };
    }),
  );
}
