/**
 * Resolves a path to a folder, the manifest or the checksums (contract 8.5), a stored file, or the section of one
 * security in a pack. Every file is checked against the share's coverage at every request.
 */
import { createHash } from "node:crypto";
import type { BeijingDate } from "../calendar/beijing.ts";
import { type PackSection, packSection, packSections } from "../catalog/day-securities.ts";
import * as catalog from "../catalog/files.ts";
import type { Share } from "../catalog/shares.ts";
import { DATASET_NAMES, type DatasetName } from "../datasets/registry.ts";
import type { Download, DriveFile } from "./download.ts";
import * as paths from "./drive-path.ts";
import type { OpenShare } from "./open-share.ts";
import { etagOf } from "./versions.ts";

/** The resource of a path. Paths of folders are relative to the share and end with a slash; the root's is empty. */
export type Resource =
  | { kind: "root"; path: ""; entries: Entry[]; files: catalog.ListedFile[] }
  | { kind: "folder"; path: string; entries: Entry[]; bySymbol: DatasetName[] }
  | { kind: "text"; name: string; text: GeneratedText }
  | { kind: "file"; file: DriveFile };

/**
 * Returns the resource at `path`, or null when the share does not cover it now. For a file, checks only that the share
 * covers its day; `DriveFile.versions` looks up the file.
 */
export async function resourceAt(path: paths.DrivePath, place: Place): Promise<Resource | null> {
  switch (path.kind) {
    case "root": {
      const files = await filesOf(place);
      const texts = { manifest: manifestOf(place.open.share, files), sums: sumsOf(files) };
      return { kind: "root", path: "", entries: rootEntries(files, texts), files };
    }
    case "manifest":
      return { kind: "text", name: paths.MANIFEST, text: manifestOf(place.open.share, await filesOf(place)) };
    case "sums":
      return { kind: "text", name: paths.SUMS, text: sumsOf(await filesOf(place)) };
    case "day":
      return dayFolder(path.tradedate, place);
    case "by_symbol":
      return bySymbolFolder(path.tradedate, place);
    case "file":
      return covers(place, path.tradedate) ? { kind: "file", file: driveFile(path, place) } : null;
    case "security":
      return covers(place, path.tradedate) ? { kind: "file", file: securityFile(path, place) } : null;
  }
}

async function filesOf({ db, open }: Place): Promise<catalog.ListedFile[]> {
  if (open.days === null) return [];
  return catalog.coveredFiles(db, { dataType: open.share.dataType, ...open.days });
}

function covers({ open }: Place, day: BeijingDate): boolean {
  return open.days !== null && day >= open.days.from && day <= open.days.to;
}

async function dayFolder(day: BeijingDate, place: Place): Promise<Resource | null> {
  if (!covers(place, day)) return null;
  const { dataType } = place.open.share;
  const files = await catalog.coveredFiles(place.db, { dataType, from: day, to: day });
  if (files.length === 0) return null;
  return { kind: "folder", path: `${day}/`, entries: dayEntries(files), bySymbol: datasetsOf(files) };
}

async function bySymbolFolder(day: BeijingDate, place: Place): Promise<Resource | null> {
  if (!covers(place, day)) return null;
  const ofDatasets = DATASET_NAMES.map(async (dataset) => {
    const [pack] = await versionsAt({ tradedate: day, name: catalog.packName(day, dataset) }, place);
    if (pack === undefined || pack.packId === null) return null;
    return securityEntries(pack, dataset, await packSections(place.db, pack.packId));
  });
  const found = (await Promise.all(ofDatasets)).flatMap((entries) => (entries === null ? [] : [entries]));
  if (found.length === 0) return null;
  const entries = found.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: "folder", path: `${day}/${paths.BY_SYMBOL}/`, entries, bySymbol: [] };
}

/** An entry of a folder. An entry that is a folder itself has no size and no tag. */
export interface Entry {
  name: string;
  isFolder: boolean;
  sizeBytes: number | null;
  lastModifiedMs: number;
  etag: string | null;
  /** 64 hex digits where the checksum is known. */
  sha256: string | null;
  revision: number | null;
}

