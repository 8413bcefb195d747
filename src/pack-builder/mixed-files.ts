/** Files with many securities: their rows are put aside on the disk, each security's by itself. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetFile } from "./delivery/dataset-files.ts";
import { DeliveryError } from "./delivery/source-file.ts";
import type { Intake } from "./intake.ts";
import { securityOfKey } from "./parse/security-cell.ts";
import type { ChunkReport, FileExtent, SpillResult } from "./work.ts";
import { inOrder, type WorkerPool } from "./worker-pool.ts";

/** Rows put aside: where, by `securityKey`, in the order of the files and of their lines. */
export interface PutAside {
  extents: Map<number, FileExtent[]>;
  /** The files, by the number that their extents bear. */
  files: readonly DatasetFile[];
}

/**
 * Reads `files` in order and puts their rows aside. Throws `DeliveryError` when two files both hold a security, unless
 * they are of one layout and follow each other in time: anything else could be the same orders twice.
 */
export async function putAside(
  files: readonly DatasetFile[],
  { tradedate, pool, intake }: { tradedate: BeijingDate; pool: WorkerPool; intake: Intake },
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
  // One chunk more than threads is read ahead: chunks are the biggest things in memory.
  for await (const { source, file, report, extents } of inOrder(work(), pool.threads + 1)) {
    await intake.report(file, report);
    for (const [key, extent] of extents) {
      const list = aside.extents.get(key);
      if (list === undefined) aside.extents.set(key, [{ ...extent, source }]);
      else list.push({ ...extent, source });
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

/** The rows that one file holds of a security, from its earliest to its latest. */
interface Part {
  source: number;
  earliest: number;
  latest: number;
}

/** One part per file, the earliest first. */
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

/** The first two files that do not follow each other, or are not of one layout. */
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

/** The same orders in two files. */
export function twice(key: number, ...files: (DatasetFile | undefined)[]): DeliveryError {
  const { symbol, market } = securityOfKey(key);
  const names = files.flatMap((each) =>
    each === undefined ? [] : `${each.file.path} (${each.layout.name})`,
  );
  return new DeliveryError(
    `${symbol}.${market} is delivered twice: ${names.join(" and ")}; give one of them`,
  );
}
