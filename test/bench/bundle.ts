/**
 * What is deployed: the worker's size as the platform counts it (gzip; 10 MB at most), because every fresh isolate
 * loads it; what weighs in it; and how long it takes to start (the platform gives a worker one second).
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { bundledWorker } from "../support/bundle.ts";
import { call } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { type BenchOptions, type BenchRow, timeInTurns } from "./bench-row.ts";

const run = promisify(execFile);

/** Throws when the bundle is larger than it has any reason to be. */
const MOST_GZIP_BYTES = 500_000;
const START_ROUNDS = 7;

/** Why each part is in the worker. The rest of our own rooms is what answers `/api`. */
const PARTS: readonly [part: string, why: string][] = [
  ["node_modules/zod", "checks what comes in from outside"],
  ["node_modules/hono", "routes, and renders the pages"],
  ["node_modules/uplot", "draws the console's prices; sent to browsers, never run here"],
  ["node_modules/hyparquet", "reads what the fast reader refuses"],
  ["node_modules/hyparquet-writer", "writes the footer of a Parquet answer with chosen fields"],
  ["node_modules/fzstd", "stands in where the runtime has no ZSTD"],
  ["src/console", "the key holder's pages, their scripts and styles"],
  ["src/docs", "the manual and the OpenAPI document"],
  ["src/admin", "the operator's API"],
  ["src/shares", "the drive"],
];
const OURS = "our own rooms behind /api";

/** Size, weights and start of the worker that `wrangler deploy` would upload. */
export async function benchBundle({ rounds }: BenchOptions): Promise<BenchRow[]> {
  const { source } = await bundledWorker();
  const gzipBytes = gzipSync(source).length;
  if (gzipBytes > MOST_GZIP_BYTES) throw new Error(`the worker takes ${gzipBytes} bytes, gzipped`);
  return [
    { name: "worker bundle, gzip", value: gzipBytes / 1024, unit: "KiB" },
    { name: "worker bundle, unzipped, not minified", value: source.length / 1024, unit: "KiB" },
    ...(await weights()),
    ...(await starts(source, Math.min(rounds, START_ROUNDS))),
    { name: "first answer of a fresh runtime", value: await firstAnswerMs(), unit: "ms" },
  ];
}

/** The share of each part of the unzipped bundle, heaviest first, as the bundler counts it. */
async function weights(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-bundle-"));
  try {
    const metafile = join(folder, "meta.json");
    const wrangler = "node_modules/wrangler/bin/wrangler.js";
    await run(
      process.execPath,
      [wrangler, "deploy", "--dry-run", "--outdir", folder, "--metafile", metafile],
      {
        env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "true" },
      },
    );
    const meta = JSON.parse(await readFile(metafile, "utf8")) as Metafile;
    const inputs = Object.values(meta.outputs).flatMap((output) => Object.entries(output.inputs));
    const sums = new Map<string, number>();
    for (const [path, { bytesInOutput }] of inputs) {
      const found = PARTS.find(([part]) => path.includes(`${part}/`));
      const name = found === undefined ? OURS : `${found[0].replace("node_modules/", "")}: ${found[1]}`;
      sums.set(name, (sums.get(name) ?? 0) + bytesInOutput);
    }
    const total = [...sums.values()].reduce((sum, bytes) => sum + bytes, 0);
    const heaviest = [...sums].sort(([, a], [, b]) => b - a);
    return heaviest.map(([name, bytes]) => ({
      name: `of it ${name}`,
      value: (100 * bytes) / total,
      unit: "%",
    }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What of esbuild's metafile is read here. */
interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/** The runtime's start with our worker, against its start with one that has nothing to load. */
async function starts(source: string, rounds: number): Promise<BenchRow[]> {
  const nothing = "export default { fetch: () => new Response() };";
  const times = await timeInTurns(
    new Map([
      ["nothing", () => startRuntime(nothing)],
      ["ours", () => startRuntime(source)],
    ]),
    rounds,
  );
  const value = times.get("ours") ?? Number.NaN;
  const rival = times.get("nothing") ?? Number.NaN;
  const against = "a worker that holds nothing";
  return [
    { name: "start of the runtime with the worker", value, unit: "ms", ratio: value / rival, against },
    { name: "of it the worker: compiled, modules run once", value: value - rival, unit: "ms" },
  ];
}

async function startRuntime(contents: string): Promise<void> {
  const { compatibilityDate, compatibilityFlags } = await bundledWorker();
  const mf = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      telemetry: { enabled: false },
      modules: [{ type: "ESModule", path: "worker.js", contents }],
      compatibilityDate,
      compatibilityFlags,
    }),
  );
  await mf.ready;
  await mf.dispose();
}

async function firstAnswerMs(): Promise<number> {
  await using service = await startService();
  const startedMs = performance.now();
  await call(service.baseUrl, { method: "GET" });
  return performance.now() - startedMs;
}