/** Returns the name as an encoded relative link, with a slash for a folder. */
export function hrefOf({ name, isFolder }: Pick<Entry, "name" | "isFolder">): string {
  return encodeURIComponent(name) + (isFolder ? "/" : "");
}

/** Groups files by day, in the order of the days. */
export function byDay<T extends catalog.CoveredFile>(files: readonly T[]): Map<BeijingDate, T[]> {
  const days = new Map<BeijingDate, T[]>();
  for (const file of files) days.set(file.tradedate, [...(days.get(file.tradedate) ?? []), file]);
  return days;
}

/** Returns the datasets whose packs are among a day's files, orders first; they have files in `by-symbol/`. */
export function datasetsOf(files: readonly catalog.CoveredFile[]): DatasetName[] {
  const packs = files.filter(({ packId }) => packId !== null);
  return DATASET_NAMES.filter((dataset) =>
    packs.some(({ name, tradedate }) => name === catalog.packName(tradedate, dataset)),
  );
}

/** Returns the entries of the share's root: a folder for each day, the manifest, the checksums. */
function rootEntries(
  files: readonly catalog.CoveredFile[],
  texts: { manifest: GeneratedText; sums: GeneratedText },
): Entry[] {
  const days = [...byDay(files)].map(([day, ofDay]) => folderEntry(day, newestMs(ofDay)));
  return [...days, textEntry(paths.MANIFEST, texts.manifest), textEntry(paths.SUMS, texts.sums)];
}

/** Returns the entries of a day's folder without `by-symbol/`, so that a sync does not download all twice. */
function dayEntries(files: readonly catalog.CoveredFile[]): Entry[] {
  return files.map((file) => {
    const { name, sizeBytes, publishedAtMs: lastModifiedMs, sha256, revision } = file;
    return { name, isFolder: false, sizeBytes, lastModifiedMs, etag: etagOf(file), sha256, revision };
  });
}

/** Returns the securities of a dataset's pack, each as a file. */
function securityEntries(
  pack: catalog.CoveredFile,
  dataset: DatasetName,
  sections: readonly PackSection[],
): Entry[] {
  return sections.map((section) => ({
    name: paths.securityFileName({ ...section, dataset }),
    isFolder: false,
    sizeBytes: section.length,
    lastModifiedMs: pack.publishedAtMs,
    etag: etagOf(pack, `${section.symbol}.${section.market}`),
    sha256: null,
    revision: pack.revision,
  }));
}

/** Returns when the newest of `files` was published; 0 for an empty list. */
function newestMs(files: readonly Pick<catalog.CoveredFile, "publishedAtMs">[]): number {
  return files.reduce((newest, file) => Math.max(newest, file.publishedAtMs), 0);
}

/** Returns the entry of a folder. */
export function folderEntry(name: string, lastModifiedMs: number): Entry {
  return { name, isFolder: true, sizeBytes: null, lastModifiedMs, etag: null, sha256: null, revision: null };
}

/** Returns the entry of the manifest or of the checksums. */
export function textEntry(name: string, { bytes, etag, lastModifiedMs }: GeneratedText): Entry {
  const sizeBytes = bytes.length;
  return { name, isFolder: false, sizeBytes, lastModifiedMs, etag, sha256: null, revision: null };
}

interface GeneratedText {
  bytes: Uint8Array;
  /** A strong entity tag with its quotes. */
  etag: string;
  /**
   * When the newest of the listed files was published. This time can stay the same when a file is withdrawn, so
   * conditional requests never use it.
   */
  lastModifiedMs: number;
}

/** Returns `manifest.json`. It lists the files that `file_count` of `file_download` counts (contract 8.1). */
function manifestOf(
  { dataType, year }: Pick<Share, "dataType" | "year">,
  files: readonly catalog.ListedFile[],
): GeneratedText {
  const manifest = {
    data_type: dataType,
    year,
    files: files.map((file) => ({
      path: paths.pathOf(file),
      tradedate: file.tradedate,
      size_bytes: file.sizeBytes,
      sha256: file.sha256,
      revision: file.revision,
      ...(file.buildId === null ? {} : { build_id: file.buildId }),
      ...(file.quality === null ? {} : { quality: file.quality }),
    })),
  };
  return generated(`${JSON.stringify(manifest, null, 1)}\n`, files);
}

