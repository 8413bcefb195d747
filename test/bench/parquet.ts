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
import { type BenchRow, figure, timeInterleaved } from "./bench-row.ts";

const TRADEDATE = "20260311";
const SYMBOL = "300750";
/** On a real day the largest securities have about 370,000 rows. */
const ROWS = 400_000;
/** The rounds of each task, of which the first three warm it up. */
const [ROUNDS, WARM_UPS] = [21, 3];
/** A task that has taken longer than this in total is not repeated. */
const BUDGET_MS = 10_000;
const FEW_FIELDS = "time,price,volume";

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
    sizes.set(fields, bytes.length);
  };
  const sizes = new Map<string | undefined, number>();
  const range = `key=orders/2026/${TRADEDATE}/1.parquet&offset=${entry.offset}&length=${entry.length}`;
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-bench-"));
  const section = join(folder.path, "section.parquet");
  await writeFile(section, bytes.subarray(entry.offset, entry.offset + entry.length));
  const duckdb = await (await DuckDBInstance.create()).connect();
  const rewrite = `COPY (FROM '${section}') TO '${section}.new' (FORMAT parquet, COMPRESSION zstd)`;
  const tasks = new Map<string, () => Promise<unknown>>([
    ["copied", () => call(`${service.baseUrl}/bare?${range}`, { method: "GET" })],
    ["whole", answer()],
    ["chosen", answer(FEW_FIELDS)],
    ["rewritten", () => duckdb.run(rewrite)],
  ]);
  const memoryBefore = runtime?.memoryBytes() ?? 0;
  for (let round = 0; round < WARM_UPS; round++) for (const warmUp of tasks.values()) await warmUp();
  const times = await timeInterleaved(tasks, ROUNDS - WARM_UPS, BUDGET_MS);
  const memory = (runtime?.memoryBytes() ?? 0) - memoryBefore;
  const cpuBefore = runtime?.cpuMs() ?? 0;
  for (let n = 0; n < ROUNDS; n++) await answer()();
  const cpuMs = ((runtime?.cpuMs() ?? 0) - cpuBefore) / ROUNDS;
  duckdb.closeSync();

  const speed = (name: string, size = entry.length) => size / 1000 / (times.get(name) ?? Number.NaN);
  const [copied, whole] = [speed("copied"), speed("whole", sizes.get(undefined))];
  const copy = [copied, "a blind copy"] as const;
  return [
    figure(`a blind copy of ${(entry.length / 1e6).toFixed(1)} MB out of R2, over HTTP`, copied, "MB/s"),
    figure(`Parquet answer of ${ROWS.toLocaleString("en")} rows`, whole, "MB/s", copy),
    figure("Parquet answer with three fields", speed("chosen", sizes.get(FEW_FIELDS)), "MB/s", copy),
    figure("Parquet answer", whole, "MB/s", [speed("rewritten"), "DuckDB, decoded and written again"]),
    figure("processor time of one, stores' simulators included", cpuMs, "ms"),
    figure(`memory of the runtime after ${3 * ROUNDS} more of them`, memory / 2 ** 20, "MiB"),
  ];
}
