/**
 * Defines the interface that receives a pack's bytes, and a sink that writes them to a file and renames the complete
 * file.
 */
import { type FileHandle, open, rename, rm } from "node:fs/promises";

/** Receives a pack's bytes in order. The caller must call either `finish` or `discard`, once. */
export interface PackSink {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Writes to a temporary file, syncs it to disk and renames it to `path`. If the process is killed, no incomplete pack
 * remains at `path`; an existing pack stays until the rename.
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

  /** Creates the temporary file for `path`, overwriting the file of a killed run. */
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
    // The check reads the file while the disk stores it.
    const [stored, checked] = await Promise.allSettled([this.file.sync(), this.check(this.partial)]);
    await this.file.close();
    for (const each of [stored, checked]) if (each.status === "rejected") throw each.reason;
    await rename(this.partial, this.path);
  }

  async discard(): Promise<void> {
    await this.file.close();
    await rm(this.partial, { force: true });
  }
}

export interface FileSinkOptions {
  /** The temporary file, on the same disk as `path`; `<path>.partial` when absent. */
  partial?: string;
  /** Called with the complete temporary file; when it throws, the file is not renamed. */
  check?: (partial: string) => Promise<void>;
}
