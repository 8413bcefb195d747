/** Reads a file on disk: its size, its bytes, its checksum. */
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { constants, type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { ok, type Result, refused } from "../base/result.ts";

/** Flags for `open`: a link is refused, and opening a pipe does not wait for a writer. */
const UNLINKED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const READ_BYTES = 4 * 1024 * 1024;

export interface LocalFile extends AsyncDisposable {
  sizeBytes: number;
  /** Returns `length` bytes from byte `offset`, or fewer at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the SHA-256 of the whole file as hex digits. */
  sha256(): Promise<string>;
  close(): Promise<void>;
}

/** Why a file cannot be read; `code` is the system's error code. */
export type LocalFileDenial = { reason: "unreadable"; code: string };

/**
 * Opens the file at `path`; a folder is refused. With a `root` above `path`, a link between them or at `path` is
 * refused with `ELOOP`. The caller closes the file.
 */
export async function openLocalFile(
  path: string,
  root?: string,
): Promise<Result<LocalFile, LocalFileDenial>> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, root === undefined ? constants.O_RDONLY : UNLINKED);
    const stat = await file.stat();
    if (root !== undefined && !(await isBelow(path, root, stat))) {
      throw Object.assign(new Error(`${path} is reached through a link`), { code: "ELOOP" });
    }
    if (stat.isDirectory()) throw Object.assign(new Error(`${path} is a folder`), { code: "EISDIR" });
    const read = readerOf(file);
    // Node 24 refuses a bound function as the value of `Symbol.asyncDispose`.
    const close = async () => file?.close();
    const sha256 = () => digestOf(read);
    return ok({ sizeBytes: stat.size, read, sha256, close, [Symbol.asyncDispose]: close });
  } catch (error) {
    await file?.close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return refused({ reason: "unreadable", code });
  }
}

/** Returns whether `path` has no link below `root` and is still the file that `opened` describes. */
async function isBelow(path: string, root: string, opened: Stats): Promise<boolean> {
  const expected = join(await realpath(root), relative(root, path));
  const { dev, ino } = await lstat(expected);
  return (await realpath(path)) === expected && dev === opened.dev && ino === opened.ino;
}

function readerOf(file: FileHandle): LocalFile["read"] {
  return async (offset, length) => {
    const bytes = new Uint8Array(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return bytes.subarray(0, done);
  };
}

async function digestOf(read: LocalFile["read"]): Promise<string> {
  const hash = createHash("sha256");
  for (let offset = 0; ; ) {
    const bytes = await read(offset, READ_BYTES);
    if (bytes.length === 0) return hash.digest("hex");
    hash.update(bytes);
    offset += bytes.length;
  }
}
