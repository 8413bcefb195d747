/**
 * Lists a delivery: the files of the given folders, archives and single files, including nested archives, in the order
 * of their paths. Nothing outside them is read, because no link is followed. Every file that is not read is listed as
 * left out.
 */
import type { Stats } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { isWorkFolder, type WorkFolder } from "../work-folder.ts";
import { copiedOut, decompressed } from "./compressed.ts";
import {
  type ArchiveFormat,
  archiveFormat,
  compressionOf,
  holdsNoRecords,
  isUnderWay,
  plainName,
  volumeOf,
} from "./file-names.ts";
import { diskFile, listFolder } from "./folder.ts";
import { unpackSevenZip } from "./seven-zip.ts";
import { baseName, DeliveryError, type LeftOutFile, type Listing, type SourceFile } from "./source-file.ts";
import { type OpenZip, openZip } from "./zip.ts";

/** The greatest depth of nested archives. */
const MAX_DEPTH = 5;

export interface Delivery {
  /** Sorted by path, so that the order of arguments and directory entries does not matter. */
  files: SourceFile[];
  /** Paths of all folders, including those that occur only in the path of a file. */
  folders: string[];
  /** Files that are not read, whatever their layout is. */
  leftOut: LeftOutFile[];
  /** Throws `DeliveryError` when an archive has changed since it was opened. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Lists the content of `places`. Archives that cannot be read in place are unpacked into `work`. `ownOutputs` are files
 * that builds write; they are left out, because the packs may be written into the folder of the delivery. With a
 * `root`, no folder between the root and a place may be a link. Throws `DeliveryError`.
 */
export async function openDelivery(
  places: readonly string[],
  { work, ownOutputs, root }: { work: WorkFolder; ownOutputs: readonly string[]; root?: string | undefined },
): Promise<Delivery> {
  const opening = new Opening(work, ownOutputs);
  try {
    for (const place of places) await refuseBehindLink(place, root);
    await opening.openPlaces(places);
    return opening.delivery();
  } catch (error) {
    await opening.close();
    throw error;
  }
}

class Opening {
  private readonly work: WorkFolder;
  private readonly ownOutputs: readonly string[];
  private readonly files: SourceFile[] = [];
  private readonly folders = new Set<string>();
  private readonly leftOut: LeftOutFile[] = [];
  private readonly zips: OpenZip[] = [];

  constructor(work: WorkFolder, ownOutputs: readonly string[]) {
    this.work = work;
    this.ownOutputs = ownOutputs;
  }

  async openPlaces(places: readonly string[]): Promise<void> {
    for (const { place, path } of await namedPlaces(places)) {
      const status = await placeStatus(place);
      if (status.isDirectory()) {
        this.folders.add(path);
        await this.take(await listFolder(place, path, isWorkFolder), 0);
      } else {
        const { archive } = volumeOf(place) ?? {};
        const volumes = archive === undefined ? [place] : await volumesOf(archive);
        for (const volume of volumes) {
          if (!(await placeStatus(volume)).isFile()) throw new DeliveryError(`${volume} is not a file`);
        }
        const files = volumes.map((volume) => diskFile(volume, join(dirname(path), basename(volume))));
        await this.take({ files: await Promise.all(files), folders: [], leftOut: [] }, 0);
      }
    }
  }

  delivery(): Delivery {
    const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
    this.files.sort(byPath);
    this.files.forEach(({ path }, at) => {
      if (path === this.files[at - 1]?.path)
        throw new DeliveryError(`${path} is delivered twice; keep only one of them`);
    });
    return {
      files: this.files,
      folders: [...this.folders].sort(),
      leftOut: this.leftOut.sort(byPath),
      check: async () => {
        for (const zip of this.zips) await zip.check();
      },
      close: () => this.close(),
    };
  }

  async close(): Promise<void> {
    for (const zip of this.zips) await zip.close();
  }

  /** Adds the files of a folder or archive; `depth` is the number of archives that contain them. */
  private async take({ files, folders, leftOut }: Listing, depth: number): Promise<void> {
    for (const folder of folders) this.addFolders(`${folder}/`);
    for (const file of leftOut) {
      this.addFolders(file.path);
      this.leftOut.push(file);
    }
    const { single, split } = bySplitArchive(files);
    for (const file of single) await this.takeFile(file, depth);
    for (const volumes of split) await this.takeVolumes(volumes, depth);
  }

  private async takeFile(file: SourceFile, depth: number): Promise<void> {
    const { path, place } = file;
    this.addFolders(path);
    if (place !== null && this.ownOutputs.includes(place)) {
      this.leftOut.push({ path, reason: "own_output" });
      return;
    }
    const name = baseName(path);
    const compression = compressionOf(name);
    const format = archiveFormat(plainName(path));
    if ((compression === null && format === null) || isUnderWay(name) || holdsNoRecords(name)) {
      this.files.push(file);
    } else if (depth >= MAX_DEPTH) {
      this.leftOut.push({ path, reason: "nested_too_deep" });
    } else {
      const ending = format === null ? "" : `.${format}`;
      const plain =
        compression === null ? file : await decompressed(file, compression, this.work.next(ending));
      if (format === null) this.files.push(plain);
      else await this.takeArchive([plain], format, depth);
    }
  }

