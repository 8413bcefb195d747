/** Decompresses one ZSTD page, bounded by the size in its header. */
import * as zlib from "node:zlib";
import { decompress as decompressInJs } from "fzstd";
import { PackFormatError } from "./errors.ts";
import { frameOf } from "./zstd-frame.ts";

/**
 * A call of `zstdDecompressSync` costs at least 20 µs. For a smaller page, the portable decoder is faster: it takes 2
 * µs for the dictionaries of symbols, dates and codes.
 */
const NATIVE_FROM_BYTES = 128;

/** workerd grows its output in steps of 40 KB and refuses a step beyond the limit even if the page would fit. */
const NATIVE_SLACK_BYTES = 2 * 40_960;

/** Some worker runtimes lack ZSTD in `node:zlib`; the portable decoder is used there. */
const native: typeof zlib.zstdDecompressSync | undefined = zlib.zstdDecompressSync;

/** The values of 10,000 rows take at most 160 KB; a page that claims more than this limit is a decompression bomb. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/**
 * Returns the `size` bytes of `page`, a ZSTD frame; no page is empty. Throws `PackFormatError` when the frame holds a
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

/**
 * The decoder behind a stream of `node:zlib`, the same in Node and workerd. It is not a documented interface, so
 * everything also works without it, but more slowly.
 */
interface Decoder {
  stream: zlib.ZstdDecompress;
  handle: {
    writeSync(
      flush: number,
      input: Uint8Array,
      inputAt: number,
      inputBytes: number,
      output: Uint8Array,
      outputAt: number,
      outputBytes: number,
    ): void;
  };
  /** After a write: bytes of space left in the output, bytes left of the input. */
  left: Uint32Array;
}

/** Created for the first page and used for all pages; null when the runtime has none. */
let decoder: Decoder | null | undefined;

const CONTINUE = 0;
const UNSET = 0xffff_ffff;

/**
 * Decompresses with one decoder for all pages, directly into memory of the page's size. `zstdDecompressSync` would
 * create a decoder for each page and copy a growing output. `page` must be one whole frame of `size` bytes, so that no
 * page leaves the decoder inside a frame. Returns null when the decoder fails or there is none.
 */
function keptOrNull(page: Uint8Array, size: number): Uint8Array | null {
  if (decoder === undefined) decoder = newDecoder();
  if (decoder === null) return null;
  const { stream, handle, left } = decoder;
  // If the additional byte stays empty, the frame holds no more than `size` bytes.
  const output = new Uint8Array(size + 1);
  left.fill(UNSET);
  try {
    handle.writeSync(CONTINUE, page, 0, page.length, output, 0, output.length);
  } catch {
    left.fill(UNSET);
  }
  if (left[0] === 1 && left[1] === 0) return output.subarray(0, size);
  stream.destroy();
  decoder = undefined;
  return null;
}

/** Returns a decoder, or null when this runtime's streams do not have one in the expected form. */
function newDecoder(): Decoder | null {
  try {
    const stream = zlib.createZstdDecompress();
    // A failed write is also reported to the stream, where an error without a listener would be thrown.
    stream.on("error", () => undefined);
    const { _handle: handle, _writeState: left } = stream as unknown as Record<string, unknown>;
    const isKnown = left instanceof Uint32Array && left.length === 2 && hasWriteSync(handle);
    return isKnown ? { stream, handle, left } : null;
  } catch {
    return null;
  }
}

function hasWriteSync(handle: unknown): handle is Decoder["handle"] {
  return typeof handle === "object" && handle !== null && "writeSync" in handle;
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
