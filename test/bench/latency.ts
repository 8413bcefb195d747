/**
 * Measures how long a caller would wait in production. The stores have the delays that `--delay` sets. For each kind of
 * request it shows the stages of the critical path and the minimum that the measured store times allow. It also shows
 * the D1 queries per request for three patterns of access.
 */
import { onDrive, shareOf, type TestShare, tradesFile } from "../support/drive.ts";
import { publishFiles } from "../support/files.ts";
import { type Answer, call } from "../support/http-client.ts";
import { account, loadWeekdays } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { type Service, startService } from "../support/service.ts";
import { type BenchOptions, type BenchRow, figuresIn, median } from "./bench-row.ts";
import type { Calls, Delays, TimedCall } from "./latency-worker.ts";
import { LARGEST, publishSampleDay, SAMPLE_DATE } from "./sample-day.ts";

const FILE_DATE = "20260310";
const MISSING_DATE = "20260312";
const ROUNDS = 12;
const SWEPT = 40;
/** The milliseconds by which the clock is set forward, so that an isolate's cached data has expired. */
const EXPIRE_MS = 60_000;
const STAGES = ["D1", "gate", "R2", "release", "guard", "other"] as const;
type Stage = (typeof STAGES)[number];
type ByStage = Record<Stage, number>;

/** One request: how long the client waited, at which stage, and the time of each store. */
interface Sample {
  ms: number;
  path: ByStage;
  /** Median milliseconds over the calls to each store; 0 without calls. */
  stores: ByStage;
  d1: number;
  queries: number;
}

/**
 * A kind of request and its samples. Its minimum time contains `d1` calls to D1, one call to the gate and one to R2.
 * The calls to the gate and to R2 run at the same time if `atOnce` is true.
 */
interface Kind {
  name: string;
  d1: 0 | 1;
  atOnce: boolean;
  /**
   * Whether each request is the first of its account and therefore reads R2 only after the gate's answer. The line then
   * also shows the minimum time with that order.
   */
  isFirst?: boolean;
  samples: Sample[];
}

/**
 * Returns a line for each kind of request, with a column for each stage. Adds the number of D1 queries per request for
 * each pattern of access.
 */
export async function benchLatency({ delays }: BenchOptions): Promise<BenchRow[]> {
  await using service = await startService({
    entry: "test/bench/latency-worker.ts",
    settings: { DAY_CACHE_MS: "10000" },
  });
  await loadWeekdays(service, "20260101", "20261231");
  const symbols = (await publishSampleDay(service))
    .filter(({ rows }) => rows > 0)
    .map(({ symbol }) => symbol);
  await publishFiles(service, tradesFile(FILE_DATE, new Uint8Array(1_000_000)));
  if (symbols.length < SWEPT + ROUNDS) throw new Error(`the day has only ${symbols.length} securities`);
  const { key } = await account(service, { plan: "flagship", limits: { files: null } });
  const used = await account(service, { plan: "flagship", limits: { requests: 0 } });
  const cold = await Promise.all(
    Array.from({ length: ROUNDS }, () => account(service, { plan: "flagship" })),
  );
  const share = await shareOf(service, key);

  const run = new Run({ service, delays, key, share });
  await run.warmUp();
  await run.setDelays();
  const kinds = [
    ...(await run.pages()),
    await run.kind("first page, warm key, new security", 1, (round) =>
      run.page({ symbol: symbols.at(-1 - round), page_size: 10_000 }),
    ),
    {
      ...(await run.kind("first page, cold key", 1, (round) => run.page({}, cold[round]?.key))),
      isFirst: true,
    },
    await run.kind("Parquet answer", 0, () => run.page({ format: "parquet" }), { atOnce: false }),
    await run.kind("1002 not_loaded", 1, () => run.page({ tradedate: MISSING_DATE }, key, "not_loaded")),
    await run.kind("1002 security_unknown", 1, () => run.page({ symbol: "999999" }, key, "security_unknown")),
    await run.kind("403 key_unknown", 1, () => run.page({}, "unknown", "key_unknown")),
    await run.kind("422 param_invalid", 0, () => run.page({ page_size: 0 }, key, "param_invalid")),
    await run.kind("429 quota_used", 0, () => run.page({}, used.key, "quota_used")),
    await run.kind("range of a share's file", 1, () => run.file(), { atOnce: false }),
  ];
  return [...kinds.flatMap(rowsOf), ...(await patterns(run, symbols))];
}