  /** Adds the files of an archive, which may be split into volumes. */
  private async takeArchive(
    [first, ...volumes]: readonly [SourceFile, ...SourceFile[]],
    format: ArchiveFormat,
    depth: number,
  ): Promise<void> {
    const { path } = first;
    const delivered =
      volumes.length === 0
        ? first.delivered
        : { ...first.delivered, volumes: volumes.map((each) => each.delivered) };
    const file = first.place === null ? await copiedOut(first, this.work.next(`.${format}`)) : first;
    const place = file.place ?? "";
    if (format !== "zip") {
      // The 7z program opens the files by name, so their identity is checked before and after it runs.
      const all = [file, ...volumes];
      await refuseAnyChanged(all);
      const listing = await unpackSevenZip({ place, path, delivered }, this.work);
      await refuseAnyChanged(all);
      return this.take(listing, depth + 1);
    }
    const zip = await openZip(place, path);
    this.zips.push(zip);
    return this.take({ ...zip, files: zip.files.map((each) => ({ ...each, delivered })) }, depth + 1);
  }

  /** Adds a split archive, whose volumes must all be in one folder. */
  private async takeVolumes(volumes: readonly SourceFile[], depth: number): Promise<void> {
    const [first] = volumes;
    if (first === undefined) return;
    const missing = volumes.findIndex(({ path }, at) => volumeOf(path)?.number !== at + 1);
    if (missing >= 0) {
      const { archive = first.path } = volumeOf(first.path) ?? {};
      const name = `${archive}.${String(missing + 1).padStart(3, "0")}`;
      throw new DeliveryError(`${name}, a part of a split archive, is missing; deliver all parts`);
    }
    if (first.place === null) {
      for (const { path } of volumes) this.leftOut.push({ path, reason: "unread_format" });
    } else await this.takeArchive([first, ...volumes.slice(1)], "7z", depth);
  }

  /** Adds every folder above `path`: `a/b` and `a` for `a/b/c.csv`. */
  private addFolders(path: string): void {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      this.folders.add(path.slice(0, at));
    }
  }
}

async function refuseAnyChanged(files: readonly SourceFile[]): Promise<void> {
  for (const file of files) await (await file.open()).close();
}

/** Groups the volumes of split archives by archive, in the order of their numbers. `single` has all other files. */
function bySplitArchive(files: readonly SourceFile[]): { single: SourceFile[]; split: SourceFile[][] } {
  const single: SourceFile[] = [];
  const split = new Map<string, SourceFile[]>();
  for (const file of files) {
    const archive = volumeOf(file.path)?.archive;
    if (archive === undefined) single.push(file);
    else split.set(archive, [...(split.get(archive) ?? []), file]);
  }
  const number = ({ path }: SourceFile) => volumeOf(path)?.number ?? 0;
  return { single, split: [...split.values()].map((each) => each.sort((a, b) => number(a) - number(b))) };
}

/**
 * Returns the real path of each place and its name in reports. The name is the base name or, if two base names are
 * equal, the path from the folder that contains all places.
 */
async function namedPlaces(places: readonly string[]): Promise<{ place: string; path: string }[]> {
  const real = new Set<string>();
  for (const given of places) {
    const place = resolve(given);
    // A link above a given path is the operator's choice; the given path itself must not be a link.
    const folder = await realpath(dirname(place)).catch(() => null);
    if (folder === null) throw new DeliveryError(`${place} does not exist`);
    const here = join(folder, basename(place));
    const { archive } = volumeOf(here) ?? {};
    const [first = here] = archive === undefined ? [] : await volumesOf(archive);
    real.add(first);
  }
  const all = [...real];
  const names = new Set(all.map((place) => basename(place)));
  if (names.size === all.length) return all.map((place) => ({ place, path: basename(place) }));
  const above = commonFolder(all);
  return all.map((place) => ({ place, path: relative(above, place).replaceAll("\\", "/") }));
}

async function refuseBehindLink(place: string, root: string | undefined): Promise<void> {
  if (root === undefined) return;
  const expected = join(await realpath(root), relative(resolve(root), resolve(place)));
  const folder = await realpath(dirname(resolve(place))).catch(() => null);
  if (folder !== dirname(expected)) {
    throw new DeliveryError(`${place} is reached through a link, and links are not followed`);
  }
}

function commonFolder(places: readonly string[]): string {
  let [above = ""] = places.map((place) => dirname(place));
  while (places.some((place) => relative(above, place).startsWith(".."))) above = dirname(above);
  return above;
}

async function placeStatus(place: string): Promise<Stats> {
  const status = await lstat(place).catch(() => undefined);
  if (status === undefined) throw new DeliveryError(`${place} does not exist`);
  if (status.isSymbolicLink()) {
    throw new DeliveryError(`${place} is a link, and links are not followed; name its target instead`);
  }
  if (!status.isDirectory() && !status.isFile()) {
    throw new DeliveryError(`${place} is neither a file nor a folder`);
  }
  return status;
}

/** Returns the paths of the volumes of a split archive, in order. */
async function volumesOf(archive: string): Promise<string[]> {
  const places = (await readdir(dirname(archive))).map((name) => join(dirname(archive), name));
  return places.filter((place) => volumeOf(place)?.archive === archive).sort();
}
