/**
 * Compares refusals with a served page of 10,000 rows, on an idle service and while 200 accounts read pages. The
 * figures are the elapsed time (with an empty worker as the minimum), the worker's own time, and processor time. For
 * the 503, a download that its client has paused occupies the slot.
 */

import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASETS } from "../../src/datasets/registry.ts";
import { noiseOf } from "../support/dataset-days.ts";
import { type Answer, call } from "../support/http-client.ts";
import { account, publishPack } from "../support/operator.ts";
import { buildPackBytes } from "../support/pack-bytes.ts";
import { orderHistory } from "../support/paging.ts";
import { randomFrom } from "../support/random.ts";
import { newestRuntime } from "../support/runtime-process.ts";
import type { Service } from "../support/service.ts";
import { type OpenAnswer, openAnswer } from "../support/slow-client.ts";
import { type BenchRow, type Beside, figure, figuresIn, median, timeInterleaved } from "./bench-row.ts";
import { startFixedBody, type Tally } from "./load-readers.ts";
import { SAMPLE_DATE } from "./sample-day.ts";

const TABLE = "refusals beside a page of 10,000 rows";
const ROUNDS = 60;
/** The size of the fixed answer that is measured for comparison; a refusal's envelope has about this size. */
const FLOOR_BYTES = 300;
/** Requests per measurement. One request is too short, because the kernel counts processor time in steps of 10 ms. */
const IN_A_ROW = 200;

/** A security whose file is larger than all buffers between the worker and a paused reader. */
const HELD = { tradedate: "20260310", symbol: "300750", rows: 700_000 };

interface Kind {
  name: string;
  reason: string | null;
  /** The request's body. */
  body: Record<string, unknown>;
  send(): Promise<Answer>;
}

export interface Refusals {
  /** Measures the refusals while the service has no other requests. */
  quiet(): Promise<BenchRow[]>;
  /** Measures the refusals while `reading` is in progress. */
  beside(reading: Promise<Tally>): Promise<BenchRow[]>;
  /** Frees the held slot. */
  end(): Promise<void>;
}

/** Prepares a request for each kind of refusal: publishes a day, creates the accounts, and occupies one slot. */
export async function prepareRefusals(service: Service, symbol: string): Promise<Refusals> {
  const columns = noiseOf(randomFrom(1), DATASETS.orders, HELD.rows);
  const pack = await buildPackBytes(HELD.tradedate as BeijingDate, [
    { symbol: HELD.symbol, market: "SZ", columns },
  ]);
  await publishPack(service, HELD.tradedate, pack);
  const limits = { requests: 1_000_000, files: 1_000 };
  const [served, holding, used] = await Promise.all([
    account(service, { plan: "flagship" }),
    account(service, { plan: "flagship", limits }),
    account(service, { plan: "flagship", limits: { requests: 0 } }),
  ]);
  const holder = await hold(service, holding.key);
  const kind = (name: string, reason: string | null, apikey: string, params: object = {}): Kind => {
    const body = orderHistory({
      apikey,
      params: { symbol, tradedate: SAMPLE_DATE, page_size: 10_000, ...params },
    });
    return { name, reason, body, send: () => call(`${service.baseUrl}/api`, { body }) };
  };
  const page = kind("the page", null, served.key);
  const kinds = [
    kind("403 key unknown", "key_unknown", "et_unknown"),
    kind("422 wrong parameter", "param_invalid", served.key, { page_size: 0 }),
    kind("429 quota used", "quota_used", used.key),
    kind("503 slot busy", "slot_busy", holding.key),
  ];
  return {
    quiet: () => quiet(service, page, kinds),
    beside: (reading) => beside(kinds, reading),
    end: async () => {
      await holder.hangUpAfter(1);
    },
  };
}