function sampleOf({ requestMs, calls: made }: Calls, ms: number): Sample {
  const calls = made.filter((each) => each.beganMs >= requestMs && isAwaited(each));
  const path = criticalPath(calls, requestMs, requestMs + ms);
  const stores = emptyStages();
  for (const stage of STAGES) {
    const took = calls.filter((each) => stageOf(each) === stage).map((each) => each.endedMs - each.beganMs);
    stores[stage] = took.length === 0 ? 0 : median(took);
  }
  const reads = calls.filter(({ store }) => store === "d1");
  const queries = reads.reduce((sum, { statements }) => sum + statements, 0);
  return { ms, path, stores, d1: reads.length, queries };
}

/**
 * Returns whether the client waits for the call. The client waits neither for records in the catalog nor until a
 * release is stored.
 */
function isAwaited({ store, method }: TimedCall): boolean {
  return !(store === "d1" && method === "run") && method !== "lease.written";
}

/**
 * Returns the time spent in each stage. The path is traced backwards from the end: the call that ended last, then the
 * call that ended last before that one began, and so on. Time without a call belongs to the worker and the connection
 * (`other`).
 */
function criticalPath(calls: readonly TimedCall[], beganMs: number, endedMs: number): ByStage {
  const path = emptyStages();
  const byEnd = calls.toSorted((a, b) => b.endedMs - a.endedMs);
  let atMs = endedMs;
  for (const each of byEnd) {
    if (each.endedMs > atMs) continue;
    path.other += atMs - each.endedMs;
    path[stageOf(each)] += each.endedMs - each.beganMs;
    atMs = each.beganMs;
  }
  path.other += Math.max(0, atMs - beganMs);
  return path;
}

function emptyStages(): ByStage {
  return { D1: 0, gate: 0, R2: 0, release: 0, guard: 0, other: 0 };
}

function stageOf({ store, method }: TimedCall): Stage {
  if (store === "d1") return "D1";
  if (store === "r2") return "R2";
  if (store === "guard") return "guard";
  if (store === "gate") return method === "lease.release" || method === "release" ? "release" : "gate";
  return "other";
}

interface RunOf {
  service: Service;
  delays: Omit<Delays, "advanceMs">;
  key: string;
  share: TestShare;
}

/** Sends the requests of one account to a service whose stores are delayed, and measures each kind of request. */
class Run {
  readonly #of: RunOf;

  constructor(of: RunOf) {
    this.#of = of;
  }

  /** Delays the stores from now on, and sets the service's clock forward by `advanceMs`. */
  async setDelays(advanceMs = 0): Promise<void> {
    const { service, delays } = this.#of;
    await call(`${service.baseUrl}/delays`, { body: { ...delays, advanceMs } });
  }

