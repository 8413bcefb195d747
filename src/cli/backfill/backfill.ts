/**
 * Many days, one after the other. What each came to is remembered as `nightly` does it, so a run that was
 * broken off is taken up at the day it stood at; a journal tells people what happened when.
 */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BeijingDate, beijingTimestamp } from "../../calendar/beijing.ts";
import type { AdminClient } from "../admin-client.ts";
import { type DayOutcome, isWell, recallDay } from "../nightly/day-outcome.ts";
import { deliveryProblem, type Expected } from "../nightly/delivery-problem.ts";
import { type Delivery, measured, type NamedDelivery, namedDeliveries } from "../nightly/drop-folder.ts";
import { linesOf, servedSentence } from "../nightly/evening-notice.ts";
import { type LoadOptions, loadDay } from "../nightly/load-day.ts";
import { availableDays } from "../nightly/nightly.ts";
import { secondsLeft, spanText } from "./estimate.ts";

/** So many days that fail in a row have one cause, such as a service that cannot be reached. */
const FAILURES_IN_A_ROW = 3;

export interface BackfillAsk {
  folder: string;
  /** The first and the last day, both included; null: as far as there are any. */
  from: BeijingDate | null;
  to: BeijingDate | null;
  oldestFirst: boolean;
  expected: Expected;
  load: LoadOptions;
}

export interface Backfilled {
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
