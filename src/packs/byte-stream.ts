/**
 * Exact reads from an R2 body. Bodies arrive in pieces of about 4 KB; asking the platform for a whole piece at
 * a time copies it once, in native code: 8 MB pass in 19 ms instead of 237.
 */

/** A read of R2 that takes longer will not come: the request holds a slot meanwhile, and its client hears nothing. */
const SILENCE_MS = 15_000;

export class ByteStream {
  private readonly reader: ReadableStreamBYOBReader;
  private readonly silenceMs: number;

  /** `silenceMs` bounds each read. */
  constructor(body: ReadableStream, silenceMs = SILENCE_MS) {
    this.reader = body.getReader({ mode: "byob" });
    this.silenceMs = silenceMs;
  }

  /**
   * The next `length` bytes (at least 1); fewer only when the stream ends before. Throws when they have not come
   * within the bound of silence.
   */
  async read(length: number): Promise<Uint8Array> {
    let buffer: ArrayBufferLike = new ArrayBuffer(length);
    let filled = 0;
    while (filled < length) {
      const space: Uint8Array<ArrayBufferLike> = new Uint8Array(buffer, filled, length - filled);
      const { value, done }: ReadableStreamReadResult<Uint8Array> = await this.soon(
        this.reader.readAtLeast(space.length, space),
      );
      if (value !== undefined) {
        buffer = value.buffer; // reading detaches the buffer that was given and hands back another
        filled += value.byteLength;
      }
      if (done || value === undefined || value.byteLength === 0) break;
    }
    return new Uint8Array(buffer, 0, filled);
  }

  /** Lets the rest go: nothing more is fetched. Does not wait: a stream that fell silent may not answer this either. */
  cancel(): void {
    this.reader.cancel().catch(() => undefined);
  }

  /** Returns the body, to pass on what is behind the bytes that were read. */
  release(): void {
    this.reader.releaseLock();
  }

  private async soon<T>(read: Promise<T>): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silent = new Promise<never>((_, reject) => {
      const error = () => new Error(`the store did not deliver within ${this.silenceMs} ms`);
      timer = setTimeout(() => reject(error()), this.silenceMs);
    });
    try {
      return await Promise.race([read, silent]);
    } finally {
      clearTimeout(timer);
    }
  }
}
