/** A day pack on disk: what must be known of it before it is sent anywhere. */
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { PackFormatError } from "../packs/errors.ts";
import type { DayIndex } from "../packs/layout.ts";
import { locateIndex } from "../packs/locate.ts";

const READ_BYTES = 4 * 1024 * 1024;

export interface PackFile {
  sizeBytes: number;
  index: DayIndex;
  /** `length` bytes from byte `offset`; fewer only at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
  /** SHA-256 of the whole file as hex. */
  sha256(): Promise<string>;
  close(): Promise<void>;
}

/** Why a file is not taken: `unreadable` with the system's code, or `not_a_pack` with what is wrong with it. */
export type PackFileDenial =
  | { reason: "unreadable"; code: string }
  | { reason: "not_a_pack"; difference: string };

/** Opens the pack at `path` and reads its index. The caller closes it. */
export async function openPackFile(path: string): Promise<PackFile | PackFileDenial> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "r");
    const { size: sizeBytes } = await file.stat();
    const read = readerOf(file);
    const { index } = await locateIndex(sizeBytes, read);
    const { close } = file;
    return { sizeBytes, index, read, sha256: () => digestOf(read), close: close.bind(file) };
  } catch (error) {
    await file?.close();
    if (error instanceof PackFormatError) return { reason: "not_a_pack", difference: error.message };
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { reason: "unreadable", code };
  }
}

function readerOf(file: FileHandle): PackFile["read"] {
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

async function digestOf(read: PackFile["read"]): Promise<string> {
  const hash = createHash("sha256");
  for (let offset = 0; ; ) {
    const bytes = await read(offset, READ_BYTES);
    if (bytes.length === 0) return hash.digest("hex");
    hash.update(bytes);
    offset += bytes.length;
  }
}
