/**
 * `edgetape nightly`: determines the due day, waits for its delivery and loads it. The outcome is sent to a webhook; a
 * success is sent only once. Progress and sent notices are stored, so that the command can be run again at any time.
 */

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import * as wire from "../../admin/wire.ts";
import { addDays, type BeijingDate, beijingDate, startOfDay } from "../../calendar/beijing.ts";
import { dayName } from "../../datasets/day-name.ts";
import { DATASETS, type DatasetName } from "../../datasets/registry.ts";
import type { AdminClient } from "../admin-client.ts";
import { type Call, command } from "../command.ts";
import { numberArgument } from "../command-line.ts";
import { availableDays, lackingDatasets } from "../dataset-days.ts";
import { CommandFailure, EXIT, UsageFailure } from "../exit.ts";
import * as option from "../option.ts";
import { listFiles } from "../uploads.ts";
import { tell, WEBHOOK, webhookOf } from "../webhook.ts";
import { lockFolder } from "../work-folder.ts";
import { isEmpty, readDelivery, refuseAbsent } from "./drop-folder.ts";
import * as notice from "./evening-notice.ts";
import {
  type DayOutcome,
  isWell,
  LOADING,
  type LoadOptions,
  loadDay,
  recallDay,
  rememberDay,
} from "./load-day.ts";
import { type Arrival, deliveryProblem, EXPECT, waitForDelivery } from "./wait-for-delivery.ts";

const seconds = option.parsed("<seconds>", numberArgument(/^\d{1,6}(\.\d{1,3})?$/, "a number of seconds"));
const time = (says: string, at: string) =>
  option.parsed("<HH:MM>", timeArgument)(says).orElse(timeArgument(at), at);

const OPTIONS = {
  date: option.day("the day (default: the newest trading day whose session has ended, at 15:00)"),
  by: time("notify the webhook when the delivery has not arrived by this time (Beijing)", "20:30"),
  until: time("stop waiting at this time (Beijing); a time before noon is on the next day", "23:30"),
  stable: seconds("time without changes after which a delivery can be loaded").orElse(120),
  poll: seconds("time between two checks of the drop folder").orElse(15),
  marker: option.text("<name>", "a file that the sender writes last; {date} stands for the day"),
  expect: EXPECT("kinds of files for shares that a complete delivery must have"),
  ...LOADING,
};

/** Waits for the due day's delivery and loads it. An error is sent to the webhook and then thrown. */
export const nightly = command("nightly", {
  says: "wait for the day's delivery, build and publish it with its files, and notify a webhook",
  args: {
    "<drop folder>":
      "the folder in which deliveries arrive: 20260312/, 20260312.zip, 20260312_aucde.parquet, level2/20260312_trades.zip",
  },
  options: { ...OPTIONS, ...WEBHOOK },
  help:
    "\nThe command can be run again at any time: completed steps are not repeated.\n" +
    "Exit status 3: served, but rows were left out, or a dataset is missing that other days have.",
  async run(call, options, folder: string) {
    const run: Run = { ...loadOptionsOf(folder, options), client: call.client, receiver: webhookOf(options) };
    const { receiver } = run;
    const tellFault = async (error: Error) => {
      await tell(receiver, notice.faultNotice(options.date ?? null, error.message)).catch(() => undefined);
      throw error;
    };
    using _lock = await lockWork(run).catch(tellFault);
    const evening = await spend(run).catch(tellFault);
    if (evening.end === "late") await tell(receiver, evening.notice);
    if (evening.end === "loaded") await tellOnce(run, evening);
    end(call, evening);
  },
});

/** Returns the options for loading; `folder` contains the deliveries. */
export function loadOptionsOf<T extends option.Values<typeof LOADING>>(folder: string, options: T) {
  return { ...options, folder, workFolder: options.work ?? `${resolve(folder)}.edgetape` };
}

/**
 * Locks the work folder and returns the lock, whose disposal releases it. The folder must not be inside the drop folder,
 * where a build's files would look like a delivery and the sender could add files.
 */
