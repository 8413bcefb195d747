/**
 * `npm start`: the whole service on this machine with sample days and demo keys. Everything it needs is
 * in the checkout; nothing is fetched, nobody logs in, and Ctrl-C leaves nothing running.
 */
import { mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { beijingDate } from "../../calendar/beijing.ts";
import { AdminClient } from "../admin-client.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { prepareAccounts } from "./demo-accounts.ts";
import { loadDemoCalendar, publishSampleDay, sampleDates, servedDays } from "./demo-days.ts";
import { type Remembered, recall, remember, writeSecrets, writeWhole } from "./demo-state.ts";
import { lockState } from "./state-lock.ts";
import { welcome } from "./welcome.ts";
import { applyMigrations, type DevServer, startDevServer, waitUntilReady } from "./wrangler.ts";

const CHECKOUT = join(import.meta.dirname, "../../..");
/** Written last: whoever finds it finds a service that serves every day it names. */
const DEMO_FILE = join(CHECKOUT, ".edgetape/demo.json");
/** How often the demo looks whether the npm that started it is still there. */
const PARENT_CHECK_MS = 1_000;

interface StartOptions {
  port: number;
  state: string;
  fresh?: boolean;
}

function parseOptions(): StartOptions {
  return new Command("npm start --")
    .description("the service on this machine, with sample days and demo keys")
    .option("--port <port>", "where to listen on 127.0.0.1", portArgument, 8787)
    .option("--state <folder>", "database, packs and demo keys; kept between starts", ".wrangler/state")
    .option("--fresh", "forget the state and begin anew")
    .exitOverride()
    .parse()
    .opts<StartOptions>();
}

function portArgument(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new InvalidArgumentError("expected 1 to 65535.");
  return port;
}

async function start({ port, state, fresh }: StartOptions): Promise<void> {
  const stateDir = resolve(CHECKOUT, state);
  const unlock = lockState(stateDir);
  const stopped = untilStopped();
  let server: DevServer | undefined;
  try {
    if (fresh) forget(stateDir);
    rmSync(DEMO_FILE, { force: true });
    await refuseTakenPort(port);
    const remembered = recall(stateDir);
    say("Preparing the database");
    await applyMigrations(stateDir);
    say("Starting the service");
    const logFile = join(stateDir, "demo.log");
    const secretsFile = writeSecrets(stateDir, remembered);
    remember(stateDir, remembered);
    server = startDevServer({ port, stateDir, secretsFile, logFile });
    const preparing = prepare(server, stateDir, remembered).then((lines) =>
      say(`\n${lines}\n\nLog: ${logFile}`),
    );
    await Promise.race([preparing.then(() => stopped), stopped, diedOf(server, stopped)]);
  } finally {
    await server?.stop();
    rmSync(DEMO_FILE, { force: true });
    unlock();
  }
}

/** Fills the service and announces it; returns what to print. */
async function prepare(server: DevServer, stateDir: string, remembered: Remembered): Promise<string> {
  await waitUntilReady(server);
  const nowMs = Date.now();
  const today = beijingDate(nowMs);
  const client = new AdminClient({ baseUrl: server.baseUrl, token: remembered.adminToken });
  const { days: calendar, withoutHolidays } = await loadDemoCalendar(client, today);
  const days = sampleDates(calendar, today);
  const served = await servedDays(client, days);
  for (const day of days.filter((day) => !served.has(day))) {
    say(`Publishing the sample day ${day}`);
    await publishSampleDay(client, day, stateDir);
  }
  await prepareAccounts(client, remembered, nowMs);
  remember(stateDir, remembered);
  const keys = Object.fromEntries(Object.entries(remembered.keys).map(([name, { key }]) => [name, key]));
  const demo = { baseUrl: server.baseUrl, adminToken: remembered.adminToken, keys, days };
  mkdirSync(join(CHECKOUT, ".edgetape"), { recursive: true });
  writeWhole(DEMO_FILE, `${JSON.stringify(demo, null, 2)}\n`);
  return welcome(demo, withoutHolidays);
}

/** Settles on Ctrl-C, on a polite kill, and when the npm that started the demo is gone. */
function untilStopped(): Promise<void> {
  return new Promise((settle) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => settle());
    // A killed npm does not pass its end on. Started by hand, the demo may well outlive its shell.
    if (process.env.npm_lifecycle_event === undefined) return;
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && settle(), PARENT_CHECK_MS).unref();
  });
}

/** Rejects when the server ends without having been asked to. */
async function diedOf(server: DevServer, stopped: Promise<void>): Promise<void> {
  await server.ended;
  if ((await Promise.race([stopped.then(() => "stopped"), "died"])) === "stopped") return;
  throw new CommandFailure(`The service ended by itself:\n${server.output()}`);
}

async function refuseTakenPort(port: number): Promise<void> {
  const probe = createServer();
  await new Promise<void>((settle, refuse) => {
    probe.once("error", (error: NodeJS.ErrnoException) =>
      refuse(
        new CommandFailure(
          error.code === "EADDRINUSE"
            ? `Port ${port} is in use; give another with: npm start -- --port ${port + 1}`
            : `Port ${port} cannot be used (${error.code}).`,
        ),
      ),
    );
    probe.listen(port, "127.0.0.1", settle);
  });
  await new Promise((settle) => probe.close(settle));
}

/** Removes what a demo and the dev server keep in the folder, and nothing an operator may have put there. */
function forget(stateDir: string): void {
  for (const name of [
    "v3",
    "demo-memory.json",
    "demo-secrets.env",
    "demo-packs",
    "demo.log",
    "dev-registry",
  ]) {
    rmSync(join(stateDir, name), { recursive: true, force: true });
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await start(parseOptions());
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  else {
    process.stderr.write(`npm start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = EXIT.failed;
  }
}
process.exit();
