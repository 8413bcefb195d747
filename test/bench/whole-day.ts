/**
 * Builds a vendor's day from its CSV files, verified and checked: each dataset alone, and all datasets in one command.
 * The figures are rows per second, peak memory, and bytes a row.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../src/datasets/registry.ts";
import { sampleDatasets } from "../../src/pack-builder/sample/trades.ts";
import { writeVendorFile } from "../../src/pack-builder/sample/vendor-csv.ts";
import { type BenchOptions, type BenchRow, median } from "./bench-row.ts";

const run = promisify(execFile);

const TRADEDATE = "20220301" as BeijingDate;
/** A build takes seconds, so more rounds would add nothing. */
const MOST_ROUNDS = 2;

interface Run {
  ms: number;
  /** Of all threads. */
  cpuMs: number;
  rows: number;
  sizeBytes: number;
  peakBytes: number;
}

/** Returns a line for each dataset and for the whole day. */
export async function benchWholeDay({ deliveryRows, rounds }: BenchOptions): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-bench-"));
  try {
    const delivery = join(folder, "delivery");
    for (const { symbol, market, ...columns } of sampleDatasets({
      tradedate: TRADEDATE,
      rows: deliveryRows,
    })) {
      for (const dataset of DATASET_NAMES) {
        writeVendorFile(delivery, { symbol, market }, TRADEDATE, columns[dataset], dataset);
      }
    }
    const runs = new Map<string, Run[]>([...DATASET_NAMES, "all"].map((name) => [name, []]));
    for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
      for (const [name, taken] of runs) {
        const out = join(folder, "out");
        const args = ["test/bench/builder/run-day.ts", delivery, TRADEDATE, out, name];
        taken.push(JSON.parse((await run(process.execPath, args)).stdout) as Run);
        await rm(out, { recursive: true });
      }
    }
    return [...runs].flatMap(([name, taken]) => figuresOf(name, taken));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function figuresOf(dataset: string, taken: readonly Run[]): BenchRow[] {
  const [first] = taken;
  if (first === undefined) return [];
  const line = {
    table: "a vendor's day from CSV files, verified and checked",
    name: `${dataset}, ${first.rows.toLocaleString("en")} rows`,
  };
  const perSecond = first.rows / (median(taken.map(({ ms }) => ms)) / 1000);
  return [
    { ...line, column: "speed", value: perSecond, unit: "rows/s" },
    {
      ...line,
      column: "on one core",
      value: first.rows / (median(taken.map(({ cpuMs }) => cpuMs)) / 1000),
      unit: "rows/s",
    },
    {
      ...line,
      column: "most memory",
      value: median(taken.map(({ peakBytes }) => peakBytes)) / 2 ** 20,
      unit: "MiB",
    },
    { ...line, column: "packs", value: first.sizeBytes / first.rows, unit: "B/row" },
  ];
}
