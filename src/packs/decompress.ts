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

/** The values of 10,000 rows take 160 KB at most: a page that promises more than this is no page of ours, but a bomb. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * `page`, a ZSTD frame, as its `size` bytes; throws `PackFormatError` when it holds another number of bytes, and
 * before memory is taken for what no page can hold.
 */
export function decompressPage(page: Uint8Array, size: number): Uint8Array {
  if (!(size >= 0 && size <= MAX_PAGE_BYTES)) throw new PackFormatError(`a page promises ${size} bytes`);
  const bytes = (page.length < NATIVE_FROM_BYTES ? null : nativeOrNull(page, size)) ?? portable(page, size);
  if (bytes.length !== size) {
    throw new PackFormatError(`a page of ${size} bytes decompressed to ${bytes.length}`);
  }
  return bytes;
}

/** The portable decoder has no limit of its own, so it is only given frames that say how much they hold. */
function portable(page: Uint8Array, size: number): Uint8Array {
  if (contentSize(page) === size) return decompressInJs(page);
  const bytes = nativeOrNull(page, size);
  if (bytes === null) throw new PackFormatError(`a page is no ZSTD frame of ${size} bytes`);
  return bytes;
}

/** The number of bytes that a ZSTD frame says it holds (RFC 8878, 3.1.1.1); null when it does not say. */
function contentSize(frame: Uint8Array): number | null {
  const descriptor = frame[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  if (sizeBytes === 0) return null;
  let size = sizeBytes === 2 ? 256 : 0;
  for (let place = 0; place < sizeBytes; place++) size += (frame[at + place] ?? 0) * 256 ** place;
  return size;
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
