/** ZSTD decompression of one page, bounded by the size its header promises. */
import * as zlib from "node:zlib";
import { decompress as decompressInJs } from "fzstd";
import { PackFormatError } from "./errors.ts";

/**
 * A native call costs about 20 µs whatever its size. Up to some hundred bytes the portable decoder is faster:
 * the dictionaries of symbols, dates and codes take it 2 µs.
 */
const NATIVE_FROM_BYTES = 128;

/** workerd grows its output in steps of 40 KB and refuses a step beyond the limit, though the page would fit. */
const NATIVE_SLACK_BYTES = 2 * 40_960;

/** Not every runtime of the worker's kind has ZSTD in `node:zlib`; the portable decoder stands in. */
const native: typeof zlib.zstdDecompressSync | undefined = zlib.zstdDecompressSync;

/** `page`, a ZSTD frame, as its `size` bytes; throws `PackFormatError` when it holds another number of bytes. */
export function decompressPage(page: Uint8Array, size: number): Uint8Array {
  const bytes = (page.length < NATIVE_FROM_BYTES ? null : nativeOrNull(page, size)) ?? decompressInJs(page);
  if (bytes.length !== size) {
    throw new PackFormatError(`a page of ${size} bytes decompressed to ${bytes.length}`);
  }
  return bytes;
}

/**
 * Null when the native decoder cannot: workerd's reports "unexpected end of file" for every page that fills one
 * of its steps exactly (40,960 bytes, 81,920, …). What is really broken the portable decoder refuses as well.
 */
function nativeOrNull(page: Uint8Array, size: number): Uint8Array | null {
  if (native === undefined) return null;
  try {
    return native(page, { maxOutputLength: size + NATIVE_SLACK_BYTES, chunkSize: Math.max(size, 64) });
  } catch {
    return null;
  }
}
