/**
 * The whole service as a black box: the deployed bundle under workerd with real D1, R2, Durable Objects
 * and the rate-limit binding, reached over HTTP on 127.0.0.1 at a free port.
 */
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { applyMigrations } from "../../src/cli/demo/migrations.ts";
import { bundledWorker, type WorkerBundle } from "./bundle.ts";
import { type Answer, call } from "./http-client.ts";
import { IssuedSecrets } from "./issued-secrets.ts";

/** Answers that hold a secret are small; pages of records are not looked through. */
const MAX_SECRET_ANSWER_BYTES = 8_192;

export const TEST_CURSOR_SECRET = "test-cursor-secret-of-this-deployment-0001";

/** Where a test's clock stands unless it says otherwise: a Thursday morning in Beijing, far from midnight. */
export const DEFAULT_NOW = "2026-03-12T10:00:00+08:00";

export const ADMIN_TOKEN = "test-admin-token-of-the-first-operator";

export interface ServiceOptions {
  /** Variables and secrets of the deployment by the names of `src/env.ts`, over the tests' own. */
  settings?: Record<string, string>;
  /** RFC 3339 instant at which the service's clock stands when it starts; it runs on from there. */
  nowAt?: string;
  /** Requests per 10 s and account of the rate-limit binding; 500 when absent. */
  rateLimit?: number;
  /** Folder for D1, R2 and the objects; a second start on it finds the first one's state. */
  persistDir?: string;
  /** Only these migrations are applied, as an earlier version did; all that the state lacks when absent. */
  migrations?: readonly string[];
  /** Another entry than the service's own: a worker that wraps it, for counting or failing its stores. */
  entry?: string;
  /** The worker of another version, in the place of `entry`. */
  worker?: WorkerBundle;
  /** Where it listens on 127.0.0.1; a free port when absent. */
  port?: number;
}

export interface Service {
  baseUrl: string;
  adminToken: string;
  /** The instant (Unix milliseconds) of the service's clock now. */
  nowMs(): number;
  /** `POST /api` with a body as JSON, or as it is when text or bytes. */
  post(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** A request below `/admin` with the operator's token; bytes go as they are, anything else as JSON. */
  admin(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Every line the worker wrote to its log so far. */
  logs: string[];
  /** Every secret its answers handed out; none may stand in the log when it stops. */
  secrets: IssuedSecrets;
  mf: Miniflare;
  /** Throws when a secret it issued stands in a line of its log that was not looked at before. */
  checkLog(): void;
  /** Stops it; throws when a secret it issued stands in its log. */
  stop(): Promise<void>;
}

const shared = new Map<string, Promise<unknown>>();

/** What `make` gave to the first file of this worker process that asked for `name`; it ends with the process. */
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
        // An operator's act is seen at once; what is kept of a day has tests of its own.
        DAY_CACHE_MS: "0",
        CLOCK_OFFSET_MS: String(offsetMs),
        ...options.settings,
      },
      handleStructuredLogs: (line) => logs.push(line.message),
      ...(options.persistDir === undefined ? {} : { resourcePersistencePath: options.persistDir }),
    }),
  );
  const baseUrl = (await mf.ready).origin;
  await applyMigrations(await mf.getD1Database("DB"), options.migrations);
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
