/** Where a pack's bytes go: memory for tests, a file that gets its name only when it is whole. */
import { type FileHandle, open, rename, rm } from "node:fs/promises";

/** Receives a pack's bytes in order. Exactly one of `finish` and `discard` ends it. */
export interface PackSink {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** Keeps the pack in memory; `bytes()` joins it. */
export class MemorySink implements PackSink {
  private readonly pieces: Uint8Array[] = [];

  async write(bytes: Uint8Array): Promise<void> {
    this.pieces.push(bytes);
  }

  async finish(): Promise<void> {}

  async discard(): Promise<void> {
    this.pieces.length = 0;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(Buffer.concat(this.pieces));
  }
}

/**
 * Writes to a temporary file and renames it to `path` at the end, after the bytes are on the disk: killed at any
 * moment, no half pack looks whole, and a pack that stood there before stays until then.
 */
export class FileSink implements PackSink {
  private readonly path: string;
  private readonly partial: string;
  private readonly file: FileHandle;
  private readonly check: (partial: string) => Promise<void>;

  private constructor(path: string, file: FileHandle, { partial, check }: Required<FileSinkOptions>) {
    this.path = path;
    this.file = file;
    this.partial = partial;
    this.check = check;
  }

  /** Begins the file for `path`; what a killed run left under the temporary name is overwritten. */
  static async create(
    path: string,
    { partial = `${path}.partial`, check = async () => {} }: FileSinkOptions = {},
  ): Promise<FileSink> {
    return new FileSink(path, await open(partial, "w"), { partial, check });
  }

  async write(bytes: Uint8Array): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      done += (await this.file.write(bytes, done, bytes.length - done)).bytesWritten;
    }
  }

  async finish(): Promise<void> {
    await this.file.sync();
    await this.file.close();
    await this.check(this.partial);
    await rename(this.partial, this.path);
  }

  async discard(): Promise<void> {
    await this.file.close();
    await rm(this.partial, { force: true });
  }
}

export interface FileSinkOptions {
  /** The temporary file, on the disk of `path`; `<path>.partial` when absent. */
  partial?: string;
  /** Is given the finished bytes under the temporary name: when it throws, the file never gets its own. */
  check?: (partial: string) => Promise<void>;
}
