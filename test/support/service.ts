/**
 * The whole service as a black box: the deployed bundle under workerd with real D1, R2, Durable Objects and the
 * rate-limit binding. Tests reach it over HTTP on 127.0.0.1 at a free port.
 */
import { rmSync } from "node:fs";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { applyMigrations, migrateFolder } from "../../src/cli/demo/migrations.ts";
import { bundledWorker, type WorkerBundle } from "./bundle.ts";
import { type Answer, call } from "./http-client.ts";
import { IssuedSecrets } from "./issued-secrets.ts";

/** Only answers below this size are searched for secrets, because answers that contain a secret are small. */
const MAX_SECRET_ANSWER_BYTES = 8_192;

export const TEST_CURSOR_SECRET = "test-cursor-secret-of-this-deployment-0001";

/** The default time of a test's clock: a Thursday morning in Beijing, far from midnight. */
export const DEFAULT_NOW = "2026-03-12T10:00:00+08:00";

export const ADMIN_TOKEN = "test-admin-token-of-the-first-operator";

export interface ServiceOptions {
  /**
   * Variables and secrets of the deployment, under the names in `src/env.ts`. They replace the defaults of the tests.
   */
  settings?: Record<string, string>;
  /** The time of the service's clock at its start (RFC 3339); the clock runs from there. */
  nowAt?: string;
  /** Requests that the rate-limit binding allows an account in 10 s; 500 when absent. */
  rateLimit?: number;
  /**
   * Folder for the state of D1, R2 and the objects. A second start with this folder continues with the state of the
   * first.
   */
  persistDir?: string;
  /** The migrations to apply, such as an earlier version's; null for none. By default, all that the state lacks. */
  migrations?: readonly string[] | null;
  /**
   * A worker to use as the entry instead of the service. It wraps the service and counts its store calls or lets them
   * fail.
   */
  entry?: string;
  /** The worker of another version, which runs instead of the service or `entry`. */
  worker?: WorkerBundle;
  /** The port on 127.0.0.1; a free port when absent. */
  port?: number;
}

export interface Service {
  baseUrl: string;
  adminToken: string;
  /** Returns the current time of the service's clock, in Unix milliseconds. */
  nowMs(): number;
  /** Sends `POST /api` with a body as JSON, or unchanged if it is text or bytes. */
  post(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Sends a request below `/admin` with the operator's token. Bytes are sent unchanged, anything else as JSON. */
  admin(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Every line the worker wrote to its log so far. */
  logs: string[];
  /** Every secret in the service's answers; none may be in the log when the service stops. */
  secrets: IssuedSecrets;
  mf: Miniflare;
  /** Throws when an issued secret is in a log line that was not checked before. */
  checkLog(): void;
  /** Stops the service; throws when an issued secret is in the log. */
  stop(): Promise<void>;
}

const shared = new Map<string, Promise<unknown>>();

/**
 * Returns the result of `make`, which is called once for each `name` in this worker process. The result lives as
 * long as the process.
 */
export function oncePerWorker<T>(name: string, make: () => Promise<T>): Promise<T> {
  const made = (shared.get(name) as Promise<T> | undefined) ?? make();
  shared.set(name, made);
  return made;
}

/** Starts the service; stop it in `afterAll`, or declare it with `await using`. */
export async function startService(options: ServiceOptions = {}): Promise<Service & AsyncDisposable> {
  const offsetMs = Date.parse(options.nowAt ?? DEFAULT_NOW) - Date.now();
  const logs: string[] = [];
  const worker = options.worker ?? (await bundledWorker(options.entry));
  const stateDir = options.persistDir ?? (await stateFolder());
  const isNew = options.migrations === undefined && (await isEmpty(stateDir));
  if (isNew) await cp(await newState(worker.databases), stateDir, { recursive: true });
  const mf = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: options.port ?? 0,
      cf: false,
      telemetry: { enabled: false },
      modules: [{ type: "ESModule", path: "worker.js", contents: worker.source }],
      compatibilityDate: worker.compatibilityDate,
      compatibilityFlags: worker.compatibilityFlags,
      d1Databases: worker.databases,
      r2Buckets: worker.buckets,
      durableObjects: Object.fromEntries(
        Object.entries(worker.objects).map(([name, className]) => [name, { className, useSQLite: true }]),
      ),
      ratelimits: { RATE: { namespace_id: "1001", simple: { limit: options.rateLimit ?? 500, period: 10 } } },
      bindings: {
        ENVIRONMENT: "test",
        CURSOR_SECRET: TEST_CURSOR_SECRET,
        SHARE_SECRET: "1:test-share-secret-of-this-deployment-0001",
        BACKUP_SECRET: "1:test-backup-secret-of-this-deployment-001",
        ADMIN_TOKEN,
        RATE_LIMIT: "off",
        // An operator's action is visible immediately; the cache of days has separate tests.
        DAY_CACHE_MS: "0",
        CLOCK_OFFSET_MS: String(offsetMs),
        ...options.settings,
      },
      handleStructuredLogs: (line) => logs.push(line.message),
      resourcePersistencePath: stateDir,
    }),
  );
  const baseUrl = (await mf.ready).origin;
  if (!isNew && options.migrations !== null) {
    await applyMigrations(await mf.getD1Database("DB"), options.migrations);
  }
  const secrets = new IssuedSecrets();
  const heard = async (asked: Promise<Answer>) => {
    const answer = await asked;
    if (answer.bytes.length < MAX_SECRET_ANSWER_BYTES) secrets.hear(answer.text);
    return answer;
  };
  let checkedLines = 0;
  const checkLog = () => {
    const leaked = secrets.in(logs.slice(checkedLines).join("\n"));
    checkedLines = logs.length;
    if (leaked.length > 0) throw new Error(`secrets in the log: ${leaked.join(", ")}`);
  };
  const stop = async () => {
    await mf.dispose();
    if (options.persistDir === undefined) await rm(stateDir, { recursive: true, force: true });
    checkLog();
  };
  return {
    baseUrl,
    adminToken: ADMIN_TOKEN,
    nowMs: () => Date.now() + offsetMs,
    post: (body, headers = {}) =>
      heard(call(`${baseUrl}/api`, { body, headers: { "content-type": "application/json", ...headers } })),
    admin: (method, path, body, headers = {}) =>
      heard(
        call(`${baseUrl}${path}`, {
          method,
          body,
          headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
        }),
      ),
    logs,
    secrets,
    mf,
    checkLog,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/**
 * The folders of this process, removed when it exits. A service that tests share runs until then, so it cannot remove
 * its folder itself.
 */
const folders: string[] = [];
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Returns a new folder for a service's state, which is removed at the end of the process. */
export async function stateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-state-"));
  folders.push(folder);
  return folder;
}

/**
 * Returns the folder with the state of a new deployment: an empty catalog with all migrations. It is made once for each
 * process, because the migrations take longer than the start of a service.
 */
function newState(databases: string[]): Promise<string> {
  return oncePerWorker("new state", async () => {
    const folder = await stateFolder();
    await migrateFolder(databases, folder);
    return folder;
  });
}

/** Returns whether `folder` has no content; a folder that does not exist has none. */
async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length === 0;
}

/**
 * Starts a service whose clock continues the clock of `origin`. Otherwise the clock would start at an earlier instant
 * than the clock of `origin` now shows. Restored rows could then lie in the service's future, and it would not show
 * them yet.
 */
export function startAfter(
  origin: Service,
  options: ServiceOptions = {},
): Promise<Service & AsyncDisposable> {
  return startService({ ...options, nowAt: new Date(origin.nowMs()).toISOString() });
}
