/** Decompresses one ZSTD page, bounded by the size in its header. */
import * as zlib from "node:zlib";
import { decompress as decompressInJs } from "fzstd";
import { PackFormatError } from "./errors.ts";
import { ZstdContext } from "./zstd-context.ts";
import { frameOf } from "./zstd-frame.ts";

/**
 * A call of `zstdDecompressSync` costs at least 20 µs. For pages below this size, the portable decoder is faster. It
 * takes 2 µs for the dictionaries of symbols, dates and codes.
 */
const NATIVE_FROM_BYTES = 128;

/** workerd grows its output in steps of 40 KB and refuses a step beyond the limit even if the page would fit. */
const NATIVE_SLACK_BYTES = 2 * 40_960;

/** Some worker runtimes lack ZSTD in `node:zlib`; the portable decoder is used there. */
const native: typeof zlib.zstdDecompressSync | undefined = zlib.zstdDecompressSync;

/** The values of 10,000 rows take at most 160 KB; a page that claims more than this limit is a decompression bomb. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * Decompresses `page`, a ZSTD frame of `size` bytes (at least 1). Throws `PackFormatError` when the frame holds a
 * different number of bytes. An impossible `size` is refused before memory is allocated.
 */
export function decompressPage(page: Uint8Array, size: number): Uint8Array {
  if (!(size > 0 && size <= MAX_PAGE_BYTES))
    throw new PackFormatError(`a page states a size of ${size} bytes; expected 1 to ${MAX_PAGE_BYTES}`);
  const frame = frameOf(page);
  const isWhole = frame !== null && frame.contentBytes === size && frame.length === page.length;
  const bytes = (isWhole ? keptOrNull(page, size) : null) ?? unkept(page, size, isWhole);
  if (bytes.length !== size) {
    throw new PackFormatError(`a page decompressed to ${bytes.length} bytes instead of ${size}`);
  }
  return bytes;
}

/** The context for all pages, created for the first one; null when the runtime does not offer a context. */
let context: ZstdContext | null | undefined;

/** Flag of a write: more input may follow. */
const CONTINUE = 0;

/**
 * Decompresses with one context for all pages, directly into memory of the page's size. `page` must be one whole frame
 * of `size` bytes, so that no page leaves the context inside a frame. Returns null when this fails, or when the runtime
 * has no context.
 */
function keptOrNull(page: Uint8Array, size: number): Uint8Array | null {
  if (context === undefined) context = ZstdContext.of(() => zlib.createZstdDecompress());
  if (context === null) return null;
  // If the frame leaves the additional byte unused, it holds no more than `size` bytes.
  const output = new Uint8Array(size + 1);
  if (context.run(CONTINUE, page, output) === size) return output.subarray(0, size);
  context.close();
  context = undefined;
  return null;
}

/** Decompresses with documented interfaces only. `isWhole` says that the page is one frame that states this size. */
function unkept(page: Uint8Array, size: number, isWhole: boolean): Uint8Array {
  const bytes = page.length < NATIVE_FROM_BYTES ? null : nativeOrNull(page, size);
  if (bytes !== null) return bytes;
  // The portable decoder has no size limit and would also decode frames that follow the first one, so it gets only a
  // page that is one frame of this size.
  if (isWhole) return decompressInJs(page);
  const late = nativeOrNull(page, size);
  if (late === null) throw new PackFormatError(`a page is not a ZSTD frame of ${size} bytes`);
  return late;
}

/**
 * Returns null when the native decoder fails. In workerd, it fails with "unexpected end of file" for every page that
 * fills its output steps exactly (40,960 bytes, 81,920, …). The portable decoder reads such a page and refuses a
 * corrupt one.
 */
function nativeOrNull(page: Uint8Array, size: number): Uint8Array | null {
  if (native === undefined) return null;
  try {
    return native(page, { maxOutputLength: size + NATIVE_SLACK_BYTES, chunkSize: Math.max(size, 64) });
  } catch {
    return null;
  }
}
