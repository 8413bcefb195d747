/** From a path to what stands there: every file is checked against the share's coverage at every request. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { type CoveredFile, coveredFiles } from "../catalog/files.ts";
import { packSections } from "../catalog/pack-sections.ts";
import type { DriveFile } from "./download.ts";
import { driveFile, type Place, packVersions, securityFile } from "./drive-file.ts";
import { BY_SYMBOL, type DrivePath, MANIFEST, SUMS } from "./drive-path.ts";
import { dayEntries, type Entry, rootEntries, securityEntries } from "./folder.ts";
import { type GeneratedText, manifestOf, sumsOf } from "./generated.ts";

/** What a path leads to. Paths of folders are inside the share, with their slash; the root's is empty. */
export type Resource =
  | { kind: "root"; path: ""; entries: Entry[]; files: CoveredFile[] }
  | { kind: "folder"; path: string; entries: Entry[]; hasBySymbol: boolean }
  | { kind: "text"; path: string; name: string; text: GeneratedText }
  | { kind: "file"; file: DriveFile };

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
