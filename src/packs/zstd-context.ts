/**
 * Compresses or decompresses synchronously with the context behind a ZSTD stream of `node:zlib`, in Node and workerd.
 * One context can process any number of frames. The documented synchronous functions are slower: each call creates a
 * context, and copies the output when it grows. The context is not a documented interface, so callers fall back to the
 * documented functions where it is missing.
 */
import type { ZstdCompress, ZstdDecompress } from "node:zlib";

interface Handle {
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputBytes: number,
    output: Uint8Array,
    outputAt: number,
    outputBytes: number,
  ): void;
}

const UNSET = 0xffff_ffff;

export class ZstdContext {
  private readonly stream: ZstdCompress | ZstdDecompress;
  private readonly handle: Handle;
  /** Contains two numbers of bytes after a write: the free space in the output, and the unread rest of the input. */
  private readonly left: Uint32Array;

  private constructor(stream: ZstdCompress | ZstdDecompress, handle: Handle, left: Uint32Array) {
    this.stream = stream;
    this.handle = handle;
    this.left = left;
  }

  /** Returns the context of a new stream, or null when this runtime's streams do not have one in the expected form. */
  static of(create: () => ZstdCompress | ZstdDecompress): ZstdContext | null {
    try {
      const stream = create();
      // A failed write is also reported to the stream, where an error without a listener would be thrown.
      stream.on("error", () => undefined);
      const { _handle: handle, _writeState: left } = stream as unknown as Record<string, unknown>;
      const isKnown = left instanceof Uint32Array && left.length === 2 && hasWriteSync(handle);
      return isKnown ? new ZstdContext(stream, handle, left) : null;
    } catch {
      return null;
    }
  }

  /**
   * Writes the result for `input` to `output` and returns its length. Returns -1 on an error, or when input is left;
   * the caller must then close the context.
   */
  run(flush: number, input: Uint8Array, output: Uint8Array): number {
    const { handle, left } = this;
    left.fill(UNSET);
    try {
      handle.writeSync(flush, input, 0, input.length, output, 0, output.length);
    } catch {
      return -1;
    }
    return left[1] === 0 ? output.length - (left[0] ?? UNSET) : -1;
  }

  close(): void {
    this.stream.destroy();
  }
}

function hasWriteSync(handle: unknown): handle is Handle {
  return typeof handle === "object" && handle !== null && "writeSync" in handle;
}
