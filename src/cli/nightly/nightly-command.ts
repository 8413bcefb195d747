/** `edgetape nightly`: the day's delivery to the service, without anybody being there. */

import { existsSync, realpathSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { dataTypeSchema, type FileSummary } from "../../admin/wire.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { countArgument, dateArgument, defaulted } from "../arguments.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { lockFolder } from "../folder-lock.ts";
import { print, type ServiceOptions, serviceOf, withService } from "../service-options.ts";
import { tell, type WebhookOptions, webhookOf, withWebhook } from "../webhook/webhook-options.ts";
import { isWell } from "./day-outcome.ts";
import { refuseAbsent } from "./drop-folder.ts";
import { faultNotice, linesOf, servedSentence } from "./evening-notice.ts";
import type { LoadOptions } from "./load-day.ts";
import { type Evening, nightly, type TimeOfDay } from "./nightly.ts";

/** Options of commands that load deliveries. */
export interface LoadingOptions extends ServiceOptions {
  work?: string;
  threads: number;
  maxBroken?: number;
  force?: boolean;
  keep?: boolean;
}

interface NightlyOptions extends LoadingOptions, WebhookOptions {
  date?: BeijingDate;
  by: TimeOfDay;
  until: TimeOfDay;
  stable: number;
  poll: number;
  marker?: string;
  expect?: FileSummary["dataType"][];
}

/** Registers `nightly`. */
export function registerNightly(program: Command): void {
  const command = program
    .command("nightly")
    .description("wait for the day's delivery, build and publish it with its files, and tell a webhook")
    .argument(
      "<drop folder>",
      "where deliveries arrive: 20260312/, 20260312.zip, 20260312_aucde.parquet, level2/20260312_trades.zip",
    )
    .option("--date <YYYYMMDD>", "the day; the newest trading day that has closed when absent", dateArgument)
    .addOption(
      defaulted(
        "--by <HH:MM>",
        "tell the webhook when it has not come by then (Beijing)",
        timeArgument,
        "20:30",
      ),
    )
    .addOption(
      defaulted(
        "--until <HH:MM>",
        "stop waiting then; a time before noon is in the night after (Beijing)",
        timeArgument,
        "23:30",
      ),
    )
    .option("--stable <seconds>", "how long nothing may change before it is taken", secondsArgument, 120)
    .option("--poll <seconds>", "between two looks", secondsArgument, 15)
    .option("--marker <name>", "a file in the drop folder that comes last; {date} stands for the day")
    .addOption(
      new Option("--expect <type...>", "kinds of files for shares without which it is not complete").choices(
        dataTypeSchema.options,
      ),
    );
  withWebhook(withLoading(command)).addHelpText(
    "after",
    "\nRun it again after any end, or twice: what is done stays done.\n" +
      "Exit status 3: served, but lines that could not be rows were left out.",
  );
  command.action(run);
}

/** Adds what every command that loads deliveries takes. */
export function withLoading(command: Command): Command {
  return withService(
    command
      .option(
        "--work <folder>",
        "packs in progress and the state of each day, outside the folder (default: <folder>.edgetape beside it)",
      )
      .option("--threads <count>", "worker threads; 0 for none", countArgument, availableParallelism())
      .option(
        "--max-broken <count>",
        "lines that may be no rows before a build fails (default: one in a million)",
        countArgument,
      )
      .option("--force", "publish even what the service finds implausible")
      .option("--keep", "keep the packs"),
  );
}

/** The options of loading as the work wants them; `folder` is where the deliveries are. */
export function loadOptionsOf(folder: string, options: LoadingOptions): LoadOptions {
  const { work, threads, maxBroken, force = false, keep = false } = options;
  const workFolder = work ?? `${resolve(folder)}.edgetape`;
  return { folder: resolve(folder), workFolder, threads, maxBroken: maxBroken ?? null, force, keep };
}

/**
 * Takes the work folder for this command alone; returns what gives it back. Refused inside the drop folder: what a
 * build writes there would be looked at as a delivery, and whoever delivers could put files into it.
 */
export async function lockWork({ folder, workFolder }: LoadOptions): Promise<() => void> {
  await refuseAbsent(folder);
  const inside = relative(realpathSync(folder), realPathOf(resolve(workFolder)));
  if (inside === "" || !/^\.\.($|[/\\])/.test(inside)) {
    throw new CommandFailure(`--work ${workFolder} lies in ${folder}; name a folder outside it.`, EXIT.usage);
  }
  const lock = {
    file: "loading.lock",
    commandLine: /nightly|backfill/,
    holder: "Another nightly or backfill",
    advice: "wait for it, or give this one its own folder with --work",
  };
  return lockFolder(workFolder, lock).catch((error: unknown) => {
    if (error instanceof CommandFailure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${workFolder} cannot be written to (${code}); name a folder with --work.`);
  });
}

/** The path without links, as far as it exists. */
function realPathOf(path: string): string {
  return existsSync(path) || path === dirname(path)
    ? realpathSync(path)
    : join(realPathOf(dirname(path)), basename(path));
}

async function run(folder: string, options: NightlyOptions): Promise<void> {
  const client = serviceOf(options);
  const webhook = webhookOf(options);
  const load = loadOptionsOf(folder, options);
  const unlock = await lockWork(load).catch(async (error: Error) => {
    await tell(webhook, faultNotice(options.date ?? null, error.message)).catch(() => undefined);
    throw error;
  });
  try {
    const evening = await nightly(
      {
        folder,
        tradedate: options.date ?? null,
        expected: { marker: options.marker ?? null, types: options.expect ?? [] },
        by: options.by,
        until: options.until,
        stableMs: options.stable * 1000,
        pollMs: options.poll * 1000,
        load,
      },
      {
        client,
        webhook,
        clock: { nowMs: Date.now, wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) },
        say: (line) => process.stderr.write(`${line}\n`),
      },
    );
    end(options, evening);
  } finally {
    unlock();
  }
}

function end(options: NightlyOptions, evening: Evening): void {
  switch (evening.end) {
    case "idle":
      print(options, evening, `${evening.tradedate} is served, and nothing new was delivered.`);
      return;
    case "late":
      if (options.json) print(options, evening, "");
      throw new CommandFailure(`${evening.notice.title.en}.`);
    case "loaded": {
      const { outcome } = evening;
      const isServed = outcome.problem === null;
      if (options.json || isServed)
        print(options, outcome, [`${servedSentence(outcome).en}.`, ...linesOf(outcome).map(({ en }) => en)]);
      if (!isServed) throw new CommandFailure(`${outcome.tradedate}: ${outcome.problem}`);
      if (!isWell(outcome)) process.exitCode = EXIT.failed;
      else if (outcome.degraded) process.exitCode = EXIT.degraded;
    }
  }
}

function timeArgument(text: string): TimeOfDay {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) throw new InvalidArgumentError("expected HH:MM.");
  return { hours: Number(hours), minutes: Number(minutes) };
}

function secondsArgument(text: string): number {
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text)) throw new InvalidArgumentError("expected seconds.");
  return Number(text);
}
