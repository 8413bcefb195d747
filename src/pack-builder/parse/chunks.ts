/** Cuts a file into chunks of whole lines, each in an array of its own that can pass to another thread. */
import type { SourceFile } from "../delivery/source-file.ts";

const LF = 10;

/**
 * The bytes of `file` in chunks of about `chunkBytes`, each ending with a line end but the last. A file that
 * fits one chunk is one chunk. An empty file is one chunk of 0 bytes.
 */
export async function* chunksOf(
  file: SourceFile,
  chunkBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const source = await file.open();
  try {
    let kept: Uint8Array = new Uint8Array(0);
    let readBytes = 0;
    for (;;) {
      // One byte more than is left tells the end of the file from the end of the chunk.
      const left = Math.max(0, file.sizeBytes - readBytes) + 1;
      const bytes = new Uint8Array(kept.length + Math.min(chunkBytes, left));
      bytes.set(kept);
      const count = await source.fill(bytes.subarray(kept.length));
      readBytes += count;
      const filled = kept.length + count;
      if (filled < bytes.length) {
        yield bytes.subarray(0, filled);
        return;
      }
      const lineEnd = bytes.lastIndexOf(LF) + 1;
      // A line longer than a chunk (no order file has one) is read on until it ends.
      kept = bytes.slice(lineEnd);
      if (lineEnd > 0) yield bytes.subarray(0, lineEnd);
    }
  } finally {
    await source.close();
  }
}
