/**
 * Measures how fast the Parquet answer of a large security is sent over HTTP, including the check of its bytes.
 * Compares it with an unchecked copy of the same bytes from R2 by the same runtime, and with DuckDB, which decodes the
 * section and writes it again.
 */
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { day, randomSecurity } from "../support/builders.ts";
import { call } from "../support/http-client.ts";
import { account, publish } from "../support/operator.ts";
import { packOf } from "../support/packs.ts";
import { orderHistory } from "../support/paging.ts";
import { randomFrom } from "../support/random.ts";
import { newestRuntime } from "../support/runtime-process.ts";
import { startService } from "../support/service.ts";
import { type BenchRow, figure, median } from "./bench-row.ts";

const TRADEDATE = "20260311";
const SYMBOL = "300750";
/** On a real day the largest securities have about 370,000 rows. */
const ROWS = 400_000;
const ROUNDS = 21;

/**
 * Measures the Parquet answer: its speed with all fields and with three fields, each beside a rival's speed; its
 * processor time; and the growth of the runtime's memory.
 */
export async function benchParquet(): Promise<BenchRow[]> {
  const test = day({
    tradedate: TRADEDATE,
    securities: [randomSecurity(randomFrom(20260311), { symbol: SYMBOL, rows: ROWS })],
  });
  const { bytes, entryOf } = await packOf(test);
  const entry = entryOf(SYMBOL);
  await using service = await startService({ entry: "test/bench/bare-read-worker.ts" });
  await publish(service, test);
  const { key } = await account(service, { plan: "flagship", limits: { files: null } });
  const runtime = newestRuntime();

  const params = { symbol: SYMBOL, tradedate: TRADEDATE, format: "parquet" };
  const answer = (fields?: string) => async () => {
    const body = orderHistory({ apikey: key, params, ...(fields === undefined ? {} : { fields }) });
    const { status, bytes } = await service.post(body);
    if (status !== 200) throw new Error(`HTTP ${status}`);
    return bytes.length;
  };
  const range = `key=orders/2026/${TRADEDATE}/1.parquet&offset=${entry.offset}&length=${entry.length}`;
  const blind = async () => (await call(`${service.baseUrl}/bare?${range}`, { method: "GET" })).bytes.length;
  const memoryBefore = runtime?.memoryBytes() ?? 0;
  const [copied, whole, chosen] = await speeds([blind, answer(), answer("time,price,volume")]);
  const memory = (runtime?.memoryBytes() ?? 0) - memoryBefore;
  const cpuBefore = runtime?.cpuMs() ?? 0;
  for (let n = 0; n < ROUNDS; n++) await answer()();
  const cpuMs = ((runtime?.cpuMs() ?? 0) - cpuBefore) / ROUNDS;
  const rewritten = await rewrite(bytes.subarray(entry.offset, entry.offset + entry.length));

  const copy = [copied, "a blind copy"] as const;
  return [
    figure(`a blind copy of ${(entry.length / 1e6).toFixed(1)} MB out of R2, over HTTP`, copied, "MB/s"),
    figure(`Parquet answer of ${ROWS.toLocaleString("en")} rows`, whole, "MB/s", copy),
    figure("Parquet answer with three fields", chosen, "MB/s", copy),
    figure("Parquet answer", whole, "MB/s", [rewritten, "DuckDB, decoded and written again"]),
    figure("processor time of one, stores' simulators included", cpuMs, "ms"),
    figure(`memory of the runtime after ${3 * ROUNDS} more of them`, memory / 2 ** 20, "MiB"),
  ];
}

/** Runs the tasks, each once a round. A task returns its number of bytes. Returns each task's median speed in MB/s. */
async function speeds(tasks: (() => Promise<number>)[]): Promise<[number, number, number]> {
  const samples = tasks.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, task] of tasks.entries()) {
      const beganMs = performance.now();
      const bytes = await task();
      if (round > 2) samples[place]?.push(bytes / 1000 / (performance.now() - beganMs));
    }
  }
  const [a = Number.NaN, b = Number.NaN, c = Number.NaN] = samples.map(median);
  return [a, b, c];
}

async function rewrite(section: Uint8Array): Promise<number> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-bench-"));
  const from = join(folder.path, "section.parquet");
  const to = join(folder.path, "new.parquet");
  await writeFile(from, section);
  const duckdb = await (await DuckDBInstance.create()).connect();
  const samples: number[] = [];
  for (let round = 0; round < 5; round++) {
    const beganMs = performance.now();
    await duckdb.run(`COPY (FROM '${from}') TO '${to}' (FORMAT parquet, COMPRESSION zstd)`);
    samples.push(section.length / 1000 / (performance.now() - beganMs));
  }
  return median(samples);
}
