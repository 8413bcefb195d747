/**
 * Measures the deployed bundle: its size as the platform counts it (gzip, at most 10 MB), its largest parts, and its
 * start-up time (the platform allows one second). Every new isolate loads the bundle.
 */
import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { bundledWorker } from "../support/bundle.ts";
import { call } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { type BenchRow, figure, median } from "./bench-row.ts";

const run = promisify(execFile);

/** The bench fails for a larger bundle. */
const MOST_GZIP_BYTES = 500_000;
const START_ROUNDS = 3;

const WRANGLER = "node_modules/wrangler/bin/wrangler.js";
const QUIET = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" };

/** The parts of the bundle, each with the reason why it is included. All other modules count as `OURS`. */
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
const OURS = "our own modules behind /api";

/** Returns the size, the parts and the start-up time of the worker that `wrangler deploy` would upload. */
export async function benchBundle(): Promise<BenchRow[]> {
  const { source } = await bundledWorker();
  const gzipBytes = gzipSync(source).length;
  if (gzipBytes > MOST_GZIP_BYTES)
    throw new Error(`the gzipped worker has ${gzipBytes} bytes, more than ${MOST_GZIP_BYTES}`);
  return [
    figure("worker bundle, gzip", gzipBytes / 1024, "KiB"),
    figure("worker bundle, unzipped, not minified", source.length / 1024, "KiB"),
    ...(await weights()),
    ...(await starts()),
    figure("first answer of a fresh runtime", await firstAnswerMs(), "ms"),
  ];
}

/** Returns the share of the uncompressed bundle that each part takes, largest first, as the bundler counts it. */
async function weights(): Promise<BenchRow[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-bundle-"));
  const metafile = join(folder.path, "meta.json");
  await wrangler("deploy", "--dry-run", "--outdir", folder.path, "--metafile", metafile);
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
  return heaviest.map(([name, bytes]) => figure(`of it ${name}`, (100 * bytes) / total, "%"));
}

async function wrangler(...args: string[]): Promise<void> {
  await run(process.execPath, [WRANGLER, ...args], { env: { ...process.env, ...QUIET } });
}

/** The properties of esbuild's metafile that are read here. */
interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
}

/**
 * Returns the processor time that the start of an isolate takes, in milliseconds, measured by wrangler's start-up
 * check.
 */
async function starts(): Promise<BenchRow[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "edgetape-startup-"));
  const outfile = join(folder.path, "start.cpuprofile");
  const samples: StartTime[] = [];
  for (let round = 0; round < START_ROUNDS; round++) {
    await wrangler("check", "startup", "--outfile", outfile);
    samples.push(activeOf(JSON.parse(await readFile(outfile, "utf8")) as CpuProfile));
  }
  const of = (name: string, part: keyof StartTime) =>
    figure(name, median(samples.map((sample) => sample[part])), "ms");
  return [
    of("start of an isolate, processor", "active"),
    of("of it the warm-up of the first page", "warmUp"),
    of("of it garbage collection", "collecting"),
  ];
}

/** The properties of a profile in DevTools format that are read here; times are in microseconds. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

/** Times within the start of an isolate, in milliseconds. The time `warmUp` includes the functions that `warmUp()` calls. */
interface StartTime {
  active: number;
  warmUp: number;
  collecting: number;
}

function activeOf({ nodes, samples, timeDeltas }: CpuProfile): StartTime {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const inWarmUp = new Set<number>();
  const addTree = (id: number) => {
    inWarmUp.add(id);
    for (const child of byId.get(id)?.children ?? []) addTree(child);
  };
  for (const { id, callFrame } of nodes) if (callFrame.functionName === "warmUp") addTree(id);
  let [active, warmUp, collecting] = [0, 0, 0];
  samples.forEach((id, place) => {
    // The time from this sample to the next one is attributed to the function of this sample.
    const ms = (timeDeltas[place + 1] ?? 0) / 1_000;
    const name = byId.get(id)?.callFrame.functionName;
    if (name !== "(idle)" && name !== "(root)") active += ms;
    if (inWarmUp.has(id)) warmUp += ms;
    if (name === "(garbage collector)") collecting += ms;
  });
  return { active, warmUp, collecting };
}

async function firstAnswerMs(): Promise<number> {
  await using service = await startService();
  const startedMs = performance.now();
  await call(service.baseUrl, { method: "GET" });
  return performance.now() - startedMs;
}
