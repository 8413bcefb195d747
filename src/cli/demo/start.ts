/**
 * `npm start`: runs the whole service on this machine, with sample days and demo keys. Everything it needs is in the
 * checkout: nothing is fetched and no login is needed. Ctrl-C leaves nothing running.
 */
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import * as wire from "../../admin/wire.ts";
import { beijingDate } from "../../calendar/beijing.ts";
import { AdminClient } from "../admin-client.ts";
import { upTo } from "../command-line.ts";
import { EXIT } from "../exit.ts";
import { writeWhole } from "../work-folder.ts";
import { prepareAccounts } from "./demo-accounts.ts";
import * as sample from "./demo-days.ts";
import * as state from "./demo-state.ts";
import { migrateState, migrationsDigest } from "./migrations.ts";
import { type Demo, welcome } from "./welcome.ts";
import { type DevServer, endedFailure, refuseTakenPort, startDevServer, waitUntilReady } from "./wrangler.ts";

/** The interval at which the demo checks whether the npm process that started it still exists. */
const PARENT_CHECK_MS = 1_000;

interface StartOptions {
  port: number;
  state?: string;
  out?: string;
  fresh?: boolean;
  empty?: boolean;
}

function parseOptions(): StartOptions {
  return new Command("npm start --")
    .description("run the service on this machine, with sample days and demo keys")
    .option("--port <port>", "the port on 127.0.0.1", upTo(65_535, "a port"), 8787)
    .option(
      "--state <folder>",
      `the folder for the database, packs and demo keys, which are kept between starts (default: ${state.STATE.demo}; with --empty: ${state.STATE.empty})`,
    )
    .option(
      "--out <file>",
      "write the address, keys and served days to this file, for scripts (default: .edgetape/demo.json; with another --state folder or --empty: demo.json in the state folder)",
    )
    .option("--fresh", "delete the stored state first")
    .option("--empty", "start without calendar, sample days and accounts; loaded data is kept between starts")
    .allowExcessArguments(false)
    .exitOverride()
    .parse()
    .opts<StartOptions>();
}

async function start(
  { port, fresh, empty = false, ...places }: StartOptions,
  stop: AbortSignal,
): Promise<void> {
  const stopped = once(stop, "abort");
  const { stateDir, demoFile } = state.placesOf({ ...places, empty });
  const unlock = await state.lockState(stateDir);
  let server: DevServer | undefined;
  try {
    if (fresh) state.forget(stateDir);
    await refuseTakenPort(port);
    // Scripts read the demo file. A file from an earlier start may list days that the service does not serve yet.
    rmSync(demoFile, { force: true });
    const remembered = state.recall(stateDir);
    if (remembered.migrations !== migrationsDigest(stateDir)) {
      say("Preparing the database");
      await migrateState(stateDir);
      remembered.migrations = migrationsDigest(stateDir) ?? "";
    }
    say("Starting the service");
    const files = { demoFile, logFile: resolve(stateDir, "demo.log") };
    const secretsFile = state.writeSecrets(stateDir, remembered);
    server = startDevServer({ port, stateDir, secretsFile, logFile: files.logFile });
    // Stored before the first request, so that the next start has the state's secrets even if this one is killed.
    state.remember(stateDir, remembered);
    const place = { server, stateDir, remembered, files };
    const prepared = empty ? prepareEmpty(place) : prepare(place);
    await Promise.race([prepared.then(() => stopped), stopped, diedOf(server, stop)]);
  } finally {
    if (server !== undefined) {
      await server.stop();
      rmSync(demoFile, { force: true });
    }
    unlock();
  }
}

/** The server, the state and the output files of one start of the demo. */
interface Place {
  server: DevServer;
  stateDir: string;
  remembered: state.Remembered;
  files: { demoFile: string; logFile: string };
}

async function prepareEmpty({ server, remembered: { adminToken }, files }: Place): Promise<void> {
  await waitUntilReady(server, adminToken);
  const demo = { baseUrl: server.baseUrl, adminToken, keys: {}, days: [] };
  announce(files.demoFile, demo);
  say(`\n${welcome(demo, files)}`);
}

