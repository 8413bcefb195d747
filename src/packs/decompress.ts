/** ZSTD decompression of one page, bounded by the size its header promises. */
import * as zlib from "node:zlib";
import { decompress as decompressInJs } from "fzstd";
import { PackFormatError } from "./errors.ts";

/**
 * A native call costs about 20 µs whatever its size. Up to some hundred bytes the portable decoder is faster:
 * the dictionaries of symbols, dates and codes take it 2 µs.
 */
const NATIVE_FROM_BYTES = 128;

/** Not every runtime of the worker's kind has ZSTD in `node:zlib`; the portable decoder stands in. */
const native: typeof zlib.zstdDecompressSync | undefined = zlib.zstdDecompressSync;

/** `page`, a ZSTD frame, as its `size` bytes; throws `PackFormatError` when it holds another number of bytes. */
export function decompressPage(page: Uint8Array, size: number): Uint8Array {
  const bytes =
    native !== undefined && page.length >= NATIVE_FROM_BYTES
      ? native(page, { maxOutputLength: size, chunkSize: Math.max(size, 64) })
      : decompressInJs(page);
  if (bytes.length !== size) {
    throw new PackFormatError(`a page of ${size} bytes decompressed to ${bytes.length}`);
  }
  return bytes;
}
