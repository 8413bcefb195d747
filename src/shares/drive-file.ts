/** The downloadable files of a share: a file of the store, or one security's piece of an order pack. */
import type { BeijingDate } from "../calendar/beijing.ts";
import {
  type FileVersion,
  fileVersions,
  fileVersionsOf,
  fileVersionsStatement,
  orderPackName,
} from "../catalog/files.ts";
import { packSection } from "../catalog/pack-sections.ts";
import type { Market } from "../orders/record.ts";
import type { Download, DriveFile } from "./download.ts";
import { BY_SYMBOL, type DrivePath, pathOf, securityFileName } from "./drive-path.ts";
import type { OpenShare } from "./open-share.ts";
import { etagOf } from "./versions.ts";

/** The share, and the store it is looked up in. */
export interface Place {
  db: D1Database;
  open: OpenShare;
  nowMs: number;
}

/** What can be read of `path` before the share is known, in one round trip with it; null: nothing. */
export function readAhead(
  db: D1Database,
  path: DrivePath | null,
  { shareId, nowMs }: { shareId: string; nowMs: number },
): D1PreparedStatement | null {
  const name = path === null ? null : storedName(path);
  if (path === null || name === null || !("tradedate" in path)) return null;
  return fileVersionsStatement(db, { shareId, tradedate: path.tradedate, name }, nowMs);
}

/** The file of the store that a path leads to, as it is or in part. */
function storedName(path: DrivePath): string | null {
  if (path.kind === "file") return path.name;
  return path.kind === "security" ? orderPackName(path.tradedate) : null;
}

/** The versions of a day's order pack. */
export function packVersions(tradedate: BeijingDate, place: Place): Promise<FileVersion[]> {
  return versionsAt({ tradedate, name: orderPackName(tradedate) }, place);
}

/** A file's versions in the share. */
function versionsAt(
  { tradedate, name }: { tradedate: BeijingDate; name: string },
  { db, open, nowMs }: Place,
): Promise<FileVersion[]> {
  return fileVersions(db, { dataType: open.share.dataType, tradedate, name }, nowMs);
}

/** The first call gives what was read ahead, if it was; every later one looks again. */
function readOnce(open: OpenShare, again: () => Promise<FileVersion[]>): () => Promise<FileVersion[]> {
  let ahead = open.read;
  return async () => {
    const read = ahead;
    ahead = undefined;
    return read === undefined ? again() : fileVersionsOf(read);
  };
}

/** A file of the store. */
export function driveFile(file: { tradedate: BeijingDate; name: string }, place: Place): DriveFile {
  const versions = readOnce(place.open, () => versionsAt(file, place));
  return {
    path: pathOf(file),
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

/** A security's section of a pack. A version that does not have the security is none of this file's. */
export function securityFile(
  security: { tradedate: BeijingDate; symbol: string; market: Market },
  place: Place,
): DriveFile {
  const { tradedate, symbol, market } = security;
  const name = securityFileName(security);
  const versions = readOnce(place.open, () => packVersions(tradedate, place));
  return {
    path: `${tradedate}/${BY_SYMBOL}/${name}`,
    // As the Parquet answer names it (contract 6.2): a folder of one security then holds its days apart.
    name: `${symbol}.${market}_${tradedate}_orders.parquet`,
    async versions() {
      const downloads: Download[] = [];
      for (const version of await versions()) {
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