/** Returns `SHA256SUMS` for `sha256sum --check` in the share's root. */
function sumsOf(files: readonly catalog.CoveredFile[]): GeneratedText {
  return generated(files.map((file) => `${file.sha256}  ${paths.pathOf(file)}\n`).join(""), files);
}

function generated(text: string, files: readonly catalog.CoveredFile[]): GeneratedText {
  const bytes = new TextEncoder().encode(text);
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`;
  return { bytes, etag, lastModifiedMs: newestMs(files) };
}

/** The opened share, and the database in which its files are looked up. */
export interface Place {
  db: D1Database;
  open: OpenShare;
  nowMs: number;
}

/**
 * Returns the statement that reads the versions of the file at `path`. It runs in one round trip with the statement
 * that reads the share. Returns null when `path` does not belong to a stored file.
 */
export function readAhead(
  db: D1Database,
  path: paths.DrivePath | null,
  { shareId, nowMs }: { shareId: string; nowMs: number },
): D1PreparedStatement | null {
  if (path?.kind !== "file" && path?.kind !== "security") return null;
  const { tradedate } = path;
  const name = path.kind === "file" ? path.name : catalog.packName(tradedate, path.dataset);
  const dataType = catalog.typeOfShare(shareId);
  return catalog.fileVersionsStatement(db, { dataType, tradedate, name }, nowMs);
}

function versionsAt(
  { tradedate, name }: { tradedate: BeijingDate; name: string },
  { db, open, nowMs }: Place,
): Promise<catalog.FileVersion[]> {
  return catalog.fileVersions(db, { dataType: open.share.dataType, tradedate, name }, nowMs);
}

/**
 * Returns a function that returns the versions of a file. Its first call returns the versions that were read ahead, if
 * any; later calls read them again.
 */
function readOnce(
  open: OpenShare,
  again: () => Promise<catalog.FileVersion[]>,
): () => Promise<catalog.FileVersion[]> {
  let ahead = open.read;
  return async () => {
    const read = ahead;
    ahead = undefined;
    return read === undefined ? again() : catalog.fileVersionsOf(read);
  };
}

function driveFile(file: { tradedate: BeijingDate; name: string }, place: Place): DriveFile {
  const versions = readOnce(place.open, () => versionsAt(file, place));
  return {
    path: paths.pathOf(file),
    name: file.name,
    async versions() {
      return (await versions()).map((version) => ({
        version,
        offset: 0,
        sizeBytes: version.sizeBytes,
        etag: etagOf(version),
        lastModifiedMs: version.publishedAtMs,
        sha256: version.sha256,
      }));
    },
  };
}

/** Returns a security's section of a pack as a file. Versions of the pack without the security are skipped. */
function securityFile(security: paths.SecurityFile & { tradedate: BeijingDate }, place: Place): DriveFile {
  const { tradedate, dataset, symbol, market } = security;
  const name = paths.securityFileName(security);
  const pack = { tradedate, name: catalog.packName(tradedate, dataset) };
  const versions = readOnce(place.open, () => versionsAt(pack, place));
  return {
    path: `${tradedate}/${paths.BY_SYMBOL}/${name}`,
    // The file is saved under the name of the Parquet answer (contract 6.2). This name contains the day, so that a
    // customer can keep many days of a security in one folder.
    name: `${symbol}.${market}_${tradedate}_${dataset}.parquet`,
    async versions() {
      const downloads: Download[] = [];
      for (const version of await versions()) {
        const section =
          version.packId === null ? null : await packSection(place.db, version.packId, security);
        // When the current pack lacks the security, the file does not exist, even if an older pack has it.
        if (section === null && downloads.length === 0) return [];
        if (section === null) continue;
        downloads.push({
          version,
          offset: section.offset,
          sizeBytes: section.length,
          etag: etagOf(version, `${symbol}.${market}`),
          lastModifiedMs: version.publishedAtMs,
          sha256: null,
        });
      }
      return downloads;
    },
  };
}
