/** Files of a folder, nested as deep as it goes. */
import { open, readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ByteSource, Listing, SourceFile } from "./source-file.ts";

/** Every file below `folder` and every folder, under paths that begin with `path`. */
export async function listFolder(folder: string, path: string): Promise<Listing> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: SourceFile[] = [];
  const folders: string[] = [];
  for (const entry of found) {
    const place = join(entry.parentPath, entry.name);
    const below = `${path}/${relative(folder, place).replaceAll("\\", "/")}`;
    if (entry.isDirectory()) folders.push(below);
    else if ((await stat(place)).isFile()) files.push(await diskFile(place, below));
  }
  return { files, folders };
}

/** A file on the disk, under the name `path` in reports. */
export async function diskFile(place: string, path: string): Promise<SourceFile> {
  const { size } = await stat(place);
  return { path, sizeBytes: size, place, delivered: { path, place }, open: () => openDisk(place) };
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
