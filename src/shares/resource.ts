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
import { etagOf } from "./http-fields.ts";
import type { OpenShare } from "./open-share.ts";

/** The resource of a path. Paths of folders are relative to the share and end with a slash; the root's is empty. */
export type Resource =
  | { kind: "root"; path: ""; entries: Entry[]; files: catalog.ListedFile[] }
  | { kind: "folder"; path: string; entries: Entry[]; bySymbol: DatasetName[] }
  | { kind: "text"; text: GeneratedText }
  | { kind: "file"; file: DriveFile };

/**
 * Returns the resource at `path`, or null when the share does not cover it now. For a file, checks only that the share
 * covers its day; `DriveFile.versions` looks up the file.
 */
export async function resourceAt(path: paths.DrivePath, open: OpenShare): Promise<Resource | null> {
  switch (path.kind) {
    case "root": {
      const files = await filesOf(open);
      const ofDays = Map.groupBy(files, ({ tradedate }) => tradedate);
      const days = [...ofDays].map(([name, ofDay]) => ({ name, lastModifiedMs: newestMs(ofDay) }));
      return {
        kind: "root",
        path: "",
        entries: [...days, manifestOf(open.share, files), sumsOf(files)],
        files,
      };
    }
    case "manifest":
      return { kind: "text", text: manifestOf(open.share, await filesOf(open)) };
    case "sums":
      return { kind: "text", text: sumsOf(await filesOf(open)) };
    case "day":
      return dayFolder(path.tradedate, open);
    case "by_symbol":
      return bySymbolFolder(path.tradedate, open);
    case "file":
    case "security":
      return covers(open, path.tradedate) ? { kind: "file", file: driveFile(path, open) } : null;
  }
}

async function filesOf({ db, share, days }: OpenShare): Promise<catalog.ListedFile[]> {
  return days === null ? [] : catalog.coveredFiles(db, { dataType: share.dataType, ...days });
}

function covers({ days }: OpenShare, day: BeijingDate): boolean {
  return days !== null && day >= days.from && day <= days.to;
}

/** Returns the folder of a day. It does not list `by-symbol/`, so that a sync does not download all rows twice. */
async function dayFolder(day: BeijingDate, open: OpenShare): Promise<Resource | null> {
  if (!covers(open, day)) return null;
  const { dataType } = open.share;
  const files = await catalog.coveredFiles(open.db, { dataType, from: day, to: day });
  if (files.length === 0) return null;
  const entries = files.map((file) => {
    const { name, sizeBytes, publishedAtMs: lastModifiedMs, sha256, revision } = file;
    return { name, sizeBytes, lastModifiedMs, etag: etagOf(file), sha256, revision };
  });
  return { kind: "folder", path: `${day}/`, entries, bySymbol: datasetsOf(files) };
}

async function bySymbolFolder(day: BeijingDate, open: OpenShare): Promise<Resource | null> {
  if (!covers(open, day)) return null;
  const ofDatasets = DATASET_NAMES.map(async (dataset) => {
    const [pack] = await versionsAt({ tradedate: day, name: catalog.packName(day, dataset) }, open);
    if (pack === undefined || pack.packId === null) return null;
    return securityEntries(pack, dataset, await packSections(open.db, pack.packId));
  });
  const found = (await Promise.all(ofDatasets)).filter((entries) => entries !== null);
  if (found.length === 0) return null;
  const entries = found.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: "folder", path: `${day}/${paths.BY_SYMBOL}/`, entries, bySymbol: [] };
}

/** An entry of a folder. */
export interface Entry {
  name: string;
  /** Absent for an entry that is a folder itself. */
  sizeBytes?: number;
  lastModifiedMs: number;
  /** A strong entity tag with its quotes; absent for a folder. */
  etag?: string;
  /** 64 hex digits where the checksum is known. */
  sha256?: string;
  revision?: number;
}

/** Returns the name as an encoded relative link, with a slash for a folder. */
export function hrefOf({ name, sizeBytes }: Pick<Entry, "name" | "sizeBytes">): string {
  return encodeURIComponent(name) + (sizeBytes === undefined ? "/" : "");
}

/** Returns the datasets whose packs are among a day's files, orders first; they have files in `by-symbol/`. */
export function datasetsOf(files: readonly catalog.CoveredFile[]): DatasetName[] {
  const packs = files.filter(({ packId }) => packId !== null);
  return DATASET_NAMES.filter((dataset) =>
    packs.some(({ name, tradedate }) => name === catalog.packName(tradedate, dataset)),
  );
}

