/**
 * Classifies a delivered file by its name: its format, whether it is still being transferred, whether it can hold
 * records.
 */
import { baseName } from "./source-file.ts";

/** Extensions that transfer programs use for incomplete files. */
const UNDER_WAY =
  /(\.(part|partial|tmp|temp|filepart|crdownload|download|downloading|aria2|!ut|!bt|bc!|xltd|td|opdownload|swp|lftp-pget-status)|~)$/i;

/** Files that operating systems leave in folders and archives. */
const LITTER = /^(\.DS_Store|\._.*|\.localized|Thumbs\.db|desktop\.ini)$/i;

/** Checksums, markers and documents in a delivery. */
const WITHOUT_RECORDS =
  /\.(md5|sha1|sha256|sha512|sfv|done|ok|ready|finished|flag|log|pdf|docx?|pptx?|md|html?|url|nfo|png|jpe?g|gif)$|^(readme|license|sha256sums|md5sums)(\.txt)?$/i;

/** Formats that the builder does not read. */
const UNREAD =
  /\.(rar|r\d\d|bz2|tbz2?|xz|txz|lz4|lzma|lz|z|cab|arj|iso|z\d\d|xlsx?|(gz|zst|tar|tgz|rar)\.\d{3,})$/i;

const VOLUME = /^(.*\.(?:7z|zip))\.(\d{3,})$/i;

export type ArchiveFormat = "zip" | "7z" | "tar";
export type Compression = "gzip" | "zstd";

/**
 * Returns whether `name` is the name of a file whose transfer is not complete. rsync, for example, writes to names with
 * a leading dot.
 */
export function isUnderWay(name: string): boolean {
  return !LITTER.test(name) && (name.startsWith(".") || UNDER_WAY.test(name));
}

/** Returns whether the file at `path` is one that an operating system leaves in folders and archives. */
export function isLitter(path: string): boolean {
  return LITTER.test(baseName(path)) || /(^|\/)__MACOSX\//.test(path);
}

/** Returns whether a file of this name holds no records: a checksum, a marker, a document, or a system file. */
export function holdsNoRecords(name: string): boolean {
  return LITTER.test(name) || WITHOUT_RECORDS.test(name);
}

/** Returns whether a file of this name has a format that the builder does not read. */
export function isUnreadFormat(name: string): boolean {
  return UNREAD.test(name);
}

/** Returns how the file `name` is compressed as a whole, or `null`. */
export function compressionOf(name: string): Compression | null {
  if (/\.(gz|tgz)$/i.test(name)) return "gzip";
  return /\.(zst|tzst)$/i.test(name) ? "zstd" : null;
}

/**
 * Returns the base name of `path` without the extension of its compression.
 *
 * @example plainName("20260312/orders.csv.gz") // "orders.csv"
 */
export function plainName(path: string): string {
  const name = baseName(path);
  return name.replace(/\.(gz|zst)$/i, "").replace(/\.(tgz|tzst)$/i, ".tar");
}

/** Returns the format of the archive or volume `name`, or `null` for other files. */
export function archiveFormat(name: string): ArchiveFormat | null {
  if (/\.zip$/i.test(name)) return "zip";
  if (/\.7z$/i.test(name) || VOLUME.test(name)) return "7z";
  return /\.tar$/i.test(name) ? "tar" : null;
}

/** Returns the name without the extensions of archives and compression, such as `600519.SH` for `600519.SH.tar.gz`. */
export function withoutArchiveEnding(name: string): string {
  const stem = VOLUME.exec(name)?.[1] ?? plainName(name);
  return stem.replace(/\.(zip|7z|tar)$/i, "");
}

/**
 * Returns the split archive to which the volume `path` belongs, and the volume's number from 1; `null` for other files.
 */
export function volumeOf(path: string): { archive: string; number: number } | null {
  const [, archive, digits] = VOLUME.exec(path) ?? [];
  return archive === undefined ? null : { archive, number: Number(digits) };
}
