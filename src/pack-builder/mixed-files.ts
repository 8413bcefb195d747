/** Reads files with many securities and stores their rows on disk by security. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetFile } from "./delivery/dataset-files.ts";
import { DeliveryError } from "./delivery/source-file.ts";
import type { Intake } from "./intake.ts";
import { securityOfKey } from "./parse/security-cell.ts";
import type { ChunkReport, FileExtent, SpillResult } from "./work.ts";
import { type DatasetPool, inOrder } from "./worker-pool.ts";

/** The rows that `putAside` stored on disk. */
export interface PutAside {
  /** The extents of each security's rows, by `securityKey`, in the order of the files and lines. */
  extents: Map<number, FileExtent[]>;
  /** The files; the `source` of an extent is a position in this list. */
  files: readonly DatasetFile[];
}

/**
 * Reads `files` in order and stores their rows by security. Throws `DeliveryError` when two files have the same
 * security, unless they have the same layout and do not overlap in time. Without this check, the same rows could be
 * stored twice.
 */
export async function putAside(
  files: readonly DatasetFile[],
  { tradedate, pool, intake }: { tradedate: BeijingDate; pool: DatasetPool; intake: Intake },
): Promise<PutAside> {
  const aside: PutAside = { extents: new Map(), files };
  type Done = SpillResult & { source: number; file: DatasetFile; report: ChunkReport };
  async function* work(): AsyncGenerator<() => Promise<Done>> {
    for (const [source, file] of files.entries()) {
      for await (const chunk of intake.chunks(file, tradedate)) {
        yield async () => ({ source, file, ...(await pool.spillChunk(chunk)) });
      }
    }
  }
  // At most `pool.threads + 1` chunks are in progress at once, because chunks take most of the memory.
  for await (const { source, file, report, extents } of inOrder(work(), pool.threads + 1)) {
    await intake.report(file, report);
    for (const [key, extent] of extents) {
      const list = aside.extents.get(key) ?? [];
      list.push({ ...extent, source });
      aside.extents.set(key, list);
    }
  }
  for (const [key, extents] of aside.extents) {
    const parts = partsOf(extents);
    if (parts.length > 1) intake.noteParts(files[parts[1]?.source ?? 0]);
    const pair = unclearPair(parts, files);
    if (pair !== null) throw twice(key, files[pair[0]], files[pair[1]]);
  }
  return aside;
}

/** The time range of a security's rows in one file. */
type Part = Pick<FileExtent, "source" | "earliest" | "latest">;

/** Merges the time ranges of each file into one part. Returns the parts sorted by time. */
function partsOf(extents: readonly FileExtent[]): Part[] {
  const parts: Part[] = [];
  for (const { source, earliest, latest } of extents) {
    const last = parts.at(-1);
    if (last?.source !== source) parts.push({ source, earliest, latest });
    else {
      last.earliest = Math.min(last.earliest, earliest);
      last.latest = Math.max(last.latest, latest);
    }
  }
  return parts.sort((a, b) => a.earliest - b.earliest || a.latest - b.latest);
}

/** Returns the numbers of the first two files that overlap in time or differ in layout; `null` if there are none. */
function unclearPair(parts: readonly Part[], files: readonly DatasetFile[]): [number, number] | null {
  for (const [number, part] of parts.entries()) {
    const next = parts[number + 1];
    if (next === undefined) return null;
    const isOneLayout = files[part.source]?.layout.name === files[next.source]?.layout.name;
    const isOneInstant = part.earliest === next.latest;
    if (!isOneLayout || part.latest > next.earliest || isOneInstant) {
      return [Math.min(part.source, next.source), Math.max(part.source, next.source)];
    }
  }
  return null;
}

/** Returns the error for a security with rows in two files. */
export function twice(key: number, ...files: (DatasetFile | undefined)[]): DeliveryError {
  const { symbol, market } = securityOfKey(key);
  const names = files.flatMap((each) =>
    each === undefined ? [] : `${each.file.path} (${each.layout.name})`,
  );
  return new DeliveryError(
    `${symbol}.${market} is delivered twice: ${names.join(" and ")}; keep only one of them`,
  );
}
