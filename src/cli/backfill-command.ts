/**
 * `edgetape backfill`: loads a folder of days in sequence. Like `nightly` it stores the state of each day, so that the
 * next run resumes after an interruption. A journal records the events, and a table at the end shows the verdict of
 * each day.
 */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type * as wire from "../admin/wire.ts";
import { parsedJson } from "../base/json.ts";
import { type BeijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { AdminClient } from "./admin-client.ts";
import { command } from "./command.ts";
import { countText, sizeText, table } from "./command-line.ts";
import { availableDays } from "./dataset-days.ts";
import { EXIT } from "./exit.ts";
import { type Delivery, measured, type NamedDelivery, namedDeliveries } from "./nightly/drop-folder.ts";
import { failuresText, linesOf, servedSentence } from "./nightly/evening-notice.ts";
import {
  type DatasetOutcome,
  type DayOutcome,
  incompleteDay,
  isWell,
  LOADING,
  type LoadOptions,
  loadDay,
  recallDay,
} from "./nightly/load-day.ts";
import { loadOptionsOf, lockWork } from "./nightly/nightly.ts";
import { deliveryProblem, EXPECT } from "./nightly/wait-for-delivery.ts";
import * as option from "./option.ts";
import { tell, WEBHOOK, webhookOf } from "./webhook.ts";

const OPTIONS = {
  from: option.day("the first day (default: the oldest one in the folder)"),
  to: option.day("the last day (default: the newest one in the folder)"),
  oldestFirst: option.flag("load the oldest day first"),
  failed: option.flag("load only days whose last attempt from this work folder failed"),
  expect: EXPECT("kinds of files for shares that a complete day must have"),
  ...LOADING,
};

export const backfill = command("backfill", {
  says: "build and publish every day of a folder, newest first; run it again to resume",
  args: {
    "<folder of days>":
      "the folder with the deliveries, which are named as for `nightly` and can be in subfolders of years and months",
  },
  options: { ...OPTIONS, ...WEBHOOK },
  help:
    "\nThe command ends with a table of the days and their results: served, degraded (with rows left out), failed, withdrawn (by\n" +
    "an operator; --failed does not retry such a day), untried (after three failures in a row). A day without a time was loaded by\n" +
    "an earlier run. Events with their times are written to backfill.jsonl in the work folder.\n" +
    "Exit status 1: some days failed or are withdrawn, and the next run tries them again. 3: rows were left out of some days.",
  async run(call, options, folder: string) {
    const webhook = webhookOf(options);
    const run = loadOptionsOf(folder, options);
    using _lock = await lockWork(run);
    const { announcedAtMs, ...result } = await loadDays(call.client, run);
    const notice = noticeOf(result);
    const ending = [`${notice.title.en}.`, ...notice.lines.map(({ en }) => en)];
    call.print(result, [...tableOf(result.table), ...ending]);
    process.exitCode = result.failed.length > 0 ? EXIT.failed : result.degraded > 0 ? EXIT.degraded : EXIT.ok;
    if (result.loaded + result.failed.length > 0) await tell(webhook, notice, announcedAtMs);
  },
});

function noticeOf(result: ReturnType<typeof summed>): wire.Notice {
  const { table: _, ...facts } = result;
  const { days, loaded, degraded, before, failed, untried } = facts;
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
      en: `${loaded} of ${days} days were loaded now (${degraded} with rows left out), ${before} earlier, ${failed.length} failed`,
    },
    lines,
    facts,
  };
}

/** Returns the table of days with their verdicts; empty without days. */
function tableOf(rows: readonly DayVerdict[]): string[] {
  if (rows.length === 0) return [];
  const isOf = (name: DatasetName) => (each: { dataset: DatasetName }) => each.dataset === name;
  const shown = DATASET_NAMES.filter((name) => rows.some(({ served }) => served.some(isOf(name))));
  const headings = ["day", "verdict", ...shown.map((name) => DATASETS[name].rows), "size", "time", "problem"];
  const cells = rows.map(({ tradedate, verdict, served, seconds, problem }) => [
    tradedate,
    verdict,
    ...shown.map((name) => {
      const dataset = served.find(isOf(name));
      return dataset === undefined ? "" : countText(dataset.rows);
    }),
    served.length === 0 ? "" : sizeText(served.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)),
    seconds === null ? "" : spanText(seconds),
    problem ?? "",
  ]);
  return [...table(headings, cells).map((line) => line.trimEnd()), ""];
}