/** Returns the securities of a dataset's pack, each as a file. */
function securityEntries(
  pack: catalog.CoveredFile,
  dataset: DatasetName,
  sections: readonly PackSection[],
): Entry[] {
  return sections.map((section) => ({
    name: paths.securityFileName({ ...section, dataset }),
    sizeBytes: section.length,
    lastModifiedMs: pack.publishedAtMs,
    etag: etagOf(pack, `${section.symbol}.${section.market}`),
    revision: pack.revision,
  }));
}

/** Returns when the newest of `files` was published; 0 for an empty list. */
function newestMs(files: readonly Pick<catalog.CoveredFile, "publishedAtMs">[]): number {
  return files.reduce((newest, file) => Math.max(newest, file.publishedAtMs), 0);
}

/**
 * The manifest or the checksums. `lastModifiedMs` is when the newest of the listed files was published. It can stay the
 * same when a file is withdrawn, so conditional requests never use it.
 */
export interface GeneratedText
  extends Required<Pick<Entry, "name" | "sizeBytes" | "lastModifiedMs" | "etag">> {
  bytes: Uint8Array;
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
  return generated(paths.MANIFEST, `${JSON.stringify(manifest, null, 1)}\n`, files);
}

/** Returns `SHA256SUMS` for `sha256sum --check` in the share's root. */
function sumsOf(files: readonly catalog.CoveredFile[]): GeneratedText {
  return generated(
    paths.SUMS,
    files.map((file) => `${file.sha256}  ${paths.pathOf(file)}\n`).join(""),
    files,
  );
}

function generated(name: string, text: string, files: readonly catalog.CoveredFile[]): GeneratedText {
  const bytes = new TextEncoder().encode(text);
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`;
  return { name, bytes, sizeBytes: bytes.length, etag, lastModifiedMs: newestMs(files) };
}

type FilePath = Extract<paths.DrivePath, { kind: "file" | "security" }>;

/** Returns the day and name of the stored file at `path`; for a security's file, those of its pack. */
function storedAt(path: FilePath): { tradedate: BeijingDate; name: string } {
  const { tradedate } = path;
  return { tradedate, name: path.kind === "file" ? path.name : catalog.packName(tradedate, path.dataset) };
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
  const dataType = catalog.typeOfShare(shareId);
  return catalog.fileVersionsStatement(db, { dataType, ...storedAt(path) }, nowMs);
}

function versionsAt(
  { tradedate, name }: { tradedate: BeijingDate; name: string },
  { db, share, nowMs }: OpenShare,
): Promise<catalog.FileVersion[]> {
  return catalog.fileVersions(db, { dataType: share.dataType, tradedate, name }, nowMs);
}

/**
 * Returns the file at `path`: a stored file, or a security's section of a pack. Versions of a pack without the security
 * are skipped. The first call of `versions` returns those that were read ahead, if any; later calls read them again.
 */
function driveFile(path: FilePath, open: OpenShare): DriveFile {
  let ahead = open.read;
  return {
    ...namesOf(path),
    async versions() {
      const read = ahead;
      ahead = undefined;
      const stored = read === undefined ? versionsAt(storedAt(path), open) : catalog.fileVersionsOf(read);
      const downloads: Download[] = [];
      for (const version of await stored) {
        const part = await partOf(path, version, open.db);
        // When the current pack lacks the security, the file does not exist, even if an older pack has it.
        if (part === null && downloads.length === 0) return [];
        if (part !== null) downloads.push({ version, lastModifiedMs: version.publishedAtMs, ...part });
      }
      return downloads;
    },
  };
}

function namesOf(path: FilePath): Pick<DriveFile, "path" | "name"> {
  if (path.kind === "file") return { path: paths.pathOf(path), name: path.name };
  const { tradedate, dataset, symbol, market } = path;
  return {
    path: `${tradedate}/${paths.BY_SYMBOL}/${paths.securityFileName(path)}`,
    // The file is saved under the name of the Parquet answer (contract 6.2). This name contains the day, so that a
    // customer can keep many days of a security in one folder.
    name: `${symbol}.${market}_${tradedate}_${dataset}.parquet`,
  };
}

/** Returns the part of a stored file that `path` names; null when this version of a pack lacks the security. */
async function partOf(
  path: FilePath,
  version: catalog.FileVersion,
  db: D1Database,
): Promise<Omit<Download, "version" | "lastModifiedMs"> | null> {
  const { sizeBytes, sha256, packId } = version;
  if (path.kind === "file") return { offset: 0, sizeBytes, etag: etagOf(version), sha256 };
  const section = packId === null ? null : await packSection(db, packId, path);
  if (section === null) return null;
  const etag = etagOf(version, `${path.symbol}.${path.market}`);
  return { offset: section.offset, sizeBytes: section.length, etag, sha256: null };
}