export async function lockWork({ folder: given, workFolder }: LoadOptions): Promise<Disposable> {
  const folder = resolve(given);
  await refuseAbsent(folder);
  const inside = relative(realpathSync(folder), realPathOf(resolve(workFolder)));
  if (inside === "" || !/^\.\.($|[/\\])/.test(inside)) {
    throw new UsageFailure(`--work ${workFolder} is inside ${folder}; name a folder outside it.`);
  }
  const lock = {
    file: "loading.lock",
    commandLine: /nightly|backfill/,
    holder: "Another nightly or backfill",
    advice: "wait until it ends, or give this command its own folder with --work",
  };
  const unlock = await lockFolder(workFolder, lock).catch((error: unknown) => {
    if (error instanceof CommandFailure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${workFolder} cannot be written to (${code}); name a folder with --work.`);
  });
  return { [Symbol.dispose]: unlock };
}

/** Returns `path` with the links in its existing part resolved. */
function realPathOf(path: string): string {
  return existsSync(path) || path === dirname(path)
    ? realpathSync(path)
    : join(realPathOf(dirname(path)), basename(path));
}

interface Run extends option.Values<typeof OPTIONS>, LoadOptions {
  client: AdminClient;
  receiver: wire.Webhook | null;
}

function end({ json, print }: Call, evening: Evening): void {
  switch (evening.end) {
    case "idle":
      print(evening, [
        `${evening.tradedate} is served, and nothing new was delivered.`,
        ...evening.lacking.map(
          (name) => `Its ${DATASETS[name].rows} are not served, although other days have this dataset.`,
        ),
      ]);
      return;
    case "late":
      if (json) print(evening, "");
      throw new CommandFailure(`${evening.notice.title.en}.`);
    case "loaded": {
      const { outcome, later } = evening;
      const isServed = outcome.datasets.some(({ state }) => state !== "failed");
      if (json || isServed)
        print(later.length === 0 ? outcome : { ...outcome, later }, [
          `${notice.servedSentence(outcome).en}.`,
          ...notice.linesOf(outcome).map(({ en }) => en),
          ...(later.length === 0 ? [] : ["Since an earlier run loaded this delivery:", ...later]),
        ]);
      const failures = notice.failuresText(outcome);
      if (failures !== null) throw new CommandFailure(`${outcome.tradedate}: ${failures}`);
      if (!isWell(outcome)) process.exitCode = EXIT.failed;
      else if (outcome.degraded) process.exitCode = EXIT.degraded;
    }
  }
}

/** Parses a time of day as minutes after midnight. */
function timeArgument(text: string): number {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) throw new InvalidArgumentError("expected a time as HH:MM.");
  return Number(hours) * 60 + Number(minutes);
}

/**
 * The outcome of an evening. `loaded`: `later` are the changes since an earlier run loaded the delivery. `idle`:
 * nothing was delivered, and the day's orders are already served; `lacking` are the datasets that other days have and
 * that are not served for this day.
 */
type Evening =
  | { end: "loaded"; outcome: DayOutcome; fingerprint: string; later: string[] }
  | { end: "late"; notice: wire.Notice }
  | { end: "idle"; tradedate: BeijingDate; lacking: DatasetName[] };

async function spend(run: Run): Promise<Evening> {
  const { folder, client, workFolder } = run;
  await refuseAbsent(folder);
  const tradedate = run.date ?? (await dueDay(client));
  const isIdle =
    isEmpty(await readDelivery(folder, tradedate)) && (await isServed(client, tradedate, "orders"));
  if (isIdle) return { end: "idle", tradedate, lacking: await unservedDatasets(client, tradedate) };
  for (;;) {
    const arrival = await awaited(run, tradedate);
    if (arrival.state !== "complete")
      return { end: "late", notice: notice.lateNotice(tradedate, arrival, true) };
    const { fingerprint, mark } = arrival.delivery;
    const { outcome: before } = recallDay(workFolder, tradedate, fingerprint);
    // A failed day is retried, because options, service or code may have changed. A withdrawn day is retried too; the
    // service then refuses it and says which operator withdrew it.
    const later = before !== null && isWell(before) ? await laterChanges(client, before) : null;
    if (before !== null && later !== null) return { end: "loaded", outcome: before, fingerprint, later };
    const outcome = await loadDay(client, arrival.delivery, run);
    const isChanged = (await readDelivery(folder, tradedate)).mark !== mark;
    if (outcome.state !== "failed" || !isChanged) return { end: "loaded", outcome, fingerprint, later: [] };
    console.error(`The delivery for ${tradedate} changed while it was read; waiting again.`);
  }
}

/** Sends the outcome to the webhook, unless it is a success that an earlier run has already sent. */
async function tellOnce(
  { workFolder, receiver }: Run,
  { outcome, fingerprint }: Extract<Evening, { end: "loaded" }>,
): Promise<void> {
  const tradedate = outcome.tradedate as BeijingDate;
  const memory = recallDay(workFolder, tradedate, fingerprint);
  const told = notice.outcomeNotice(outcome);
  if (isWell(outcome) && memory.told.includes(told.event)) return;
  await tell(receiver, told, outcome.announcedAtMs);
  rememberDay(workFolder, tradedate, { ...memory, told: [...memory.told, told.event] });
}

function awaited(run: Run, tradedate: BeijingDate): Promise<Arrival> {
  const { folder, receiver } = run;
  console.error(`Waiting for the ${tradedate} delivery in ${folder}`);
  return waitForDelivery({
    look: () => readDelivery(folder, tradedate),
    problemOf: (delivery) => deliveryProblem(folder, delivery, run),
    onWaiting: (problem) => console.error(`Waiting: ${problem.en}.`),
    async onLate(arrival) {
      const late = notice.lateNotice(tradedate, arrival, false);
      console.error(late.title.en);
      // A failing webhook must not end the wait.
      await tell(receiver, late).catch((error: Error) => console.error(error.message));
    },
    stableMs: run.stable * 1000,
    pollMs: run.poll * 1000,
    byMs: eveningTime(tradedate, run.by),
    untilMs: eveningTime(tradedate, run.until),
  });
}

/** Returns the datasets that other days have and `tradedate`, whose orders are served, lacks. */
async function unservedDatasets(client: AdminClient, tradedate: BeijingDate): Promise<DatasetName[]> {
  // Services of earlier versions have only orders and do not list datasets.
  const others = await lackingDatasets(client, ["orders"]).catch(() => []);
  const unserved: DatasetName[] = [];
  for (const dataset of others) {
    if (!(await isServed(client, tradedate, dataset))) unserved.push(dataset);
  }
  return unserved;
}

/** Returns whether customers can read the dataset on `tradedate`. */
async function isServed(client: AdminClient, tradedate: BeijingDate, dataset: DatasetName): Promise<boolean> {
  return (await availableDays(client, [tradedate], dataset)).has(tradedate);
}

/** Returns what changed since `outcome` was stored, as sentences; null if a dataset is not served now. */
export async function laterChanges(
  client: AdminClient,
  { tradedate, datasets, files }: Pick<DayOutcome, "tradedate" | "datasets" | "files">,
): Promise<string[] | null> {
  const later: string[] = [];
  for (const { dataset, revision } of datasets) {
    const now = (await availableDays(client, [tradedate as BeijingDate], dataset)).get(tradedate);
    if (now === undefined) return null;
    if (now !== revision) later.push(`${dayName(tradedate, dataset)} is now served as revision ${now}.`);
  }
  for (const { dataType, name, revision } of files.filter((file) => file.revision !== null)) {
    const there = await listFiles(client, dataType, tradedate, tradedate);
    const now = there.find((file) => file.name === name && file.state === "published")?.revision;
    if (now === undefined) later.push(`${name} is no longer offered.`);
    else if (now !== revision) later.push(`${name} is now offered as revision ${now}.`);
  }
  return later;
}

/** Returns the newest trading day whose session has ended, according to the service's calendar. */
async function dueDay(client: AdminClient): Promise<BeijingDate> {
  const last = lastClosedDay(Date.now());
  // No holiday lasts two weeks. At the beginning of a year these two weeks include days of the previous year, whose
  // calendar is then read too.
  const years = new Set([addDays(last, -14).slice(0, 4), last.slice(0, 4)]);
  const calendars = await Array.fromAsync(years, (year) =>
    client.get(wire.calendarSchema, `/admin/calendar?year=${year}`),
  );
  const calendar = calendars.flatMap(({ days }) => days);
  const day = newestTradingDay(calendar, last);
  if (day !== null) return day;
  throw new CommandFailure(
    `The service's calendar does not say which day is due on ${last}; load it with \`edgetape calendar load\`.`,
  );
}

/** The session ends at 15:00; the day's delivery can arrive after that. */
const CLOSE_MS = 15 * 3_600_000;

/** Returns the last Beijing day, trading day or not, on which the closing time has passed at `nowMs`. */
export function lastClosedDay(nowMs: number): BeijingDate {
  const today = beijingDate(nowMs);
  return nowMs - startOfDay(today) >= CLOSE_MS ? today : addDays(today, -1);
}

/** Returns the newest trading day up to `last`, or null when `calendar` (ascending) has a gap between it and `last`. */
export function newestTradingDay(calendar: { day: BeijingDate; open: boolean }[], last: BeijingDate) {
  const open = new Map(calendar.map(({ day, open }) => [day, open]));
  for (let day = last; open.has(day); day = addDays(day, -1)) if (open.get(day)) return day;
  return null;
}

/**
 * Returns the instant (Unix milliseconds) of a time in the evening or night after the session of `tradedate`: a time
 * before noon is on the next day.
 *
 * @example eveningTime("20260312", 90) // 2026-03-13T01:30:00+08:00
 */
export function eveningTime(tradedate: BeijingDate, minutes: number): number {
  return startOfDay(minutes < 12 * 60 ? addDays(tradedate, 1) : tradedate) + minutes * 60_000;
}