/** After so many failures in a row the command stops, because they probably have a common cause. */
const FAILURES_IN_A_ROW = 3;

type Run = option.Values<typeof OPTIONS> & LoadOptions;

interface DayVerdict {
  tradedate: BeijingDate;
  /**
   * `degraded`: served with rows left out. `withdrawn`: not published, because an operator withdrew the day. `untried`:
   * skipped after earlier days failed.
   */
  verdict: "served" | "degraded" | "failed" | "withdrawn" | "untried";
  /** The day's datasets that customers can read. Another dataset or a file for shares may have failed. */
  served: Pick<DatasetOutcome, "dataset" | "revision" | "securities" | "rows" | "sizeBytes">[];
  /** Null when this run did not try the day, for example because an earlier run had loaded it. */
  seconds: number | null;
  /** The reason why the day is incomplete, as a sentence, or null. */
  problem: string | null;
}

/**
 * Loads every day of the folder, except days that an earlier run loaded and the service still serves. The service
 * refuses withdrawn days with a message that names the operator and the reason.
 */
async function loadDays(client: AdminClient, run: Run) {
  const { named, gone } = await asked(run);
  const days = named.map(({ tradedate }) => tradedate);
  const available = new Map<DatasetName, ReadonlyMap<string, unknown>>();
  for (const dataset of DATASET_NAMES) available.set(dataset, await availableDays(client, days, dataset));
  const rows: DayVerdict[] = [];
  // The instant at which the last loaded day is announced to customers, on this machine's clock.
  let announcedAtMs = 0;
  const seconds: number[] = [];
  let failedInARow = 0;
  for (const [at, day] of named.entries()) {
    if (failedInARow >= FAILURES_IN_A_ROW) {
      rows.push(untold(day.tradedate, "untried", null));
      continue;
    }
    const delivery = await measured(run.folder, day);
    const earlier = loadedEarlier(delivery, run, available);
    if (earlier !== null) {
      rows.push({ ...rowOf(earlier), seconds: null });
      continue;
    }
    const lack = await deliveryProblem(run.folder, delivery, run);
    const outcome = lack === null ? await loadDay(client, delivery, run) : incompleteDay(day.tradedate, lack);
    const row = rowOf(outcome);
    const entry = { at: beijingTimestamp(Date.now()), verdict: row.verdict, ...outcome };
    // The lock is in this folder, so the folder exists.
    appendFileSync(join(run.workFolder, JOURNAL), `${JSON.stringify(entry)}\n`);
    rows.push(row);
    announcedAtMs = Math.max(announcedAtMs, outcome.announcedAtMs ?? 0);
    seconds.push(outcome.seconds);
    const { problem, verdict } = row;
    // A withdrawn day is an operator's decision and does not count as a failure.
    if (verdict !== "withdrawn") failedInARow = problem === null ? 0 : failedInARow + 1;
    const left = secondsLeft(seconds, named.length - at - 1);
    console.error(`${at + 1} of ${named.length} days, about ${spanText(left)} left`);
    const ended = problem === null ? servedSentence(outcome).en : `${day.tradedate}: ${problem}`;
    for (const line of [ended, ...linesOf(outcome).map(({ en }) => en)]) console.error(`  ${line}`);
  }
  for (const day of gone) rows.push(untold(day, "failed", "its delivery is no longer in the folder"));
  return { ...summed(rows), announcedAtMs };
}

/**
 * Returns the verdicts in loading order with their counts: days loaded in this run (also degraded ones), loaded by an
 * earlier run and still served (`before`), and skipped after earlier days failed (`untried`).
 */
