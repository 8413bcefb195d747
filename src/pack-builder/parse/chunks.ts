/** Cuts a file into chunks of whole lines, each in its own array that can be transferred to another thread. */
import type { TextSource } from "./text-source.ts";

const LF = 10;

/** A longer line cannot be a row; it is cut, so that a long run of NUL bytes need not fit in memory. */
const LONGEST_LINE_BYTES = 1 << 20;

/**
 * Yields the bytes of `text` in chunks of about `chunkBytes`; every chunk except the last ends with a line end, unless
 * a line is too long. An empty file is one chunk of 0 bytes.
 */
export async function* chunksOf(
  text: TextSource,
  chunkBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let kept: Uint8Array = new Uint8Array(0);
  let readBytes = 0;
  for (;;) {
    // Asking for one byte more than expected distinguishes the end of the file from the end of the chunk.
    const left = Math.max(0, text.expectedBytes - readBytes);
    const bytes = new Uint8Array(kept.length + Math.min(chunkBytes, left) + 1);
    bytes.set(kept);
    const count = await text.fill(bytes.subarray(kept.length));
    readBytes += count;
    const filled = kept.length + count;
    if (filled < bytes.length) {
      yield bytes.subarray(0, filled);
      return;
    }
    const lineEnd = bytes.lastIndexOf(LF) + 1;
    const cut = lineEnd === 0 && bytes.length >= LONGEST_LINE_BYTES ? bytes.length : lineEnd;
    kept = bytes.slice(cut);
    if (cut > 0) yield bytes.subarray(0, cut);
  }
}
