/**
 * `edgetape backfill`: a folder of days to the service, one after the other. What each came to is remembered as `nightly`
 * does it, so a run that was interrupted resumes at the day it stood at; a journal says what happened when.
 */

import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { dataTypeSchema, type FileSummary, type Notice } from "../admin/wire.ts";
import { type BeijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import type { AdminClient } from "./admin-client.ts";
import { dateArgument, print, serviceOf } from "./command-line.ts";
import { EXIT } from "./exit.ts";
import { type Delivery, measured, type NamedDelivery, namedDeliveries } from "./nightly/drop-folder.ts";
import { linesOf, servedSentence } from "./nightly/evening-notice.ts";
import { type DayOutcome, isWell, type LoadOptions, loadDay, recallDay } from "./nightly/load-day.ts";
import {
  availableDays,
  type LoadingOptions,
  loadOptionsOf,
  lockWork,
  withLoading,
} from "./nightly/nightly.ts";
import { deliveryProblem, type Expected } from "./nightly/wait-for-delivery.ts";
import { tell, type WebhookOptions, webhookOf, withWebhook } from "./webhook.ts";

interface BackfillOptions extends LoadingOptions, WebhookOptions {
  from?: BeijingDate;
  to?: BeijingDate;
  oldestFirst?: boolean;
  expect?: FileSummary["dataType"][];
}

/** Registers `backfill`. */
export function registerBackfill(program: Command): void {
  const command = program
    .command("backfill")
    .description("build and publish every day of a folder, the newest first; run it again to go on")
    .argument("<folder of days>", "deliveries as `nightly` knows them, also in folders of years and months")
    .option("--from <YYYYMMDD>", "the first day; the oldest one there when absent", dateArgument)
    .option("--to <YYYYMMDD>", "the last day; the newest one there when absent", dateArgument)
    .option("--oldest-first", "the other way round")
    .addOption(
      new Option(
        "--expect <type...>",
        "kinds of files for shares without which a day is not complete",
      ).choices(dataTypeSchema.options),
    );
  withWebhook(withLoading(command)).addHelpText(
    "after",
    "\nWhat happened to each day is written to backfill.jsonl in the work folder.\n" +
      "Exit status 1: some days failed or are withdrawn, and the next run tries them again. 3: rows were left out of some.",
  );
  command.action(run);
}

async function run(folder: string, options: BackfillOptions): Promise<void> {
  const client = serviceOf(options);
  const webhook = webhookOf(options);
  const load = loadOptionsOf(folder, options);
  const unlock = await lockWork(load);
  try {
    const ask = {
      folder,
      from: options.from ?? null,
      to: options.to ?? null,
      oldestFirst: options.oldestFirst ?? false,
      expected: { marker: null, types: options.expect ?? [] },
      load,
    };
    const result = await backfill(client, ask, (line) => process.stderr.write(`${line}\n`));
    const notice = noticeOf(result);
    print(options, result, [`${notice.title.en}.`, ...notice.lines.map(({ en }) => en)]);
    process.exitCode = result.failed.length > 0 ? EXIT.failed : result.degraded > 0 ? EXIT.degraded : EXIT.ok;
    if (result.loaded + result.failed.length > 0) await tell(webhook, notice);
  } finally {
    unlock();
  }
}

function noticeOf(result: Backfilled): Notice {
  const { days, loaded, degraded, before, failed, untried } = result;
  const isWell = failed.length === 0;
  const lines = failed.map(({ tradedate, problem }) => {
    const line = `${tradedate}: ${problem}`;
    return { zh: line, en: line };
  });
  if (untried > 0) {
    lines.push({
      zh: `${failed.length} 天失败之后，${untried} 天没有尝试`,
      en: `${untried} days were not tried after ${failed.length} failures`,
    });
  }
  return {
    event: isWell ? "backfill.done" : "backfill.failed",
    level: isWell ? (degraded > 0 ? "warning" : "ok") : "failed",
    title: {
      zh: `${days} 天中已加载 ${loaded} 天（${degraded} 天有坏行未收入），此前已加载 ${before} 天，失败 ${failed.length} 天`,
      en: `${loaded} of ${days} days were loaded (${degraded} with rows left out), ${before} were before, ${failed.length} failed`,
    },
    lines,
    facts: { ...result },
  };
}

/** So many days that fail in a row have one cause, such as a service that cannot be reached. */
const FAILURES_IN_A_ROW = 3;

interface BackfillAsk {
  folder: string;
  /** The first and the last day, both included; null: the oldest or newest there is. */
  from: BeijingDate | null;
  to: BeijingDate | null;
  oldestFirst: boolean;
  expected: Expected;
  load: LoadOptions;
}

interface Backfilled {
  /** Days that lie in the folder and were asked for. */
  days: number;
  /** Loaded in this run, those with rows left out among them. */
  loaded: number;
  degraded: number;
  /** Were loaded by an earlier run, and are still served. */
  before: number;
  failed: { tradedate: BeijingDate; problem: string }[];
  /** Days that were not tried because those before them failed. */
  untried: number;
}

/**
 * Loads every day of the folder that no earlier run has loaded or that is no longer served; the service refuses what
 * an operator has withdrawn, with who did and why. `say` hears a line or more for each.
 */
export async function backfill(
  client: AdminClient,
  ask: BackfillAsk,
  say: (line: string) => void,
): Promise<Backfilled> {
  const named = await asked(ask);
  const result: Backfilled = {
    days: named.length,
    loaded: 0,
    degraded: 0,
    before: 0,
    failed: [],
    untried: 0,
  };
  const served = await availableDays(
    client,
    named.map(({ tradedate }) => tradedate),
  );
  const seconds: number[] = [];
  let failedInARow = 0;
  for (const [at, day] of named.entries()) {
    if (failedInARow >= FAILURES_IN_A_ROW) {
      result.untried = named.length - at;
      break;
    }
    const delivery = await measured(ask.folder, day);
    if (isLoaded(delivery, ask) && served.has(day.tradedate)) {
      result.before++;
      continue;
    }
    const outcome = await loadedDay(client, delivery, ask);
    note(ask.load.workFolder, outcome);
    seconds.push(outcome.seconds);
    const problem = countIn(result, outcome);
    // A withdrawn day is an operator's decision and says nothing about the next day.
    if (!outcome.decided) failedInARow = problem === null ? 0 : failedInARow + 1;
    const left = secondsLeft(seconds, named.length - at - 1) ?? 0;
    say(`${at + 1} of ${named.length} days, about ${spanText(left)} left`);
    const ended = problem === null ? servedSentence(outcome).en : `${day.tradedate}: ${problem}`;
    for (const line of [ended, ...linesOf(outcome).map(({ en }) => en)]) say(`  ${line}`);
  }
  return result;
}

/** Whether an earlier run has loaded this very delivery. */
function isLoaded({ tradedate, fingerprint }: Delivery, { load }: BackfillAsk): boolean {
  const { outcome } = recallDay(load.workFolder, tradedate, fingerprint);
  return outcome !== null && isWell(outcome);
}

/** Adds a day to the sum; returns the first thing that went wrong with it, or null. */
function countIn(result: Backfilled, outcome: DayOutcome): string | null {
  const file = outcome.files.find(({ problem }) => problem !== null);
  const problem = outcome.problem ?? (file === undefined ? null : `${file.name}: ${file.problem}`);
  if (problem !== null) result.failed.push({ tradedate: outcome.tradedate as BeijingDate, problem });
  else result.loaded++;
  if (problem === null && outcome.degraded) result.degraded++;
  return problem;
}

async function asked({ folder, from, to, oldestFirst }: BackfillAsk): Promise<NamedDelivery[]> {
  const named = [...(await namedDeliveries(folder)).values()]
    .filter(({ tradedate }) => (from === null || tradedate >= from) && (to === null || tradedate <= to))
    .toSorted((a, b) => (a.tradedate < b.tradedate ? -1 : 1));
  return oldestFirst ? named : named.reverse();
}

async function loadedDay(
  client: AdminClient,
  delivery: Delivery,
  { folder, expected, load }: BackfillAsk,
): Promise<DayOutcome> {
  const problem = await deliveryProblem(folder, delivery, expected);
  if (problem === null) return loadDay(client, delivery, load);
  return {
    tradedate: delivery.tradedate,
    state: "failed",
    problem: `the delivery is not complete: ${problem.en}`,
    problemZh: `数据不完整：${problem.zh}`,
    revision: null,
    rows: 0,
    securities: 0,
    sizeBytes: 0,
    degraded: false,
    brokenRows: 0,
    quarantine: null,
    leftOut: [],
    files: [],
    seconds: 0,
  };
}

function note(workFolder: string, outcome: DayOutcome): void {
  mkdirSync(workFolder, { recursive: true });
  const line = JSON.stringify({ at: beijingTimestamp(Date.now()), ...outcome });
  appendFileSync(join(workFolder, "backfill.jsonl"), `${line}\n`);
}

/** The latest so many days say how long one takes: the first ones are small, or the line was slow. */
const COUNTED = 20;

/** Seconds until `left` more days are loaded, by those that were (`seconds` each, oldest first); null before the first. */
export function secondsLeft(seconds: readonly number[], left: number): number | null {
  const counted = seconds.slice(-COUNTED);
  if (counted.length === 0) return null;
  return (counted.reduce((sum, each) => sum + each, 0) / counted.length) * left;
}

/** A span as people say it: `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function spanText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
