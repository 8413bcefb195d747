/**
 * The worker as `wrangler deploy` would upload it, built once for a whole test run: what the HTTP tests
 * talk to is the deployed bundle, not the sources.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Set by `setup` for the test processes: the bundle's path, or why there is none. */
const PATH_VARIABLE = "EDGETAPE_TEST_BUNDLE";
const FAILURE_VARIABLE = "EDGETAPE_TEST_BUNDLE_FAILURE";

/** Bundles `wrangler.toml`'s worker, or another `entry`, into `folder` and returns the path of the one module. */
async function bundleInto(folder: string, entry = "src/worker.ts"): Promise<string> {
  const wrangler = join("node_modules", "wrangler", "bin", "wrangler.js");
  await run(process.execPath, [wrangler, "deploy", entry, "--dry-run", "--outdir", folder], {
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "true" },
  });
  return join(folder, basename(entry).replace(/\.ts$/, ".js"));
}

/**
 * Vitest's global setup of the HTTP tests. A worker that does not compile fails only the tests that
 * start it, with the compiler's words. Returns the teardown that removes the bundle.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-bundle-"));
  try {
    process.env[PATH_VARIABLE] = await bundleInto(folder);
  } catch (failure) {
    process.env[FAILURE_VARIABLE] = String(failure);
  }
  return () => rm(folder, { recursive: true, force: true });
}

let unshared: Promise<string> | undefined;

/** The source text of another worker around the service, bundled for the caller alone. */
export async function otherWorkerSource(entry: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-bundle-"));
  try {
    return await readFile(await bundleInto(folder, entry), "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The bundled worker's source text; bundles by itself when no global setup did (bench, scripts). */
export async function workerSource(): Promise<string> {
  const failure = process.env[FAILURE_VARIABLE];
  if (failure !== undefined) throw new Error(`the worker could not be bundled: ${failure}`);
  const shared = process.env[PATH_VARIABLE];
  if (shared !== undefined) return readFile(shared, "utf8");
  unshared ??= mkdtemp(join(tmpdir(), "edgetape-bundle-")).then((folder) => bundleInto(folder));
  return readFile(await unshared, "utf8");
}
