/** Decompresses one ZSTD page, bounded by the size in its header. */
import * as zlib from "node:zlib";
import { decompress as decompressInJs } from "fzstd";
import { PackFormatError } from "./errors.ts";

/**
 * A native call costs about 20 µs whatever its size. For small pages the portable decoder is faster: it takes 2 µs for
 * the dictionaries of symbols, dates and codes.
 */
const NATIVE_FROM_BYTES = 128;

/** workerd grows its output in steps of 40 KB and refuses a step beyond the limit even if the page would fit. */
const NATIVE_SLACK_BYTES = 2 * 40_960;

/** Some worker runtimes lack ZSTD in `node:zlib`; the portable decoder is used there. */
const native: typeof zlib.zstdDecompressSync | undefined = zlib.zstdDecompressSync;

/** The values of 10,000 rows take at most 160 KB; a page that claims more than this limit is a decompression bomb. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * Returns the `size` bytes of `page`, a ZSTD frame. Throws `PackFormatError` when it holds another number of bytes, and
 * before it allocates memory for an impossible size.
 */
export function decompressPage(page: Uint8Array, size: number): Uint8Array {
  if (!(size >= 0 && size <= MAX_PAGE_BYTES))
    throw new PackFormatError(`a page states a size of ${size} bytes`);
  const bytes = (page.length < NATIVE_FROM_BYTES ? null : nativeOrNull(page, size)) ?? portable(page, size);
  if (bytes.length !== size) {
    throw new PackFormatError(`a page decompressed to ${bytes.length} bytes instead of ${size}`);
  }
  return bytes;
}

/**
 * Decompresses with the portable decoder, which has no limit of its own and therefore receives only frames that state
 * their content size.
 */
function portable(page: Uint8Array, size: number): Uint8Array {
  if (contentSize(page) === size) return decompressInJs(page);
  const bytes = nativeOrNull(page, size);
  if (bytes === null) throw new PackFormatError(`a page is no ZSTD frame of ${size} bytes`);
  return bytes;
}

/** Returns the content size that a ZSTD frame states (RFC 8878, 3.1.1.1), or null without one. */
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
 * Returns null when the native decoder fails: workerd's reports "unexpected end of file" for every page that fills its
 * output steps exactly (40,960 bytes, 81,920, …). A corrupt page is refused by the portable decoder as well.
 */
function nativeOrNull(page: Uint8Array, size: number): Uint8Array | null {
  if (native === undefined) return null;
  try {
    return native(page, { maxOutputLength: size + NATIVE_SLACK_BYTES, chunkSize: Math.max(size, 64) });
  } catch {
    return null;
  }
}
