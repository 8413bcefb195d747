/**
 * Bundles the worker as `wrangler deploy` does, with the bindings of `wrangler.toml`, once per test run. The HTTP tests
 * therefore run against the bundle that is deployed, not the sources.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const SERVICE_ENTRY = "src/worker.ts";

/**
 * The environment variables that `setup` sets for the test processes: the bundle's folder, or the error of the build.
 */
const FOLDER_VARIABLE = "EDGETAPE_TEST_BUNDLE";
const FAILURE_VARIABLE = "EDGETAPE_TEST_BUNDLE_FAILURE";

/** The part of `wrangler.toml` that a local start needs. */
interface Deployment {
  compatibilityDate: string;
  compatibilityFlags: string[];
  /** Names of the bindings. */
  databases: string[];
  buckets: string[];
  /** The class of each Durable Object, by binding. */
  objects: Record<string, string>;
}

export interface WorkerBundle extends Deployment {
  /** The bundle's only module. */
  source: string;
}

/** The properties of wrangler's configuration object that are used here. */
interface WranglerConfig {
  compatibility_date: string;
  compatibility_flags: string[];
  d1_databases: { binding: string }[];
  r2_buckets: { binding: string }[];
  durable_objects: { bindings: { name: string; class_name: string }[] };
}

/**
 * Bundles the worker `entry` of `checkout` into a new folder, as `worker.js` with `deployment.json`. Returns the
 * folder.
 */
async function bundle(entry: string, checkout = "."): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-bundle-"));
  const wrangler = resolve("node_modules", "wrangler", "bin", "wrangler.js");
  await run(process.execPath, [wrangler, "deploy", entry, "--dry-run", "--outdir", folder], {
    cwd: checkout,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "true" },
  });
  const module = basename(entry).replace(/\.ts$/, ".js");
  if (module !== "worker.js") await rename(join(folder, module), join(folder, "worker.js"));
  await writeFile(join(folder, "deployment.json"), JSON.stringify(await readDeployment(checkout)));
  return folder;
}

async function readDeployment(checkout: string): Promise<Deployment> {
  // Imported on demand, because wrangler needs a second to load and test processes do not need it.
  const wrangler = await import("wrangler");
  const config = wrangler.unstable_readConfig({ config: join(checkout, "wrangler.toml") }) as WranglerConfig;
  return {
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    databases: config.d1_databases.map((each) => each.binding),
    buckets: config.r2_buckets.map((each) => each.binding),
    objects: Object.fromEntries(config.durable_objects.bindings.map((each) => [each.name, each.class_name])),
  };
}

/**
 * Runs as Vitest's global setup of the HTTP tests. A worker that does not compile fails only the tests that start it,
 * with the compiler's message. Returns the teardown that removes the bundle.
 */
export default async function setup(): Promise<() => Promise<void>> {
  try {
    process.env[FOLDER_VARIABLE] = await bundle(SERVICE_ENTRY);
  } catch (failure) {
    process.env[FAILURE_VARIABLE] = String(failure);
  }
  return async () => {
    const folder = process.env[FOLDER_VARIABLE];
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
}

const unshared = new Map<string, Promise<WorkerBundle>>();

/**
 * Returns the bundled worker: the service or another `entry` that wraps it. The global setup has bundled the service;
 * any other entry (and the service in bench and scripts) is bundled here once for each process.
 */
export function bundledWorker(entry = SERVICE_ENTRY): Promise<WorkerBundle> {
  const failure = process.env[FAILURE_VARIABLE];
  if (failure !== undefined) throw new Error(`the worker could not be bundled: ${failure}`);
  const shared = process.env[FOLDER_VARIABLE];
  if (shared !== undefined && entry === SERVICE_ENTRY) return load(shared);
  const alone = unshared.get(entry) ?? bundleAndLoad(entry);
  unshared.set(entry, alone);
  return alone;
}

/** Bundles the service of another checkout with the `node_modules` of this checkout. */
export function bundledFrom(checkout: string): Promise<WorkerBundle> {
  return bundleAndLoad(SERVICE_ENTRY, checkout);
}

async function bundleAndLoad(entry: string, checkout?: string): Promise<WorkerBundle> {
  const folder = await bundle(entry, checkout);
  try {
    return await load(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function load(folder: string): Promise<WorkerBundle> {
  const deployment = JSON.parse(await readFile(join(folder, "deployment.json"), "utf8")) as Deployment;
  return { ...deployment, source: await readFile(join(folder, "worker.js"), "utf8") };
}
