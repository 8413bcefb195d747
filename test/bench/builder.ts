/**
 * Measures how each program in `CONTENDERS` builds a day pack from a vendor's folder of CSV files: rows per second,
 * peak memory and file size. Each program runs in its own process. DuckDB's file must have the same rows in the same
 * order as edgetape's pack.
 */
import { mkdir, mkdtempDisposable, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { sampleSections } from "../../src/pack-builder/sample/day.ts";
import { writeVendorFile } from "../../src/pack-builder/sample/vendor-csv.ts";
import { type BenchOptions, type BenchRow, figuresIn, median } from "./bench-row.ts";
import { CONTENDERS } from "./builder/contenders.ts";
import { runTask, type Spent } from "./builder/deliveries.ts";
import { digestOf } from "./rivals/duckdb.ts";

const TRADEDATE = "20220301" as BeijingDate;
/** The maximum number of rounds. A build takes seconds, so more rounds would add little precision. */
const MOST_ROUNDS = 3;

interface Run extends Spent {
  /** Null when no file was made. */
  sizeBytes: number | null;
}

/** Returns the results of each program. Throws when the rows in DuckDB's file differ from those in edgetape's pack. */
export async function benchBuilder({ deliveryRows: rows, rounds }: BenchOptions): Promise<BenchRow[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-bench-"));
  const delivery = join(folder.path, "delivery");
  let sizeBytes = 0;
  for (const section of sampleSections({ tradedate: TRADEDATE, rows })) {
    sizeBytes += writeVendorFile(delivery, section, TRADEDATE, section.columns);
  }
  const runs = await runInterleaved(delivery, join(folder.path, "out"), Math.min(rounds, MOST_ROUNDS));
  const table = `a pack from ${rows.toLocaleString("en")} rows in CSV files, ${Math.round(sizeBytes / 1e6)} MB`;
  return figuresOf(table, runs, rows);
}

async function runInterleaved(delivery: string, out: string, rounds: number): Promise<Map<string, Run[]>> {
  const runs = new Map<string, Run[]>([...CONTENDERS.keys()].map((name) => [name, []]));
  let ours: string | undefined;
  for (let round = 0; round < rounds; round++) {
    for (const [name, taken] of runs) {
      await mkdir(out);
      const of = { tradedate: TRADEDATE, out, sources: [delivery] };
      const { result: path, ...spent } = await runTask<string | null>(name, of);
      if (path !== null && round === 0) {
        const digest = await digestOf(path);
        ours ??= digest;
        if (digest !== ours) throw new Error(`${name}: its rows differ from those of edgetape's pack`);
      }
      taken.push({ ...spent, sizeBytes: path === null ? null : (await stat(path)).size });
      await rm(out, { recursive: true });
    }
  }
  return runs;
}

function figuresOf(table: string, runs: ReadonlyMap<string, Run[]>, rows: number): BenchRow[] {
  let first: readonly [rival: number, against: string] | undefined;
  return [...runs].flatMap(([name, taken]): BenchRow[] => {
    const figure = figuresIn(table, name);
    const perSecond = rows / (median(taken.map(({ ms }) => ms)) / 1000);
    const speed = figure("speed", perSecond, "rows/s", first);
    first ??= [perSecond, name];
    const peak = median(taken.map(({ peakBytes }) => peakBytes)) / 2 ** 20;
    const size = taken[0]?.sizeBytes ?? null;
    const file = size === null ? [] : [figure("file", size / 1e6, "MB")];
    return [speed, figure("most memory", peak, "MiB"), ...file];
  });
}
