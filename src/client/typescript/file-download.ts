/** The download of one file of a share: resumed where its line broke, checked as a whole. */
import type { Drive } from "./drive.ts";
import { IntegrityError } from "./errors.ts";
import { sha256 } from "./sha256.ts";
import { BrokenConnection, type Reply } from "./transport.ts";
import type { ShareFile } from "./types.ts";

export interface DownloadOptions {
  /**
   * The first bytes of the file that an earlier, interrupted download left, such as a stream of a part on disk.
   * They are hashed, not fetched, and not yielded again.
   */
  have?: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The bytes of a file that are still missing; iterate them once. Throws `IntegrityError` when the share holds
 * another version of it than the manifest named (read `files()` again), or behind the last byte when the whole,
 * with what was there before, has another SHA-256: drop it then.
 *
 * @example await pipeline(share.download(file), createWriteStream(path));
 */
export class FileDownload implements AsyncIterable<Uint8Array> {
  readonly file: ShareFile;
  readonly #drive: Drive;
  readonly #options: DownloadOptions;

  constructor(drive: Drive, file: ShareFile, options: DownloadOptions) {
    this.file = file;
    this.#drive = drive;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const { path, size_bytes: size, sha256: expected } = this.file;
    const hash = sha256();
    let at = 0;
    for await (const piece of this.#options.have ?? []) {
      hash.update(piece);
      at += piece.byteLength;
    }
    for await (const piece of this.#missing(at)) {
      hash.update(piece);
      at += piece.byteLength;
      yield piece;
    }
    if (at !== size) throw new IntegrityError(`${path} has ${at} bytes instead of ${size}`);
    if (hash.digest() !== expected) throw new IntegrityError(`${path} has another SHA-256 than announced`);
  }

  /** All missing bytes in memory. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of this) parts.push(new Uint8Array(piece));
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  async *#missing(from: number): AsyncGenerator<Uint8Array, void, undefined> {
    const { path, size_bytes: size } = this.file;
    const { signal } = this.#options;
    const patience = this.#drive.newPatience();
    let at = from;
    while (at < size) {
      const headers = () => (at > 0 ? { Range: `bytes=${at}-` } : {}) as Record<string, string>;
      const reply = await this.#drive.get(path, { signal, headers, patience }, async (head) => head);
      try {
        this.#checkVersion(reply, at);
        for await (const piece of reply.pieces()) {
          patience.progressed();
          at += piece.byteLength;
          yield piece;
        }
        if (at < size) throw new BrokenConnection(`the body ended after ${at} of ${size} bytes`);
      } catch (error) {
        if (!(error instanceof BrokenConnection)) throw error;
        await patience.waitFailed(error, path, { signal });
      }
    }
  }

  /**
   * A file that was replaced is found out before its first byte, not after a gigabyte. A page of something in
   * between is a broken connection, which may pass: what was downloaded so far is still good.
   */
  #checkVersion({ status, headers, length, cancel }: Reply, at: number): void {
    const { path, sha256: expected, size_bytes: size } = this.file;
    const digest = /sha-256=:([^:]+):/.exec(headers.get("Repr-Digest") ?? "")?.[1];
    const isOther = digest !== undefined && hexOf(atob(digest)) !== expected;
    const begins = status === 206 ? /^bytes (\d+)-/.exec(headers.get("Content-Range") ?? "")?.[1] : "0";
    const kind = headers.get("Content-Type") ?? "of no type";
    const isPage =
      digest === undefined &&
      (kind.includes("html") || (status === 200 && length !== null && length !== size));
    if (!isOther && !isPage && begins === String(at)) return;
    cancel();
    if (isPage) throw new BrokenConnection(`something else came instead of ${path}: ${kind}`);
    throw new IntegrityError(
      isOther
        ? `${path} was replaced since the manifest was read: read files() again`
        : `the share cannot continue ${path} at byte ${at}: download it from its beginning`,
    );
  }
}

function hexOf(binary: string): string {
  return Array.from(binary, (each) => each.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}
