/**
 * `npm start`: the whole service on this machine with sample days and demo keys. Everything it needs is
 * in the checkout; nothing is fetched, nobody logs in, and Ctrl-C leaves nothing running.
 */
import { mkdirSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { beijingDate } from "../../calendar/beijing.ts";
import { AdminClient } from "../admin-client.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { writeWhole } from "../work-folder.ts";
import { inviteDemo, prepareAccounts } from "./demo-accounts.ts";
import { loadDemoCalendar, publishSampleDay, sampleDates, servedDays } from "./demo-days.ts";
import { publishSampleAuctions } from "./demo-files.ts";
import {
  forget,
  migrationsDigest,
  placesOf,
  type Remembered,
  recall,
  remember,
  STATE,
  writeSecrets,
} from "./demo-state.ts";
import { refuseTakenPort } from "./free-port.ts";
import { lockState } from "./state-lock.ts";
import { hearStopRequest, type StopRequest } from "./stop-request.ts";
import { type Demo, welcome } from "./welcome.ts";
import { applyMigrations, type DevServer, startDevServer, waitUntilReady } from "./wrangler.ts";

interface StartOptions {
  port: number;
  state?: string;
  out?: string;
  fresh?: boolean;
  empty?: boolean;
}

function parseOptions(): StartOptions {
  return new Command("npm start --")
    .description("the service on this machine, with sample days and demo keys")
    .option("--port <port>", "where to listen on 127.0.0.1", portArgument, 8787)
    .option(
      "--state <folder>",
      `database, packs and demo keys, kept between starts (default: ${STATE.demo}, with --empty ${STATE.empty})`,
    )
    .option(
      "--out <file>",
      "address, keys and days for scripts, once every day is served (default: .edgetape/demo.json, with another state demo.json in its folder)",
    )
    .option("--fresh", "forget the state and begin anew")
    .option("--empty", "add nothing: no calendar, no sample days, no accounts; what you load is kept")
    .allowExcessArguments(false)
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

async function start(
  { port, fresh, empty = false, ...places }: StartOptions,
  stop: StopRequest,
): Promise<void> {
  const { stateDir, demoFile } = placesOf({ ...places, empty });
  const unlock = await lockState(stateDir);
  let server: DevServer | undefined;
  try {
    if (fresh) forget(stateDir);
    await refuseTakenPort(port);
    // Whoever finds the file finds a service that serves every day it names.
    rmSync(demoFile, { force: true });
    const remembered = recall(stateDir);
    if (remembered.migrations !== migrationsDigest(stateDir)) {
      say("Preparing the database");
      await applyMigrations(stateDir);
      remembered.migrations = migrationsDigest(stateDir) ?? "";
    }
    say("Starting the service");
    const logFile = resolve(stateDir, "demo.log");
    server = startDevServer({ port, stateDir, secretsFile: writeSecrets(stateDir, remembered), logFile });
    const prepared = empty
      ? prepareEmpty(server, stateDir, remembered)
      : prepare(server, stateDir, remembered);
    const announced = prepared.then(({ demo, ...filled }) => {
      mkdirSync(dirname(demoFile), { recursive: true });
      writeWhole(demoFile, `${JSON.stringify(demo, null, 2)}\n`);
      say(`\n${welcome(demo, { ...filled, demoFile, logFile })}`);
    });
    await Promise.race([announced.then(() => stop.asked), stop.asked, diedOf(server, stop)]);
  } finally {
    if (server !== undefined) {
      await server.stop();
      rmSync(demoFile, { force: true });
    }
    unlock();
  }
}

/** The service with its secrets and migrations, and whatever an operator has put there. */
async function prepareEmpty(
  server: DevServer,
  stateDir: string,
  remembered: Remembered,
): Promise<{ demo: Demo }> {
  remember(stateDir, remembered);
  await waitUntilReady(server);
  const { baseUrl } = server;
  return { demo: { baseUrl, adminToken: remembered.adminToken, keys: {}, days: [] } };
}

/** Fills the service with the calendar, the sample days it lacks and the demo accounts. */
async function prepare(
  server: DevServer,
  stateDir: string,
  remembered: Remembered,
): Promise<{ demo: Demo; withoutHolidays: number[]; consoleUrl: string }> {
  // Before the first request: killed right after it, the next start still knows the state's secrets.
  remember(stateDir, remembered);
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
  await publishSampleAuctions(client, days, stateDir);
  await prepareAccounts(client, remembered, nowMs);
  remember(stateDir, remembered);
  const keys = Object.fromEntries(Object.entries(remembered.keys).map(([name, { key }]) => [name, key]));
  return {
    demo: { baseUrl: server.baseUrl, adminToken: remembered.adminToken, keys, days },
    withoutHolidays,
    consoleUrl: await inviteDemo(client, "flagship"),
  };
}

/** Rejects when the server ends without having been asked to. */
async function diedOf(server: DevServer, stop: StopRequest): Promise<void> {
  await server.ended;
  if (!stop.wasAsked()) throw new CommandFailure(`The service ended by itself:\n${server.output()}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const stop = hearStopRequest();
try {
  await start(parseOptions(), stop);
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  // Ctrl-C reaches whatever is under way first, and its failure is no news then.
  else if (!stop.wasAsked()) {
    process.stderr.write(`npm start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = EXIT.failed;
  }
}
process.exit();
