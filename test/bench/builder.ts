/**
 * Measures how each contender builds a day pack from a vendor's folder of CSV files: rows per second, peak memory and
 * file size. Each contender runs in its own process. The rows of DuckDB's file and their order must equal those of our
 * pack.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { sampleSections } from "../../src/pack-builder/sample/day.ts";
import { writeVendorFile } from "../../src/pack-builder/sample/vendor-csv.ts";
import { type BenchOptions, type BenchRow, median } from "./bench-row.ts";
import { CONTENDERS, type Delivery } from "./builder/contenders.ts";
import { digestOf } from "./rivals/digest.ts";

const run = promisify(execFile);

const TRADEDATE = "20220301" as BeijingDate;
/** A build takes seconds, so more rounds would add nothing. */
const MOST_ROUNDS = 3;

interface Run {
  ms: number;
  peakBytes: number;
  /** Null when no file was made. */
  sizeBytes: number | null;
}

/** Returns the figures of each contender. Throws when DuckDB's rows differ from ours. */
export async function benchBuilder({ deliveryRows: rows, rounds }: BenchOptions): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-bench-"));
  try {
    const delivery: Delivery = { folder: join(folder, "delivery"), tradedate: TRADEDATE };
    let sizeBytes = 0;
    for (const section of sampleSections({ tradedate: TRADEDATE, rows })) {
      sizeBytes += writeVendorFile(delivery.folder, section, TRADEDATE, section.columns);
    }
    const runs = await runInterleaved(delivery, folder, Math.min(rounds, MOST_ROUNDS));
    const table = `a pack from ${rows.toLocaleString("en")} rows in CSV files, ${Math.round(sizeBytes / 1e6)} MB`;
    return figuresOf(runs, rows).map((row) => ({ ...row, table }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runInterleaved(
  delivery: Delivery,
  folder: string,
  rounds: number,
): Promise<Map<string, Run[]>> {
  const runs = new Map<string, Run[]>([...CONTENDERS.keys()].map((name) => [name, []]));
  let ours: string | undefined;
  for (let round = 0; round < rounds; round++) {
    for (const [name, taken] of runs) {
      const out = join(folder, "out");
      await mkdir(out);
      const args = ["test/bench/builder/run.ts", name, delivery.folder, delivery.tradedate, out];
      const { ms, peakBytes, path } = JSON.parse((await run(process.execPath, args)).stdout) as {
        ms: number;
        peakBytes: number;
        path: string | null;
      };
      if (path !== null && round === 0) {
        const digest = await digestOf(path);
        ours ??= digest;
        if (digest !== ours) throw new Error(`${name}: its rows differ from those of our pack`);
      }
      taken.push({ ms, peakBytes, sizeBytes: path === null ? null : (await stat(path)).size });
      await rm(out, { recursive: true });
    }
  }
  return runs;
}

function figuresOf(runs: ReadonlyMap<string, Run[]>, rows: number): BenchRow[] {
  let first: number | undefined;
  return [...runs].flatMap(([name, taken]): BenchRow[] => {
    const perSecond = rows / (median(taken.map(({ ms }) => ms)) / 1000);
    first ??= perSecond;
    const beside =
      first === perSecond ? {} : { ratio: perSecond / first, against: [...runs.keys()][0] ?? "" };
    const peak = median(taken.map(({ peakBytes }) => peakBytes)) / 2 ** 20;
    const size = taken[0]?.sizeBytes ?? null;
    return [
      { name, column: "speed", value: perSecond, unit: "rows/s", ...beside },
      { name, column: "most memory", value: peak, unit: "MiB" },
      ...(size === null ? [] : [{ name, column: "file", value: size / 1e6, unit: "MB" }]),
    ];
  });
}