/** Loads accounts and the newest sample day, prints how to request it, then loads the other days. */
async function prepare({ server, stateDir, remembered, files }: Place): Promise<void> {
  const { adminToken } = remembered;
  const nowMs = Date.now();
  const today = beijingDate(nowMs);
  const calendar = sample.demoCalendar(today);
  const days = sample.sampleDates(calendar.days, today);
  const newest = days.at(-1);
  // If the demo has no state yet, the newest day is built while the service starts in another process.
  const isEarly = Object.keys(remembered.keys).length === 0 && newest !== undefined;
  if (isEarly) await sample.buildSampleDay(newest, stateDir);
  await waitUntilReady(server, adminToken);
  const client = new AdminClient({ baseUrl: server.baseUrl, token: adminToken });
  await sample.loadDemoCalendar(client, calendar);
  const { withoutHolidays } = calendar;
  const unloaded = await sample.unloadedDays(client, days);
  const served = new Set(days.filter((day) => !unloaded.includes(day)));
  const [first, ...following] = unloaded.toReversed();
  const accounts = prepareAccounts(client, remembered, nowMs);
  if (first !== undefined) {
    say(`Publishing the sample day ${first}`);
    if (!isEarly || first !== newest) await sample.buildSampleDay(first, stateDir);
    await sample.publishSampleDay(client, first, { stateDir, isLoaded: false });
    served.add(first);
  }
  await accounts;
  state.remember(stateDir, remembered);
  const keys = Object.fromEntries(Object.entries(remembered.keys).map(([name, { key }]) => [name, key]));
  const servedDays = () => days.filter((day) => served.has(day));
  const demo = () => ({ baseUrl: server.baseUrl, adminToken, keys, days: servedDays() });
  const invites = "/admin/accounts/demo-flagship/invites";
  const { url: consoleUrl } = await client.post(wire.inviteSchema, invites, { body: {} });
  announce(files.demoFile, demo());
  say(`\n${welcome(demo(), { ...files, withoutHolidays, consoleUrl, following })}`);
  // The first day is checked only now, so that requests for it need not wait for the check.
  const unchecked = days.filter(
    (day) => following.includes(day) || !existsSync(sample.samplePage(day, stateDir)),
  );
  for (const day of unchecked.toReversed()) {
    if (!served.has(day)) say(`Publishing the sample day ${day}`);
    if (day !== first) await sample.buildSampleDay(day, stateDir);
    const verdict = await sample.finishSampleDay(client, day, { stateDir, isLoaded: served.has(day) });
    if (day === newest) say(`Quality check of ${day}: ${verdict}, see ${sample.samplePage(day, stateDir)}`);
    served.add(day);
    announce(files.demoFile, demo());
  }
  if (following.length > 0) say(`Every sample day is served: ${days.join(" ")}`);
}

/** Rejects when the server ends unexpectedly. */
async function diedOf(server: DevServer, stop: AbortSignal): Promise<void> {
  await server.ended;
  if (!stop.aborted) throw endedFailure(server, "The service stopped unexpectedly");
}

function announce(demoFile: string, demo: Demo): void {
  writeWhole(demoFile, `${JSON.stringify(demo, null, 2)}\n`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns a signal that aborts at Ctrl-C, SIGTERM and the end of the npm process that started the demo. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const end = () => stop.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  // npm does not end its children when it is killed. A demo started without npm may outlive its shell.
  if (process.env.npm_lifecycle_event !== undefined) {
    const starter = npmAboveUs();
    setInterval(() => npmAboveUs() !== starter && end(), PARENT_CHECK_MS).unref();
  }
  return stop.signal;
}

/**
 * Returns the process id of the npm process that started this one: the parent, or the parent of the shell in between.
 * The result changes when npm ends, because orphans get a new parent. Without /proc, returns the parent's id.
 */
function npmAboveUs(): number {
  try {
    const shell = readFileSync(`/proc/${process.ppid}/cmdline`, "utf8").split("\0");
    if (shell[1] !== "-c") return process.ppid;
    // "pid (name) state ppid …"; the name can contain spaces and parentheses.
    const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return process.ppid;
  }
}

const stop = stopSignal();
try {
  await start(parseOptions(), stop);
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  // After Ctrl-C, work in progress is expected to fail, so the error is not reported.
  else if (!stop.aborted) {
    process.stderr.write(`npm start: ${(error as Error).message}\n`);
    process.exitCode = EXIT.failed;
  }
}
process.exit();
