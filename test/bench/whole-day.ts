/**
 * Builds, verifies and checks a vendor's day from its CSV files: each dataset alone, and all datasets in one command.
 * The figures are rows per second, peak memory, and bytes per row.
 */
import { mkdtempDisposable, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../src/datasets/registry.ts";
import { type BenchOptions, type BenchRow, figuresIn, median } from "./bench-row.ts";
import { rowsOf, runTask, type Spent, sizeOf, writeDelivery } from "./builder/deliveries.ts";
import type { DayPacks } from "./builder/run.ts";

const TRADEDATE = "20220301" as BeijingDate;
/** The maximum number of rounds. A build takes seconds, so more rounds would add little precision. */
const MOST_ROUNDS = 2;

type Run = Spent & { result: DayPacks };

/** Returns the figures of each dataset and of the whole day. */
export async function benchWholeDay({ deliveryRows, rounds }: BenchOptions): Promise<BenchRow[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-bench-"));
  const sources = writeDelivery(folder.path, { tradedate: TRADEDATE, rows: deliveryRows }, 1);
  const runs = new Map<string, Run[]>([...DATASET_NAMES, "all"].map((name) => [name, []]));
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
    for (const [name, taken] of runs) {
      const out = join(folder.path, "out");
      taken.push(await runTask<DayPacks>(name, { tradedate: TRADEDATE, out, sources }));
      await rm(out, { recursive: true });
    }
  }
  return [...runs].flatMap(([name, taken]) => figuresOf(name, taken));
}

function figuresOf(dataset: string, taken: readonly Run[]): BenchRow[] {
  const [first] = taken;
  if (first === undefined) return [];
  const rows = rowsOf(first.result);
  const name = `${dataset}, ${rows.toLocaleString("en")} rows`;
  const figure = figuresIn("a vendor's day from CSV files, verified and checked", name);
  const of = (what: keyof Spent) => median(taken.map((run) => run[what]));
  return [
    figure("speed", rows / (of("ms") / 1000), "rows/s"),
    figure("on one core", rows / (of("cpuMs") / 1000), "rows/s"),
    figure("most memory", of("peakBytes") / 2 ** 20, "MiB"),
    figure("packs", sizeOf(first.result) / rows, "B/row"),
  ];
}
