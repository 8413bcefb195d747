/**
 * Lists the files of a folder at any depth. No link is followed, and no file is read that has changed since it was
 * listed.
 */
import type { Stats } from "node:fs";
import { constants, type FileHandle, lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type ByteSource, DeliveryError, type Listing, type SourceFile } from "./source-file.ts";

/**
 * Returns every file and folder below `folder`, with paths that begin with `path`. Links and special files are listed
 * as left out. Paths for which `isSkipped` is true are ignored.
 */
export async function listFolder(
  folder: string,
  path: string,
  isSkipped: (place: string) => boolean = () => false,
): Promise<Listing> {
  const listing: Listing = { files: [], folders: [], leftOut: [] };
  const waiting = [{ folder, path }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of await readdir(next.folder, { withFileTypes: true })) {
      const place = join(next.folder, entry.name);
      const below = `${next.path}/${entry.name}`;
      if (isSkipped(place)) continue;
      if (entry.isDirectory()) {
        listing.folders.push(below);
        waiting.push({ folder: place, path: below });
      } else if (entry.isFile()) listing.files.push(await diskFile(place, below));
      else listing.leftOut.push({ path: below, reason: entry.isSymbolicLink() ? "link" : "special" });
    }
  }
  return listing;
}

/** Returns the file at `place`, which must not be a link. `path` is its name in reports. */
export async function diskFile(place: string, path: string): Promise<SourceFile> {
  const listed = await lstat(place);
  const open = async () => diskSource(await openUnchanged(place, path, listed), path, listed);
  return { path, sizeBytes: listed.size, place, delivered: { path, place }, open };
}

/**
 * Opens the file at `place` for reading. Throws `DeliveryError` when it is a link or no longer the `listed` file, for
 * example because a folder above it was replaced by a link.
 */
export async function openUnchanged(place: string, path: string, listed: Stats): Promise<FileHandle> {
  // Non-blocking, because opening a pipe that replaced the file would wait.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(place, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ELOOP" || error.code === "ENOENT") throw changed(path, error);
    throw new DeliveryError(`${path} cannot be read (${error.code})`, { cause: error });
  });
  try {
    await refuseChanged(file, path, listed);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** Throws `DeliveryError` when the open `file` is not the `listed` one or has changed. */
export async function refuseChanged(file: FileHandle, path: string, listed: Stats): Promise<void> {
  const now = await file.stat();
  const same =
    now.dev === listed.dev &&
    now.ino === listed.ino &&
    now.size === listed.size &&
    now.mtimeMs === listed.mtimeMs;
  if (!same) throw changed(path);
}

function changed(path: string, cause?: unknown): DeliveryError {
  return new DeliveryError(`${path} changed while it was read; wait until the delivery is complete`, {
    cause,
  });
}

function diskSource(file: FileHandle, path: string, listed: Stats): ByteSource {
  return {
    async fill(target) {
      let filled = 0;
      while (filled < target.length) {
        const { bytesRead } = await file.read(target, filled, target.length - filled);
        if (bytesRead === 0) {
          await refuseChanged(file, path, listed);
          break;
        }
        filled += bytesRead;
      }
      return filled;
    },
    close: () => file.close(),
  };
}
