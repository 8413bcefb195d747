/** Writes generated deliveries in the vendor's layout and runs tasks on them, each in a separate process. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../../src/datasets/registry.ts";
import { type SampleDay, sampleDatasets } from "../../../src/pack-builder/sample/day.ts";
import { writeVendorFile } from "../../../src/pack-builder/sample/vendor-csv.ts";
import type { DayPacks } from "./run.ts";

const run = promisify(execFile);

/**
 * Writes a sample day into `parts` folders below `folder`, each with about the same number of securities. Returns the
 * folders in order. A caller that builds only the first few folders builds a smaller day.
 */
export function writeDelivery(folder: string, day: SampleDay, parts: number): string[] {
  const folders = Array.from({ length: parts }, (_, part) => join(folder, `part-${part}`));
  let number = 0;
  for (const { symbol, market, ...columns } of sampleDatasets(day)) {
    const part = folders[number++ % parts] ?? folder;
    for (const dataset of DATASET_NAMES) {
      writeVendorFile(part, { symbol, market }, day.tradedate, columns[dataset], dataset);
    }
  }
  return folders;
}

/** The time and memory that a process used. */
export interface Spent {
  ms: number;
  /** The processor time of all threads: on a busy machine it is a better measure than the elapsed time. */
  cpuMs: number;
  peakBytes: number;
}

/** Runs a task of `run.ts` in a separate process. */
export async function runTask<Result>(
  name: string,
  { tradedate, out, sources = [] }: { tradedate: BeijingDate; out: string; sources?: readonly string[] },
): Promise<Spent & { result: Result }> {
  const { stdout } = await run(process.execPath, [
    "test/bench/builder/run.ts",
    name,
    tradedate,
    out,
    ...sources,
  ]);
  return JSON.parse(stdout) as Spent & { result: Result };
}

/** Returns the number of rows in all packs. */
export function rowsOf({ packs }: DayPacks): number {
  return packs.reduce((sum, { rows }) => sum + rows, 0);
}

/** Returns the size of all packs in bytes, without the auction pack. */
export function sizeOf({ packs }: DayPacks): number {
  return packs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
