/**
 * What was delivered: the files of the folders, archives and single files given, those in archives inside
 * folders too, in the order of their paths.
 */
import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { diskFile, listFolder } from "./folder.ts";
import { unpackSevenZip } from "./seven-zip.ts";
import { DeliveryError, type SourceFile } from "./source-file.ts";
import { openZip } from "./zip.ts";

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
  const closers: (() => void)[] = [];
  const waiting = places.map((place) => ({ place: resolve(place), path: basename(resolve(place)) }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { place, path } = next;
    const status = await stat(place).catch(() => undefined);
    if (status === undefined) throw new DeliveryError(`there is no ${place}`);
    if (status.isDirectory()) {
      add(await listFolder(place));
    } else if (/\.zip$/i.test(place)) {
      const zip = await openZip(place);
      closers.push(zip.close);
      add(zip);
    } else if (/\.7z$/i.test(place)) {
      add(await unpackSevenZip(place, join(workFolder, "unpacked")));
    } else {
      add({ files: [await diskFile(place, path)], folders: [] });
    }

    function add(found: { files: SourceFile[]; folders: string[] }): void {
      for (const folder of found.folders) folders.add(folder);
      for (const file of found.files) {
        const archive = status?.isDirectory() && /\.(zip|7z)$/i.test(file.path);
        if (archive) waiting.push({ place: join(place, "..", file.path), path: file.path });
        else files.push(file);
        for (let at = file.path.lastIndexOf("/"); at > 0; at = file.path.lastIndexOf("/", at - 1)) {
          folders.add(file.path.slice(0, at));
        }
      }
    }
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    files,
    folders: [...folders].sort(),
    close: () => {
      for (const close of closers) close();
    },
  };
}
