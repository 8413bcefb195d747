/**
 * Builds, verifies and checks a vendor's day from its CSV files: each dataset alone, and all datasets in one command.
 * The figures are rows per second, peak memory, and bytes per row.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../src/datasets/registry.ts";
import { type BenchOptions, type BenchRow, median } from "./bench-row.ts";
import { buildDay, rowsOf, sizeOf, writeDelivery } from "./builder/deliveries.ts";
import type { DayRun } from "./builder/run-day.ts";

const TRADEDATE = "20220301" as BeijingDate;
/** A build takes seconds, so more rounds would add nothing. */
const MOST_ROUNDS = 2;

/** Returns the figures of each dataset and of the whole day. */
export async function benchWholeDay({ deliveryRows, rounds }: BenchOptions): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-bench-"));
  try {
    const sources = writeDelivery(folder, { tradedate: TRADEDATE, rows: deliveryRows }, 1);
    const runs = new Map<string, DayRun[]>([...DATASET_NAMES, "all"].map((name) => [name, []]));
    for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
      for (const [name, taken] of runs) {
        const out = join(folder, "out");
        taken.push(await buildDay({ tradedate: TRADEDATE, out, wanted: name, sources }));
        await rm(out, { recursive: true });
      }
    }
    return [...runs].flatMap(([name, taken]) => figuresOf(name, taken));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function figuresOf(dataset: string, taken: readonly DayRun[]): BenchRow[] {
  const [first] = taken;
  if (first === undefined) return [];
  const rows = rowsOf(first);
  const line = {
    table: "a vendor's day from CSV files, verified and checked",
    name: `${dataset}, ${rows.toLocaleString("en")} rows`,
  };
  const perSecond = (ms: number[]) => rows / (median(ms) / 1000);
  const mostMemory = median(taken.map(({ peakBytes }) => peakBytes)) / 2 ** 20;
  return [
    { ...line, column: "speed", value: perSecond(taken.map(({ ms }) => ms)), unit: "rows/s" },
    { ...line, column: "on one core", value: perSecond(taken.map(({ cpuMs }) => cpuMs)), unit: "rows/s" },
    { ...line, column: "most memory", value: mostMemory, unit: "MiB" },
    { ...line, column: "packs", value: sizeOf(first) / rows, unit: "B/row" },
  ];
}
