/** Files of a folder, nested as deep as it goes. */
import { open, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ByteSource, SourceFile } from "./source-file.ts";

/** Every file below `folder` and every folder, as paths from the folder's own name on, with `/`. */
export async function listFolder(folder: string): Promise<{ files: SourceFile[]; folders: string[] }> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: SourceFile[] = [];
  const folders: string[] = [];
  for (const entry of found) {
    const place = join(entry.parentPath, entry.name);
    const path = join(basename(folder), place.slice(folder.length)).replaceAll("\\", "/");
    if (entry.isDirectory()) folders.push(path);
    else if ((await stat(place)).isFile()) files.push(await diskFile(place, path));
  }
  return { files, folders };
}

/** A file on the disk, under the name `path` in reports. */
export async function diskFile(place: string, path: string): Promise<SourceFile> {
  const { size } = await stat(place);
  return { path, sizeBytes: size, place, open: () => openDisk(place) };
}

async function openDisk(place: string): Promise<ByteSource> {
  const file = await open(place, "r");
  return {
    async fill(target) {
      let filled = 0;
      while (filled < target.length) {
        const { bytesRead } = await file.read(target, filled, target.length - filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    close: () => file.close(),
  };
}
