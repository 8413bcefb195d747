/**
 * Runs the tests of a tier: `npm test` and `npm run test:long`, with arguments for vitest after `--`. The test files
 * inside workerd share one runtime, so they run one after the other. A separate process runs them, concurrently with
 * the other tests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";

const ARGS = ["vitest", "run", "--config", "test/vitest.config.ts", "--root", ".", "--passWithNoTests"];

/**
 * A folder in memory, where the tests' databases are written faster. It is used only if it has `MEMORY_BYTES` of space.
 */
const MEMORY_FOLDER = "/dev/shm";
const MEMORY_BYTES = 4e9;

/** Returns a new folder in memory for temporary files; undefined where there is no memory for it, or `TMPDIR` is set. */
function folderInMemory(): string | undefined {
  if (process.env.TMPDIR !== undefined) return undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    if (Math.min(bavail * bsize, freemem()) < MEMORY_BYTES) return undefined;
    return mkdtempSync(`${MEMORY_FOLDER}/edgetape-tests-`);
  } catch {
    return undefined;
  }
}

const children = new Set<ChildProcess>();

/** Runs the tests of `projects`. Returns the status and, if `stdio` is "pipe", the output. */
async function run(projects: string[], stdio: "inherit" | "pipe"): Promise<[status: number, output: Buffer]> {
  const chosen = projects.flatMap((name) => ["--project", name]);
  const child = spawn("npx", [...ARGS, ...chosen, ...process.argv.slice(2)], { stdio });
  children.add(child);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (bytes: Buffer) => output.push(bytes));
  const [status] = (await once(child, "close")) as [number | null];
  return [status ?? 1, Buffer.concat(output)];
}

async function runAll(): Promise<number> {
  // The output of a failed worker run is printed last, because readers look at the end of a long log.
  const inWorkerd = run(["worker"], "pipe").then(([status, output]) => {
    if (status === 0) process.stdout.write(output);
    return { status, rest: status === 0 ? "" : output };
  });
  const [status] = await run(["node", "service"], "inherit");
  const { status: workerStatus, rest } = await inWorkerd;
  process.stdout.write(rest);
  return Math.max(status, workerStatus);
}

// A signal ends the tests, and then the folder is removed as after any other run.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
}
const folder = folderInMemory();
if (folder !== undefined) process.env.TMPDIR = folder;
try {
  process.exitCode = await runAll();
} finally {
  // A process of a killed test may still write.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