  /** Sends one request and returns its figures with the answer. */
  async sample(send: () => Promise<Answer>): Promise<{ answer: Answer; sample: Sample }> {
    await this.#calls();
    const beganMs = performance.now();
    const answer = await send();
    const ms = performance.now() - beganMs;
    return { answer, sample: sampleOf(await this.#calls(), ms) };
  }

  async #calls(): Promise<Calls> {
    return (await (await fetch(`${this.#of.service.baseUrl}/calls`)).json()) as Calls;
  }

  /** Requests a page. Throws unless the answer's reason is `reason`, which is null for a served page. */
  page = async (params: object, apikey = this.#of.key, reason: string | null = null): Promise<Answer> => {
    const all = { symbol: LARGEST, tradedate: SAMPLE_DATE, ...params };
    const answer = await this.#of.service.post(orderHistory({ apikey, params: all }));
    if (answer.reason !== reason) throw new Error(`${answer.reason} ${answer.text.slice(0, 300)}`);
    return answer;
  };

  file(): Promise<Answer> {
    const headers = { range: "bytes=0-99999" };
    return onDrive(this.#of.share, `${FILE_DATE}/${FILE_DATE}_trades.zip`, { headers });
  }

  async kind(
    name: string,
    d1: 0 | 1,
    send: (round: number) => Promise<Answer>,
    { atOnce = true } = {},
  ): Promise<Kind> {
    const samples: Sample[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      samples.push((await this.sample(() => send(round))).sample);
    }
    return { name, d1, atOnce, samples };
  }

  /** Pages through the largest security several times; the first, the inner and the last pages are separate kinds. */
  async pages(): Promise<Kind[]> {
    const kind = (name: string): Kind => ({ name, d1: 0, atOnce: true, samples: [] });
    const [first, inner, last] = [
      kind("first page, key and security warm"),
      kind("page by cursor"),
      kind("last page"),
    ];
    for (let round = 0; round < ROUNDS / 3; round++) {
      for (let cursor: string | null = null; ; ) {
        const asked = cursor;
        const { answer, sample } = await this.sample(() => this.page({ cursor: asked }));
        const next = answer.envelope.data?.next_cursor as string | null;
        (asked === null ? first : next === null ? last : inner).samples.push(sample);
        if (next === null) break;
        cursor = next;
      }
    }
    return [first, inner, last];
  }

  /** Sends requests until the compiler has optimised the code, before the stores become slow. */
  async warmUp(): Promise<void> {
    for (let round = 0; round < 30; round++) await this.page({});
    for (let round = 0; round < 5; round++) await this.page({ format: "parquet" });
    for (let round = 0; round < 5; round++) await this.file();
  }
}

function rowsOf({ name, d1, atOnce, isFirst = false, samples }: Kind): BenchRow[] {
  const of = (figure: (sample: Sample) => number) => median(samples.map(figure));
  const store = (stage: Stage) => of(({ stores }) => stores[stage]);
  const own = of(({ path }) => path.other);
  const inSequence = store("gate") + store("R2");
  const leastWith = (readMs: number) => d1 * store("D1") + readMs + store("release") + own;
  const least = leastWith(atOnce ? Math.max(store("gate"), store("R2")) : inSequence);
  const value = of(({ ms }) => ms);
  const figure = figuresIn("latency, medians with delayed stores", name);
  const spent = (stage: Stage) => of(({ path }) => path[stage]);
  const trips = of((sample) => sample.d1);
  return [
    figure("time", value, "ms", [least, "the least that its stores allow"]),
    ...STAGES.map((stage) => figure(stage === "other" ? "own and connection" : stage, spent(stage), "ms")),
    figure("D1 trips", trips, ""),
    ...(isFirst ? [figure("least with R2 after the gate", leastWith(inSequence), "ms")] : []),
  ];
}

/**
 * Returns the D1 queries per request for three patterns: paging through one security, first pages of many securities,
 * and one page a second for a minute.
 */
async function patterns(run: Run, symbols: readonly string[]): Promise<BenchRow[]> {
  const measured = async (name: string, requests: () => AsyncGenerator<() => Promise<Answer>>) => {
    await run.setDelays(EXPIRE_MS);
    const samples: Sample[] = [];
    for await (const send of requests()) samples.push((await run.sample(send)).sample);
    const each = (figure: (sample: Sample) => number) =>
      samples.reduce((sum, sample) => sum + figure(sample), 0) / samples.length;
    const about = { table: "D1 reads a request, everything cold at first", name, unit: "" };
    return [
      { ...about, column: "round trips", value: each(({ d1 }) => d1) },
      { ...about, column: "queries", value: each(({ queries }) => queries) },
    ];
  };
  return [
    ...(await measured("one long run of pages", async function* () {
      for (let cursor: string | null = null; ; ) {
        const asked = { cursor, page_size: 5_000 };
        let next: string | null = null;
        yield async () => {
          const answer = await run.page(asked);
          next = answer.envelope.data?.next_cursor as string | null;
          return answer;
        };
        if (next === null) return;
        cursor = next;
      }
    })),
    ...(await measured(`first pages of ${SWEPT} securities`, async function* () {
      for (const symbol of symbols.slice(0, SWEPT)) yield () => run.page({ symbol, page_size: 100 });
    })),
    ...(await measured("one page a second of one security", async function* () {
      for (let second = 0; second < 60; second++) {
        yield () => run.page({ page_size: 100 });
        await run.setDelays(1_000);
      }
    })),
  ];
}
