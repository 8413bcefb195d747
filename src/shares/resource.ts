/** From a path to what stands there: every file is checked against the share's coverage at every request. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { type CoveredFile, coveredFiles, fileVersions, orderPackName } from "../catalog/files.ts";
import { packSection, packSections } from "../catalog/pack-sections.ts";
import type { Market } from "../orders/record.ts";
import type { Download, DriveFile } from "./download.ts";
import { BY_SYMBOL, type DrivePath, MANIFEST, pathOf, SUMS, securityFileName } from "./drive-path.ts";
import { dayEntries, type Entry, rootEntries, securityEntries } from "./folder.ts";
import { type GeneratedText, manifestOf, sumsOf } from "./generated.ts";
import type { OpenShare } from "./open-share.ts";
import { etagOf } from "./versions.ts";

/** What a path leads to. Paths of folders are inside the share, with their slash; the root's is empty. */
export type Resource =
  | { kind: "root"; path: ""; entries: Entry[]; files: CoveredFile[] }
  | { kind: "folder"; path: string; entries: Entry[]; hasBySymbol: boolean }
  | { kind: "text"; path: string; name: string; text: GeneratedText }
  | { kind: "file"; file: DriveFile };

/** The share, and the store it is looked up in. */
export interface Place {
  db: D1Database;
  open: OpenShare;
  nowMs: number;
}

/** The resource at `path`, or null when the share does not cover it now. A file is looked up when it is read. */
export async function resourceAt(path: DrivePath, place: Place): Promise<Resource | null> {
  switch (path.kind) {
    case "root": {
      const files = await filesOf(place);
      const texts = { manifest: manifestOf(place.open.share, files), sums: sumsOf(files) };
      return { kind: "root", path: "", entries: rootEntries(files, texts), files };
    }
    case "manifest":
      return textResource(MANIFEST, manifestOf(place.open.share, await filesOf(place)));
    case "sums":
      return textResource(SUMS, sumsOf(await filesOf(place)));
    case "day":
      return dayFolder(path.tradedate, place);
    case "by_symbol":
      return bySymbolFolder(path.tradedate, place);
    case "file": {
      if (!covers(place, path.tradedate)) return null;
      return { kind: "file", file: driveFile(path, place) };
    }
    case "security": {
      if (!covers(place, path.tradedate)) return null;
      return { kind: "file", file: securityFile(path, place) };
    }
  }
}

/** All files that the share covers now. */
async function filesOf({ db, open }: Place): Promise<CoveredFile[]> {
  if (open.days === null) return [];
  return coveredFiles(db, { dataType: open.share.dataType, ...open.days });
}

function covers({ open }: Place, day: BeijingDate): boolean {
  return open.days !== null && day >= open.days.from && day <= open.days.to;
}

function textResource(name: string, text: GeneratedText): Resource {
  return { kind: "text", path: name, name, text };
}

async function dayFolder(day: BeijingDate, place: Place): Promise<Resource | null> {
  if (!covers(place, day)) return null;
  const { dataType } = place.open.share;
  const files = await coveredFiles(place.db, { dataType, from: day, to: day });
  if (files.length === 0) return null;
  const hasBySymbol = files.some(({ packId }) => packId !== null);
  return { kind: "folder", path: `${day}/`, entries: dayEntries(files), hasBySymbol };
}

async function bySymbolFolder(day: BeijingDate, place: Place): Promise<Resource | null> {
  if (!covers(place, day)) return null;
  const [pack] = await packVersions(day, place);
  if (pack === undefined || pack.packId === null) return null;
  const entries = securityEntries(pack, await packSections(place.db, pack.packId));
  return { kind: "folder", path: `${day}/${BY_SYMBOL}/`, entries, hasBySymbol: false };
}

function packVersions(tradedate: BeijingDate, { db, open, nowMs }: Place) {
  const { dataType } = open.share;
  return fileVersions(db, { dataType, tradedate, name: orderPackName(tradedate) }, nowMs);
}

function driveFile(
  { tradedate, name }: { tradedate: BeijingDate; name: string },
  { db, open, nowMs }: Place,
): DriveFile {
  const { dataType } = open.share;
  return {
    path: pathOf({ tradedate, name }),
    name,
    async versions() {
      const versions = await fileVersions(db, { dataType, tradedate, name }, nowMs);
      return versions.map((version) => ({
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

/** A security's section of a pack. A version that does not have the security is none of this file's. */
function securityFile(
  security: { tradedate: BeijingDate; symbol: string; market: Market },
  place: Place,
): DriveFile {
  const { tradedate, symbol, market } = security;
  const name = securityFileName(security);
  return {
    path: `${tradedate}/${BY_SYMBOL}/${name}`,
    // As the Parquet answer names it (decisions 6): a folder of one security then holds its days apart.
    name: `${symbol}.${market}_${tradedate}_orders.parquet`,
    async versions() {
      const downloads: Download[] = [];
      for (const version of await packVersions(tradedate, place)) {
        const section =
          version.packId === null ? null : await packSection(place.db, version.packId, security);
        // Without the security in the present pack the file is not there, whatever an old one had.
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
