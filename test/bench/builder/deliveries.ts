/** Writes generated deliveries in the vendor's layout and builds their packs, each build in a separate process. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../../src/datasets/registry.ts";
import type { SampleDay } from "../../../src/pack-builder/sample/day.ts";
import { sampleDatasets } from "../../../src/pack-builder/sample/trades.ts";
import { writeVendorFile } from "../../../src/pack-builder/sample/vendor-csv.ts";
import type { Spent } from "./meter.ts";
import type { DayRun } from "./run-day.ts";

const run = promisify(execFile);

/**
 * Writes a sample day into `parts` folders below `folder`, each with about the same number of securities. Returns the
 * folders in order; the first few of them are the delivery of a smaller day.
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

/** Builds a day's packs into `out`; `wanted` is a dataset or `all`. */
export function buildDay({
  tradedate,
  out,
  wanted,
  sources,
}: {
  tradedate: BeijingDate;
  out: string;
  wanted: string;
  sources: readonly string[];
}): Promise<DayRun> {
  return runScript<DayRun>("run-day.ts", [tradedate, out, wanted, ...sources]);
}

/** Repeats a stage of a build on the packs in `folder`. */
export function repeatStage(
  stage: "auction" | "quality",
  tradedate: BeijingDate,
  folder: string,
): Promise<Spent> {
  return runScript<Spent>("run-stage.ts", [stage, tradedate, folder]);
}

async function runScript<Printed>(name: string, args: readonly string[]): Promise<Printed> {
  return JSON.parse((await run(process.execPath, [`test/bench/builder/${name}`, ...args])).stdout) as Printed;
}

/** Returns the number of rows in all packs. */
export function rowsOf({ packs }: DayRun): number {
  return packs.reduce((sum, { rows }) => sum + rows, 0);
}

/** Returns the size of all packs in bytes, without the auction pack. */
export function sizeOf({ packs }: DayRun): number {
  return packs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
