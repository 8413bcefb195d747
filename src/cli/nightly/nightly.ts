/**
 * An evening: which day is due, its delivery, the service. Every end is told to the webhook once; what was
 * told and reached is remembered, so the command can be run again after any end.
 */
import { calendarSchema, dayListSchema, type Notice, type Webhook } from "../../admin/wire.ts";
import { addDays, type BeijingDate } from "../../calendar/beijing.ts";
import type { AdminClient } from "../admin-client.ts";
import { CommandFailure } from "../exit.ts";
import { tell } from "../webhook/webhook-options.ts";
import { type DayOutcome, isWell, recallDay, rememberDay } from "./day-outcome.ts";
import { deliveryProblem, type Expected } from "./delivery-problem.ts";
import { isEmpty, readDelivery, refuseAbsent } from "./drop-folder.ts";
import { eveningTime, lastClosedDay, newestTradingDay } from "./due-day.ts";
import { faultNotice, lateNotice, outcomeNotice } from "./evening-notice.ts";
import { type LoadOptions, loadDay } from "./load-day.ts";
import { type Arrival, type Clock, waitForDelivery } from "./wait-for-delivery.ts";

/** A time of the day. */
export interface TimeOfDay {
  hours: number;
  minutes: number;
}

export interface NightlyAsk {
  folder: string;
  /** Null: the newest trading day that has closed. */
  tradedate: BeijingDate | null;
  expected: Expected;
  /** When it is late, and when nobody waits any longer, in Beijing. */
  by: TimeOfDay;
  until: TimeOfDay;
  stableMs: number;
  pollMs: number;
  load: LoadOptions;
}

export interface NightlyTools {
  client: AdminClient;
  webhook: Webhook | null;
  clock: Clock;
  /** Hears what is being done. */
  say(line: string): void;
}

/** How it ended. `idle`: nothing was delivered, and nothing is needed as the day is served. */
export type Evening =
  | { end: "loaded"; outcome: DayOutcome; fingerprint: string }
  | { end: "late"; notice: Notice }
  | { end: "idle"; tradedate: BeijingDate };

/** Loads the day that is due. Throws what stood in the way of it, after the webhook was told. */
export async function nightly(ask: NightlyAsk, tools: NightlyTools): Promise<Evening> {
  const evening = await spend(ask, tools).catch(async (error: unknown) => {
    const problem = error instanceof Error ? error.message : String(error);
    await tell(tools.webhook, faultNotice(ask.tradedate, problem)).catch(() => undefined);
    throw error;
  });
  if (evening.end === "late") await tell(tools.webhook, evening.notice);
  if (evening.end === "loaded") await tellOnce(ask.load.workFolder, tools, evening);
  return evening;
}

async function spend(ask: NightlyAsk, tools: NightlyTools): Promise<Evening> {
  await refuseAbsent(ask.folder);
  const tradedate = ask.tradedate ?? (await dueDay(tools));
  if (await isIdle(ask, tools, tradedate)) return { end: "idle", tradedate };
  for (;;) {
    const arrival = await awaited(ask, tools, tradedate);
    if (arrival.state !== "complete") return { end: "late", notice: lateNotice(tradedate, arrival, true) };
    const { fingerprint, mark } = arrival.delivery;
    const { outcome: before } = recallDay(ask.load.workFolder, tradedate, fingerprint);
    // A failure is tried again: the command line, the service or the code may be another one now. So is a day that an
    // operator has withdrawn since: the service says who did.
    if (before !== null && isWell(before) && (await isServed(tools, tradedate))) {
      return { end: "loaded", outcome: before, fingerprint };
    }
    const outcome = await loadDay(tools.client, arrival.delivery, ask.load);
    const isChanged = (await readDelivery(ask.folder, tradedate)).mark !== mark;
    if (outcome.state !== "failed" || !isChanged) return { end: "loaded", outcome, fingerprint };
    tools.say(`The delivery of ${tradedate} changed while it was read; waiting again.`);
  }
}

/** Tells how the day ended, unless an earlier run has told that it ended well. */
async function tellOnce(
  workFolder: string,
  { webhook }: NightlyTools,
  { outcome, fingerprint }: Extract<Evening, { end: "loaded" }>,
): Promise<void> {
  const tradedate = outcome.tradedate as BeijingDate;
  const memory = recallDay(workFolder, tradedate, fingerprint);
  const notice = outcomeNotice(outcome);
  if (isWell(outcome) && memory.told.includes(notice.event)) return;
  await tell(webhook, notice);
  rememberDay(workFolder, tradedate, { ...memory, told: [...memory.told, notice.event] });
}

function awaited(ask: NightlyAsk, tools: NightlyTools, tradedate: BeijingDate): Promise<Arrival> {
  const { folder, expected, stableMs, pollMs } = ask;
  const byMs = eveningTime(tradedate, ask.by);
  const untilMs = eveningTime(tradedate, ask.until);
  tools.say(`Waiting for the delivery of ${tradedate} in ${folder}`);
  return waitForDelivery(
    {
      look: () => readDelivery(folder, tradedate),
      problemOf: (delivery) => deliveryProblem(folder, delivery, expected),
      onWaiting: (problem) => tools.say(`Waiting: ${problem.en}.`),
      async onLate(arrival) {
        if (arrival.state === "complete") return;
        const notice = lateNotice(tradedate, arrival, false);
        tools.say(notice.title.en);
        // The day itself is not lost yet: a webhook that fails now must not end the wait.
        await tell(tools.webhook, notice).catch((error: Error) => tools.say(error.message));
      },
    },
    { stableMs, pollMs, byMs, untilMs },
    tools.clock,
  );
}

/** Whether there is nothing to wait for: no delivery lies there and the day is served. */
async function isIdle({ folder }: NightlyAsk, tools: NightlyTools, tradedate: BeijingDate): Promise<boolean> {
  return isEmpty(await readDelivery(folder, tradedate)) && (await isServed(tools, tradedate));
}

async function isServed({ client }: NightlyTools, tradedate: BeijingDate): Promise<boolean> {
  return (await availableDays(client, [tradedate])).has(tradedate);
}

/** Returns those of `wanted` that customers can read now: published, and not withdrawn since. */
export async function availableDays(client: AdminClient, wanted: BeijingDate[]): Promise<Set<string>> {
  const available = new Set<string>();
  for (const month of new Set(wanted.map((day) => day.slice(0, 6)))) {
    const { days } = await client.request(dayListSchema, "GET", `/admin/days?month=${month}`);
    for (const { tradedate, state } of days) {
      if (state === "available" || state === "degraded") available.add(tradedate);
    }
  }
  return available;
}

/** The newest trading day that has closed, by the service's calendar. */
async function dueDay({ client, clock }: NightlyTools): Promise<BeijingDate> {
  const last = lastClosedDay(clock.nowMs());
  // Two weeks reach over every holiday, and so the year before may be needed.
  const years = new Set([addDays(last, -14).slice(0, 4), last.slice(0, 4)]);
  const calendar: { day: BeijingDate; open: boolean }[] = [];
  for (const year of years) {
    const { days } = await client.request(calendarSchema, "GET", `/admin/calendar?year=${year}`);
    calendar.push(...days);
  }
  const day = newestTradingDay(calendar, last);
  if (day !== null) return day;
  throw new CommandFailure(
    `The service's calendar does not say which day is due on ${last}; load it with \`edgetape calendar load\`.`,
  );
}
