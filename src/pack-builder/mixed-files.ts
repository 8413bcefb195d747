/** Files with many securities: their rows are put aside on the disk, each security's by itself. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { OrderFile } from "./delivery/order-files.ts";
import { DeliveryError } from "./delivery/source-file.ts";
import type { Intake } from "./intake.ts";
import { securityOfKey } from "./parse/security-cell.ts";
import type { Extent } from "./spill.ts";
import type { ChunkReport, SpillResult } from "./work.ts";
import { inTurn, type WorkerPool } from "./worker-pool.ts";

/** Rows put aside: where, by `securityKey`, in the order of the files and of their lines. */
export interface PutAside {
  extents: Map<number, Extent[]>;
  /** The first file in which the security was met. */
  files: Map<number, OrderFile>;
}

/**
 * Reads `files` in order and puts their rows aside. Throws `DeliveryError` when two layouts both bring a
 * security: they would be the same orders twice.
 */
export async function putAside(
  files: readonly OrderFile[],
  { tradedate, pool, intake }: { tradedate: BeijingDate; pool: WorkerPool; intake: Intake },
): Promise<PutAside> {
  const aside: PutAside = { extents: new Map(), files: new Map() };
  type Done = SpillResult & { file: OrderFile; report: ChunkReport };
  async function* work(): AsyncGenerator<() => Promise<Done>> {
    for (const file of files) {
      for await (const chunk of intake.chunks(file, tradedate)) {
        yield async () => ({ file, ...(await pool.spillChunk(chunk)) });
      }
    }
  }
  // One chunk more than threads is read ahead: chunks are the biggest things in memory.
  for await (const { file, report, extents } of inTurn(work(), pool.threads + 1)) {
    await intake.report(file, report);
    for (const [key, extent] of extents) {
      const first = aside.files.get(key);
      if (first === undefined) aside.files.set(key, file);
      else if (first.layout.name !== file.layout.name) throw twice(key, first, file);
      const list = aside.extents.get(key);
      if (list === undefined) aside.extents.set(key, [extent]);
      else list.push(extent);
    }
  }
  return aside;
}

/** The same orders in two files. */
export function twice(key: number, first: OrderFile, second: OrderFile): DeliveryError {
  const { symbol, market } = securityOfKey(key);
  return new DeliveryError(
    `${symbol}.${market} is delivered twice: ${first.file.path} (${first.layout.name}) and ` +
      `${second.file.path} (${second.layout.name}); give one of them`,
  );
}
