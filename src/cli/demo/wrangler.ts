/** Runs the dev server locally, without network, login or questions. */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CommandFailure } from "../exit.ts";

const KEEPER = join(import.meta.dirname, "keeper.ts");
const CHECKOUT = join(import.meta.dirname, "../../..");
const WRANGLER = join(CHECKOUT, "node_modules/wrangler/bin/wrangler.js");

/** The number of characters of the server's latest output that are kept to explain a failure. */
const KEPT_CHARACTERS = 4_000;
/** The start has failed when `/health` has not answered after this long. */
const READY_WITHIN_MS = 120_000;
/** The server is killed when it has not stopped after this time, which is longer than `GRACE_MS` of the keeper. */
const STOP_WITHIN_MS = 6_000;

/** Throws `CommandFailure` unless `port` on 127.0.0.1 is free. */
export async function refuseTakenPort(port: number): Promise<void> {
  const probe = createServer();
  const code = await new Promise<string | undefined>((settle) => {
    probe.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
    probe.listen(port, "127.0.0.1", () => settle(undefined));
  });
  if (code === undefined) {
    await new Promise((settle) => probe.close(settle));
    return;
  }
  throw code === "EADDRINUSE"
    ? portTaken(port)
    : new CommandFailure(`Port ${port} cannot be used (${code}).`);
}

function portTaken(port: number): CommandFailure {
  return new CommandFailure(`Port ${port} is in use; give another one: npm start -- --port ${port + 1}`);
}

/** A running dev server. */
export type DevServer = ReturnType<typeof startDevServer>;

/**
 * Starts `wrangler dev` on 127.0.0.1. `secretsFile` has the secrets as `NAME="value"` lines. Call `waitUntilReady` before
 * using the server.
 */
export function startDevServer({
  port,
  stateDir,
  secretsFile,
  logFile,
}: {
  port: number;
  stateDir: string;
  secretsFile: string;
  logFile: string;
}) {
  const args = ["dev", "--local", "--ip", "127.0.0.1", "--port", String(port)];
  args.push("--persist-to", stateDir, "--env-file", secretsFile, "--show-interactive-dev-session=false");
  const child = spawn(process.execPath, [KEEPER, process.execPath, WRANGLER, ...args], {
    cwd: CHECKOUT,
    env: {
      ...process.env,
      CI: "1",
      NO_COLOR: "1",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_SEND_ERROR_REPORTS: "false",
      WRANGLER_WRITE_LOGS: "false",
      // The banner would look for a newer version on the network.
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_REGISTRY_PATH: join(stateDir, "dev-registry"),
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
    },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const log = createWriteStream(logFile, { flags: "w", mode: 0o600 });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(log, { end: false });
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-KEPT_CHARACTERS);
    });
  }
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    /** Settles when the server has ended for any reason. */
    ended,
    /** Returns the server's last output. */
    output: () => output.trim(),
    /** Ends the server and its children; returns when all have ended. */
    async stop(): Promise<void> {
      child.stdin.destroy();
      const killed = setTimeout(() => killGroup(child.pid), STOP_WITHIN_MS);
      await ended;
      clearTimeout(killed);
      killGroup(child.pid);
    },
  };
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // The process group no longer exists, because all its processes have ended.
  }
}

/**
 * Waits until `/health` returns 200 and the service accepts `adminToken`. Throws `CommandFailure` with the server's
 * last output when the server ends or does not become ready. If another service has taken the port, the error advises
 * using a different port.
 */
export async function waitUntilReady(server: DevServer, adminToken: string): Promise<void> {
  let running = true;
  void server.ended.then(() => {
    running = false;
  });
  for (const deadline = Date.now() + READY_WITHIN_MS; Date.now() < deadline; await pause(150)) {
    if (!running) throw endedFailure(server, "The service did not start");
    if ((await statusOf(`${server.baseUrl}/health`)) !== 200) continue;
    const headers = { Authorization: `Bearer ${adminToken}` };
    const status = await statusOf(`${server.baseUrl}/admin/days/datasets`, headers);
    if (status === 200) return;
    // Another demo, which was started at the same moment, has taken the port. Its secrets differ.
    if (status === 401) throw portTaken(server.port);
  }
  throw new CommandFailure(`The service did not become healthy within 2 minutes:\n${server.output()}`);
}

/** Returns the error for a server that ended: its port is taken, or `problem` with the server's last output. */
export function endedFailure(server: DevServer, problem: string): CommandFailure {
  const output = server.output();
  if (/address already in use|EADDRINUSE/i.test(output)) return portTaken(server.port);
  return new CommandFailure(`${problem}:\n${output}`);
}

/** Returns the status of a GET, or null when nothing answers. */
async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number | null> {
  const answer = await fetch(url, { headers }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status ?? null;
}