async function hold(service: Service, apikey: string): Promise<OpenAnswer> {
  const params = { symbol: HELD.symbol, tradedate: HELD.tradedate, format: "parquet" };
  const holder = await openAnswer(`${service.baseUrl}/api`, { body: orderHistory({ apikey, params }) });
  if (holder.status !== 200) throw new Error(`the slot could not be held: HTTP ${holder.status}`);
  return holder;
}

async function sendOnce({ name, reason, send }: Kind): Promise<void> {
  const answer = await send();
  if (answer.reason !== reason) throw new Error(`${name}: ${answer.reason} ${answer.text.slice(0, 200)}`);
}

async function quiet(service: Service, page: Kind, kinds: readonly Kind[]): Promise<BenchRow[]> {
  const all = [page, ...kinds];
  // These requests warm the service up and exhaust the number of refusals that the isolate stores for these accounts.
  for (const kind of all) for (let n = 0; n < 30; n++) await sendOnce(kind);
  const runtime = newestRuntime();
  await using idle = await startFixedBody(FLOOR_BYTES);
  const floor: Kind = {
    ...page,
    name: "a worker with nothing to do",
    send: () => call(`${idle.origin}/api`, { body: page.body }),
  };
  const medians = await timeInterleaved(
    new Map([...all, floor].map((kind) => [kind, () => sendOnce(kind)])),
    ROUNDS,
  );
  const cpu = new Map<Kind, number>();
  for (const kind of runtime === null ? [] : all) {
    const before = runtime?.cpuMs() ?? 0;
    for (let n = 0; n < IN_A_ROW; n++) await sendOnce(kind);
    cpu.set(kind, ((runtime?.cpuMs() ?? 0) - before) / IN_A_ROW);
  }
  const own = new Map<Kind, number>();
  for (const kind of all) own.set(kind, (await ownTime(service, kind)).ms);
  const { ms: requestMs, stringifyMs } = await ownTime(service, page);
  const row = (kind: Kind, column: string, figures: ReadonlyMap<Kind, number>): BenchRow[] => {
    const value = figures.get(kind);
    if (value === undefined) return [];
    const rival = [figures.get(page) ?? Number.NaN, "the page"] as const;
    return [figuresIn(TABLE, kind.name)(column, value, "ms", kind === page ? undefined : rival)];
  };
  const whole = figure("a whole request for 10,000 rows, in the worker", requestMs, "ms", [
    stringifyMs,
    "JSON.stringify of its ready rows",
  ]);
  const table = [...all, floor].flatMap((kind) => [
    ...row(kind, "alone", medians),
    ...row(kind, "worker's own time", own),
    ...row(kind, "processor time, stores' simulators included", cpu),
  ]);
  return [whole, ...table];
}

interface OwnTime {
  ms: number;
  stringifyMs: number;
}

async function ownTime(service: Service, { name, reason, body }: Kind): Promise<OwnTime> {
  const answer = await call(`${service.baseUrl}/own-time?times=${IN_A_ROW}`, { body });
  const seen = JSON.parse(answer.text) as OwnTime & { reason: string | null };
  if (seen.reason !== reason) throw new Error(`${name}: ${seen.reason}`);
  return seen;
}

async function beside(kinds: readonly Kind[], reading: Promise<Tally>): Promise<BenchRow[]> {
  const samples = new Map(kinds.map((kind) => [kind, [] as number[]]));
  const isReading = { value: true };
  const ended = reading.finally(() => {
    isReading.value = false;
  });
  while (isReading.value) {
    for (const [kind, taken] of samples) {
      const beganMs = performance.now();
      await sendOnce(kind);
      taken.push(performance.now() - beganMs);
    }
  }
  const page = median((await ended).ms);
  const row = (name: string, ms: number, rival?: Beside) =>
    figuresIn(TABLE, name)("while 200 accounts page", ms, "ms", rival);
  const refusals = [...samples].map(([{ name }, taken]) =>
    row(name, median(taken), [page, "a page of 2,000 rows then"]),
  );
  return [row("the page", page), ...refusals];
}
