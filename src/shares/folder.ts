/** What a folder of a share holds: the same entries for the page, for `wget -r`, for rclone and for WebDAV. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { CoveredFile } from "../catalog/files.ts";
import type { PackSection } from "../catalog/pack-sections.ts";
import { MANIFEST, SUMS, securityFileName } from "./drive-path.ts";
import type { GeneratedText } from "./generated.ts";
import { etagOf } from "./versions.ts";

/** One name in a folder; a folder inside it has no size and no tag. */
export interface Entry {
  name: string;
  isFolder: boolean;
  sizeBytes: number | null;
  lastModifiedMs: number;
  etag: string | null;
  /** 64 hex digits where a sum is known. */
  sha256: string | null;
  revision: number | null;
}

/** The name as a relative link: encoded, with its slash for a folder. */
export function hrefOf({ name, isFolder }: Pick<Entry, "name" | "isFolder">): string {
  return encodeURIComponent(name) + (isFolder ? "/" : "");
}

/** Files by their day, in the order of the days. */
export function byDay(files: readonly CoveredFile[]): Map<BeijingDate, CoveredFile[]> {
  const days = new Map<BeijingDate, CoveredFile[]>();
  for (const file of files) days.set(file.tradedate, [...(days.get(file.tradedate) ?? []), file]);
  return days;
}

/** The share's root: a folder for each day, the manifest, the sums. */
export function rootEntries(
  files: readonly CoveredFile[],
  texts: { manifest: GeneratedText; sums: GeneratedText },
): Entry[] {
  const days = [...byDay(files)].map(([day, ofDay]) => folderEntry(day, newestMs(ofDay)));
  return [...days, textEntry(MANIFEST, texts.manifest), textEntry(SUMS, texts.sums)];
}

/** A day's folder: its files, and nothing of `by-symbol/`, or a sync would fetch everything twice. */
export function dayEntries(files: readonly CoveredFile[]): Entry[] {
  return files.map((file) => ({
    name: file.name,
    isFolder: false,
    sizeBytes: file.sizeBytes,
    lastModifiedMs: file.publishedAtMs,
    etag: etagOf(file),
    sha256: file.sha256,
    revision: file.revision,
  }));
}

/** The securities of an order pack, each as a file of its own. */
export function securityEntries(pack: CoveredFile, sections: readonly PackSection[]): Entry[] {
  return sections.map((section) => ({
    name: securityFileName(section),
    isFolder: false,
    sizeBytes: section.length,
    lastModifiedMs: pack.publishedAtMs,
    etag: etagOf(pack, `${section.symbol}.${section.market}`),
    sha256: null,
    revision: pack.revision,
  }));
}

/** When the newest of `files` was published; the beginning of Unix time for none. */
export function newestMs(files: readonly Pick<CoveredFile, "publishedAtMs">[]): number {
  return files.reduce((newest, file) => Math.max(newest, file.publishedAtMs), 0);
}

function folderEntry(name: string, lastModifiedMs: number): Entry {
  return { name, isFolder: true, sizeBytes: null, lastModifiedMs, etag: null, sha256: null, revision: null };
}

function textEntry(name: string, { bytes, etag, lastModifiedMs }: GeneratedText): Entry {
  const sizeBytes = bytes.length;
  return { name, isFolder: false, sizeBytes, lastModifiedMs, etag, sha256: null, revision: null };
}