function summed(table: DayVerdict[]) {
  const isServed = ({ verdict }: DayVerdict) => verdict === "served" || verdict === "degraded";
  const loaded = table.filter((row) => isServed(row) && row.seconds !== null);
  return {
    days: table.length,
    loaded: loaded.length,
    degraded: loaded.filter(({ verdict }) => verdict === "degraded").length,
    before: table.filter((row) => isServed(row) && row.seconds === null).length,
    failed: table.flatMap(({ tradedate, problem }) => (problem === null ? [] : { tradedate, problem })),
    untried: table.filter(({ verdict }) => verdict === "untried").length,
    table,
  };
}

/** Returns an earlier run's result if it loaded the whole delivery and all of it is still served, else null. */
function loadedEarlier(
  { tradedate, fingerprint }: Delivery,
  { workFolder }: Run,
  available: ReadonlyMap<DatasetName, ReadonlyMap<string, unknown>>,
): DayOutcome | null {
  const { outcome } = recallDay(workFolder, tradedate, fingerprint);
  if (outcome === null || !isWell(outcome)) return null;
  const isServed = ({ dataset }: DayOutcome["datasets"][number]) => available.get(dataset)?.has(tradedate);
  return outcome.datasets.every(isServed) ? outcome : null;
}

/** Returns the day's row. `problem` describes the failed datasets, or else the first failed file. */
function rowOf(outcome: DayOutcome): DayVerdict {
  const { tradedate, datasets, files, seconds, decided, degraded } = outcome;
  const file = files.find(({ problem }) => problem !== null);
  const problem = failuresText(outcome) ?? (file === undefined ? null : `${file.name}: ${file.problem}`);
  const loaded = degraded ? "degraded" : "served";
  return {
    tradedate: tradedate as BeijingDate,
    verdict: problem === null ? loaded : decided ? "withdrawn" : "failed",
    served: datasets.flatMap(({ dataset, state, revision, securities, rows, sizeBytes }) =>
      state === "failed" ? [] : { dataset, revision, securities, rows, sizeBytes },
    ),
    seconds,
    problem,
  };
}

function untold(tradedate: BeijingDate, verdict: DayVerdict["verdict"], problem: string | null): DayVerdict {
  return { tradedate, verdict, served: [], seconds: null, problem };
}

/** Returns the requested deliveries in loading order, and the failed days without one (`gone`). */
async function asked(run: Run): Promise<{ named: NamedDelivery[]; gone: BeijingDate[] }> {
  const { from = "", to = "99991231", workFolder, oldestFirst } = run;
  const failed = run.failed ? failedDays(workFolder) : null;
  const isAsked = (day: BeijingDate) => day >= from && day <= to && (failed?.has(day) ?? true);
  const found = await namedDeliveries(run.folder);
  const named = [...found.values()]
    .filter(({ tradedate }) => isAsked(tradedate))
    .toSorted((a, b) => (a.tradedate < b.tradedate ? -1 : 1));
  const gone = [...(failed ?? [])].filter((day) => isAsked(day) && !found.has(day)).sort();
  return oldestFirst ? { named, gone } : { named: named.reverse(), gone: gone.reverse() };
}

const JOURNAL = "backfill.jsonl";

const notedSchema = z.object({
  tradedate: z.string(),
  state: z.string(),
  /** Absent in journals of earlier versions. */
  verdict: z.string().optional(),
});

/** Returns the days whose last journal line in `workFolder` is a failure; empty without a journal. */
function failedDays(workFolder: string): Set<BeijingDate> {
  const failed = new Set<BeijingDate>();
  const path = join(workFolder, JOURNAL);
  for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
    const noted = notedSchema.safeParse(parsedJson(line)).data;
    // A killed run can leave a truncated line.
    if (noted === undefined) continue;
    const { tradedate, state, verdict = state } = noted;
    if (verdict === "failed") failed.add(tradedate as BeijingDate);
    else failed.delete(tradedate as BeijingDate);
  }
  return failed;
}

/** The estimate uses only this many of the latest days, because sizes and connections change. */
const COUNTED = 20;

/** Estimates the seconds for `left` more days from the durations of the latest ones, of which there is at least one. */
export function secondsLeft(seconds: readonly number[], left: number): number {
  const counted = seconds.slice(-COUNTED);
  return (counted.reduce((sum, each) => sum + each, 0) / counted.length) * left;
}

/** Formats a duration: `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function spanText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
