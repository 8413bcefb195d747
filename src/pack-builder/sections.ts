/** Writes all sections of a day with the worker threads, in the order of the pack. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { Dataset } from "../datasets/dataset.ts";
import type { Security } from "../orders/record.ts";
import { joined } from "./batch.ts";
import type { BuildProgress } from "./build-progress.ts";
import type { DatasetFile } from "./delivery/dataset-files.ts";
import { DeliveryError } from "./delivery/source-file.ts";
import type { Intake } from "./intake.ts";
import { type PutAside, twice } from "./mixed-files.ts";
import { securityKey, securityOfKey } from "./parse/security-cell.ts";
import { writeSection } from "./section-writer.ts";
import type { ChunkReport, SectionResult } from "./work.ts";
import { type DatasetPool, inOrder } from "./worker-pool.ts";

export interface SectionSources {
  /** Files with one security each. */
  single: readonly DatasetFile[];
  aside: PutAside;
  /** Securities delivered without rows. */
  withoutOrders: readonly Security[];
}

interface SectionContext {
  dataset: Dataset;
  tradedate: BeijingDate;
  pool: DatasetPool;
  intake: Intake;
  progress: BuildProgress;
}

type Done = SectionResult & { file?: DatasetFile | undefined; report?: ChunkReport };

/**
 * Yields one section for each security, sorted by symbol, then market. A security without rows has a section; a
 * security whose only file is unreadable has none. Throws `DeliveryError` when two files have the same security.
 */
export async function* sectionsOf(
  { single, aside, withoutOrders }: SectionSources,
  { dataset, tradedate, pool, intake, progress }: SectionContext,
): AsyncGenerator<SectionResult> {
  const starts = new Map<number, () => Promise<Done | null>>();
  for (const { symbol, market } of withoutOrders) {
    const key = securityKey(symbol, market);
    starts.set(key, async () => nothing(tradedate, key, dataset));
  }
  for (const [key, extents] of aside.extents) {
    const file = aside.files[extents[0]?.source ?? 0];
    starts.set(key, async () => ({ file, ...(await pool.sectionOfSpill(key, extents)) }));
  }
  for (const file of single) {
    if (file.security === null) continue;
    const key = securityKey(file.security.symbol, file.security.market);
    const [other] = aside.extents.get(key) ?? [];
    if (other !== undefined) throw twice(key, aside.files[other.source], file);
    starts.set(key, async () => {
      let done: Promise<Done> | undefined;
      for await (const chunk of intake.chunks(file, tradedate)) {
        if (done !== undefined) throw new DeliveryError(`${file.file.path} grew while it was read`);
        done = pool.sectionOfChunk(chunk, key).then((result) => ({ file, ...result }));
        done.catch(() => {});
      }
      if (done !== undefined) return done;
      return intake.isRefused(file) ? null : nothing(tradedate, key, dataset);
    });
  }
  const ordered = [...starts].sort(([a], [b]) => a - b).map(([, start]) => start);
  let [sorted, written] = [0, 0];
  const counted = ordered.map((start) => async () => {
    const done = await start();
    progress.report("sort", ++sorted, ordered.length);
    return done;
  });
  // Files are read ahead, so that no thread waits for the disk, for decompression or, because sections are yielded in
  // order, for another thread's large security.
  for await (const done of inOrder(counted, pool.threads * 4 + 1)) {
    progress.report("write", ++written, ordered.length);
    if (done === null) continue;
    const { file, report, ...result } = done;
    if (file !== undefined && report !== undefined) await intake.report(file, report);
    const { symbol, market } = result.section.entry;
    const [first, second] = result.repeats.twice ?? [];
    if (first !== undefined && second !== undefined) {
      throw twice(securityKey(symbol, market), aside.files[first], aside.files[second]);
    }
    if (file !== undefined) await intake.repeats(file, `${symbol}.${market}`, result.repeats);
    yield result;
  }
}

function nothing(tradedate: BeijingDate, key: number, dataset: Dataset): SectionResult {
  const { rows } = joined([], dataset);
  const section = writeSection(tradedate, { ...securityOfKey(key), columns: rows }, dataset);
  const repeats = { repeated: 0, identical: 0, conflicts: [], twice: null };
  return { section, cancels: 0, fingerprint: 0, turnover: 0, repeats };
}
