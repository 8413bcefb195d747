/**
 * Computes the row accounting of a build. Every row that was read is counted as stored, quarantined or left out, and
 * every file as read, quarantined or left out. What is left out has a reason. The pack stores the totals.
 */
import { createHash } from "node:crypto";
import { BUILDER_VERSION, type PackOrigin, type SourceRecord, sourceList } from "../packs/origin.ts";
import { piecesOf } from "./delivery/compressed.ts";
import { diskFile } from "./delivery/folder.ts";
import { type DeliveredFile, DeliveryError } from "./delivery/source-file.ts";

/** Returns the origin of a pack built from `sources`, which can be in any order. */
export function originOf(
  sources: readonly SourceRecord[],
  { rows, files }: Pick<PackOrigin, "rows" | "files">,
): PackOrigin {
  const sorted = sources.toSorted((a, b) => order(a.path, b.path) || order(a.sha256, b.sha256));
  const sourcesSha256 = createHash("sha256").update(sourceList(sorted)).digest("hex");
  return { builderVersion: BUILDER_VERSION, sourcesSha256, sources: sorted, rows, files };
}

function order(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Returns the origin of a pack with `rows` generated rows. */
export function madeOrigin(rows: number): PackOrigin {
  return originOf([], {
    rows: { read: rows, quarantined: 0, leftOut: {} },
    files: { read: 0, quarantined: 0, leftOut: {} },
  });
}

/**
 * Returns the path, size and SHA-256 of each file in `delivered`. A file on disk that occurs several times is returned
 * once. `known` holds the sizes and sums of files that were already read, by path on disk. All other files are read
 * here. Throws `DeliveryError` for a missing file.
 */
export async function sourceRecords(
  delivered: Iterable<DeliveredFile>,
  known: ReadonlyMap<string, { sizeBytes: number; sha256: string }>,
): Promise<SourceRecord[]> {
  const records = new Map<string, SourceRecord>();
  for (const { path, place } of delivered) {
    if (records.has(place)) continue;
    records.set(place, { path, ...(known.get(place) ?? (await summed(place, path))) });
  }
  return [...records.values()];
}

async function summed(place: string, path: string): Promise<{ sizeBytes: number; sha256: string }> {
  const file = await diskFile(place, path).catch((error: NodeJS.ErrnoException) => {
    throw new DeliveryError(`${path} can no longer be read (${error.code})`);
  });
  const hash = createHash("sha256");
  for await (const piece of piecesOf(file)) hash.update(piece);
  return { sizeBytes: file.sizeBytes, sha256: hash.digest("hex") };
}

/** Returns how often each reason occurs, in the order of first occurrence. */
export function countsOf(reasons: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
