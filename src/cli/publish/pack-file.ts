/** A day pack on disk: what publishing must know of it before the first byte is sent. */
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { PackFormatError } from "../../packs/errors.ts";
import type { DayIndex } from "../../packs/layout.ts";
import { locateIndex } from "../../packs/locate.ts";
import { CommandFailure } from "../exit.ts";

const READ_BYTES = 4 * 1024 * 1024;

export interface PackFile {
  sizeBytes: number;
  index: DayIndex;
  /** `length` bytes from byte `offset`; fewer only at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
  /** SHA-256 of the whole file as hex; `onBytes` hears how many are done. */
  sha256(onBytes?: (done: number) => void): Promise<string>;
  close(): Promise<void>;
}

/** Opens the pack at `path`; a file that is none, or a damaged one, ends the command with a sentence. */
export async function openPackFile(path: string): Promise<PackFile> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    throw new CommandFailure(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    const { size: sizeBytes } = await file.stat();
    const read = (offset: number, length: number) => readFrom(file, offset, length);
    const { index } = await locateIndex(sizeBytes, read);
    return {
      sizeBytes,
      index,
      read,
      sha256: (onBytes) => digestOf(read, onBytes),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    if (error instanceof PackFormatError)
      throw new CommandFailure(`${path} is not a whole day pack: ${error.message}.`);
    if ((error as NodeJS.ErrnoException).code === "EISDIR")
      throw new CommandFailure(`${path} is a folder, not a day pack.`);
    throw error;
  }
}

async function readFrom(file: FileHandle, offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

async function digestOf(read: PackFile["read"], onBytes?: (done: number) => void): Promise<string> {
  const hash = createHash("sha256");
  for (let offset = 0; ; ) {
    const bytes = await read(offset, READ_BYTES);
    if (bytes.length === 0) return hash.digest("hex");
    hash.update(bytes);
    offset += bytes.length;
    onBytes?.(offset);
  }
}
