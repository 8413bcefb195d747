/**
 * Measures inside workerd how long a page of 10,000 rows and ten fields takes from stored bytes to JSON bytes, compared
 * with `JSON.stringify` of the same rows. The measured pages are: one aligned with a block, one that spans two blocks,
 * the first and the last page of a day, and the first page of a fresh isolate. The section is in memory, so R2's time
 * is not included.
 *
 * Figures are processor time of the whole runtime, over all rounds, minus the time of as many empty requests. The time
 * that a page waits on a busy machine is therefore not included. Only the pages of fresh isolates are measured by the
 * clock, each separately.
 */
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { bundledWorker } from "../support/bundle.ts";
import { newestRuntime } from "../support/runtime-process.ts";
import { type BenchOptions, type BenchRow, figure, median } from "./bench-row.ts";
import type { BenchDay } from "./days.ts";
import type { Task } from "./page-worker.ts";
import { edgetape } from "./rivals/edgetape.ts";

const TIMES_PER_REQUEST = 20;
/** Requests of each task before it is measured, so that the code is optimised first. */
const WARM_UP_REQUESTS = 10;
const FRESH_ISOLATES = 7;
/** The most rounds for a dataset other than orders; a page of quotes has five times as many fields as one of orders. */
const OTHER_ROUNDS = 10;

const STRINGIFY = "JSON.stringify of ready rows";

/** Returns the time of a page and its size on the wire, and the times of pages of the other datasets. */
export async function benchPage({ days, otherDays, rounds }: BenchOptions): Promise<BenchRow[]> {
  const [day] = await days.all();
  if (day === undefined) throw new Error("there is no day to measure");
  const rows = [...(await pageRows(day, rounds)), await freshRow(day), ...(await wireRows(day))];
  for (const other of otherDays) {
    const [first] = await other.all();
    if (first === undefined) continue;
    const own = await pageRows(first, Math.min(rounds, OTHER_ROUNDS));
    rows.push(...own.map((row) => ({ ...row, table: `page of ${first.dataset}` })));
  }
  return rows;
}

async function pageRows(day: BenchDay, rounds: number): Promise<BenchRow[]> {
  const cost = await costs(day, rounds);
  const beside = (name: string, task: Task) => figure(name, cost[task], "ms", [cost.stringify, STRINGIFY]);
  const pages = [cost.first, cost.aligned, cost.last];
  const rows = Math.min(10_000, day.entry.rows).toLocaleString("en");
  return [
    figure(`${STRINGIFY} (${rows} rows, ${day.columns.length} fields)`, cost.stringify, "ms"),
    beside("page, aligned", "aligned"),
    ...(day.entry.blocks.length > 2 ? [beside("page, unaligned", "unaligned")] : []),
    beside("of an aligned page: decoding", "decode"),
    beside("of an aligned page: writing JSON", "write"),
    beside(`page 1 of ${day.entry.rows.toLocaleString("en")} rows`, "first"),
    beside("last full page of them", "last"),
    figure("dearest of first, middle and last page", Math.max(...pages), "ms", [
      Math.min(...pages),
      "the cheapest",
    ]),
  ];
}

/** Returns the processor time of one run of each task, in milliseconds. */
async function costs(day: BenchDay, rounds: number): Promise<Record<Task, number>> {
  await using isolate = await startIsolate(day);
  const runtime = newestRuntime();
  // Where processor time is not available, the clock is used.
  const nowMs = runtime === null ? () => performance.now() : runtime.cpuMs;
  const tasks: Task[] = ["nothing", "stringify", "aligned", "unaligned", "first", "last", "decode", "write"];
  const spent = Object.fromEntries(tasks.map((task) => [task, 0])) as Record<Task, number>;
  for (let round = -WARM_UP_REQUESTS; round < rounds; round++) {
    for (const task of tasks) {
      const beganMs = nowMs();
      await isolate.run(task, TIMES_PER_REQUEST);
      if (round >= 0) spent[task] += nowMs() - beganMs;
    }
  }
  for (const task of tasks.slice(1)) {
    spent[task] = (spent[task] - spent.nothing) / (rounds * TIMES_PER_REQUEST);
  }
  return spent;
}

/**
 * Returns the median time of an isolate's first page, compared with a warm page. The time of an empty request is
 * subtracted from both.
 */
async function freshRow(day: BenchDay): Promise<BenchRow> {
  const first: number[] = [];
  const warm: number[] = [];
  for (let number = 0; number < FRESH_ISOLATES; number++) {
    await using isolate = await startIsolate(day);
    const timed = async (task: Task) => {
      const beganMs = performance.now();
      await isolate.run(task, 1);
      return performance.now() - beganMs;
    };
    const several = async (task: Task) => {
      const samples: number[] = [];
      for (let time = 0; time < 9; time++) samples.push(await timed(task));
      return median(samples);
    };
    const emptyMs = await several("nothing");
    first.push((await timed("aligned")) - emptyMs);
    await isolate.run("aligned", 20 * TIMES_PER_REQUEST);
    warm.push((await several("aligned")) - (await several("nothing")));
  }
  return figure("first page of a fresh isolate", median(first), "ms", [median(warm), "a warm one there"]);
}

/** Starts a new runtime with the worker and the day's section. */
async function startIsolate({ pack, entry, dataset }: BenchDay) {
  const { source, compatibilityDate, compatibilityFlags } = await bundledWorker("test/bench/page-worker.ts");
  const mf = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      modules: [{ type: "ESModule", path: "worker.js", contents: source }],
      compatibilityDate,
      compatibilityFlags,
    }),
  );
  const { origin } = await mf.ready;
  const section = await pack.read(entry.offset, entry.length);
  const query = new URLSearchParams({
    entry: JSON.stringify(entry),
    tradedate: pack.index.tradedate,
    dataset,
  });
  await answered(fetch(`${origin}/section?${query}`, { method: "POST", body: section }));
  return {
    run: (task: Task, times: number) => answered(fetch(`${origin}/run?task=${task}&times=${times}`)),
    [Symbol.asyncDispose]: () => mf.dispose(),
  };
}

async function answered(asked: Promise<Response>): Promise<void> {
  const answer = await asked;
  const text = await answer.text();
  if (!answer.ok) throw new Error(`HTTP ${answer.status}: ${text}`);
}

/**
 * Returns the sizes of a page in the middle of the day on the wire, after an edge has compressed it for a client that
 * accepts compression. The levels (gzip 8, Brotli 4, ZSTD 3) are usual for dynamic answers; the platform's
 * documentation does not state its levels. Compression costs the worker nothing, because the edge does it after the
 * worker.
 */
async function wireRows(day: BenchDay): Promise<BenchRow[]> {
  const { t0: time, k0: skip } = day.entry.blocks[Math.floor(day.entry.blocks.length / 2)] ?? {
    t0: 0,
    k0: 0,
  };
  const page = await edgetape({ day }).rows({ from: { time, skip }, endTime: null, limit: 10_000 });
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
  const zstd = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
  const row = (name: string, { length }: Uint8Array) =>
    figure(name, length, "bytes", [page.length, "the page as the worker sends it"]);
  return [
    figure("page of 10,000 rows as the worker sends it", page.length, "bytes"),
    row("to a client that accepts gzip", gzipSync(page, { level: 8 })),
    row("Brotli", brotliCompressSync(page, brotli)),
    row("ZSTD (a rule of the zone)", zstdCompressSync(page, zstd)),
  ];
}
