/** `gate-worker.ts` bundled and served under workerd, reached over HTTP on 127.0.0.1 at a free port. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { BodyEnd } from "../../src/gate/hold-body.ts";
import type { GateState } from "../../src/gate/protocol.ts";
import { type OpenAnswer, openAnswer } from "./slow-client.ts";

export interface TakeOptions {
  account: string;
  /** The ending, one of `gate-worker.ts`. */
  how?: string;
  id?: string;
  bytes?: number;
  bound?: number;
}

export interface GateService {
  /** Takes the slot; the answer is read when the test says so. */
  open(options: TakeOptions): Promise<OpenAnswer>;
  state(account: string): Promise<GateState>;
  /** How the request `id` ended by the worker's own account, or `null` while it runs. */
  end(id: string): Promise<(Omit<BodyEnd, "error"> & { error: string | null }) | null>;
  restart(account: string): Promise<void>;
  /** `rounds` times on each of `objects` objects at once: take and free a slot, or write a bare row twice. */
  rounds(what: "slot" | "writes", objects: number, rounds: number): Promise<void>;
}

/** Starts it; declare it with `await using`. */
export async function startGateService(): Promise<GateService & AsyncDisposable> {
  const mf = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      modules: [{ type: "ESModule", path: "worker.js", contents: await bundle() }],
      compatibilityDate: "2026-11-01",
      compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
      durableObjects: { GATE: { className: "Gate", useSQLite: true } },
      bindings: {
        CURSOR_SECRET: "gate-test-".repeat(4),
        SHARE_SECRET: "gate-test-".repeat(4),
        ADMIN_TOKEN: "gate-test-".repeat(4),
      },
      // A broken body is reported on the console as an uncaught exception; here it is what is tested.
      handleStructuredLogs: () => undefined,
    }),
  );
  const { origin } = await mf.ready;
  const ask = async (path: string) => (await fetch(origin + path, { method: "POST" })).text();
  return {
    open: (options) => {
      const query = Object.entries(options).map(([name, value]) => [name, String(value)]);
      return openAnswer(`${origin}/take?${new URLSearchParams(query)}`);
    },
    state: async (account) => JSON.parse(await ask(`/state?account=${account}`)),
    end: async (id) => JSON.parse(await ask(`/end?id=${id}`)),
    restart: async (account) => void (await ask(`/restart?account=${account}`)),
    rounds: async (what, objects, rounds) => {
      const said = await ask(`/rounds?what=${what}&objects=${objects}&rounds=${rounds}`);
      if (said !== "done") throw new Error(said);
    },
    [Symbol.asyncDispose]: () => mf.dispose(),
  };
}

async function bundle(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-gate-"));
  const wrangler = join("node_modules", "wrangler", "bin", "wrangler.js");
  const worker = join("test", "support", "gate-worker.ts");
  try {
    await promisify(execFile)(
      process.execPath,
      [wrangler, "deploy", worker, "--dry-run", "--outdir", folder],
      {
        env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "true" },
      },
    );
    return await readFile(join(folder, "gate-worker.js"), "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
