/**
 * What was delivered: the files of the folders, archives and single files given, those in archives inside
 * folders too, in the order of their paths.
 */
import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { diskFile, listFolder } from "./folder.ts";
import { unpackSevenZip } from "./seven-zip.ts";
import { type DeliveredFile, DeliveryError, type Listing, type SourceFile } from "./source-file.ts";
import { type OpenZip, openZip } from "./zip.ts";

export interface Delivery {
  /** Sorted by path, so that nothing depends on the order of the command line or of a directory. */
  files: SourceFile[];
  /** Paths of folders, those that only their files imply included. */
  folders: string[];
  close(): void;
}

/** Lists what `places` hold; 7z archives are unpacked below `workFolder`. Throws `DeliveryError`. */
export async function openDelivery(places: readonly string[], workFolder: string): Promise<Delivery> {
  const files: SourceFile[] = [];
  const folders = new Set<string>();
  const zips: OpenZip[] = [];
  const waiting: Waiting[] = places.map((place) => ({
    place: resolve(place),
    path: basename(resolve(place)),
    archive: null,
  }));
  const close = () => {
    for (const zip of zips) zip.close();
  };
  try {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const listing = await listed(next.place, next.path, workFolder);
      if ("close" in listing) zips.push(listing);
      for (const folder of listing.folders) folders.add(folder);
      for (const file of listing.files) {
        for (const folder of foldersAbove(file.path)) folders.add(folder);
        const delivered = next.archive ?? file.delivered;
        if (file.place !== null && ARCHIVE.test(file.path))
          waiting.push({ place: file.place, path: file.path, archive: delivered });
        else files.push({ ...file, delivered });
      }
    }
  } catch (error) {
    close();
    throw error;
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, folders: [...folders].sort(), close };
}

/** A place that is still to be listed. */
interface Waiting extends DeliveredFile {
  /** The outermost archive that it is or lies in; `null` for what was given on the command line. */
  archive: DeliveredFile | null;
}

const ARCHIVE = /\.(zip|7z)$/i;

async function listed(place: string, path: string, workFolder: string): Promise<Listing | OpenZip> {
  const status = await stat(place).catch(() => undefined);
  if (status === undefined) throw new DeliveryError(`there is no ${place}`);
  if (status.isDirectory()) return listFolder(place, path);
  if (/\.zip$/i.test(path)) return openZip(place, path);
  if (/\.7z$/i.test(path)) return unpackSevenZip(place, path, join(workFolder, "unpacked"));
  return { files: [await diskFile(place, path)], folders: [] };
}

/** `a/b/c.csv` lies below `a/b` and `a`. */
function foldersAbove(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, depth) => names.slice(0, depth + 1).join("/"));
}
