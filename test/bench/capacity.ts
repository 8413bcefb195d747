/**
 * Measures how many pages one isolate serves to 64 accounts concurrently. Short measurements with a near R2, where only
 * the processor is the limit, alternate with measurements with a distant R2. Waiting for R2 must not reduce the number
 * of pages.
 *
 * Timers take processor time too, so both delays use the same timers. Clients and simulated stores share the machine
 * with the isolate. Therefore the figures also show the pages per second of the runtime's processor time, and how much
 * of the time the isolate's thread was busy. A thread that is always busy loses nothing by waiting for R2.
 */
import { Agent } from "node:http";
import { call } from "../support/http-client.ts";
import { account } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { newestRuntime, type RuntimeProcess } from "../support/runtime-process.ts";
import { type Service, startService } from "../support/service.ts";
import { type BenchRow, figuresIn, median } from "./bench-row.ts";
import type { Delays } from "./latency-worker.ts";
import { LARGEST, publishSampleDay, SAMPLE_DATE } from "./sample-day.ts";

const READERS = 64;
const R2_MS = 60;
/** The near R2 has a delay too, so that both use the same timers. */
const NEAR_MS = 2;
const PAGE_SIZES = [100, 2_000, 10_000];
const PAIRS = 8;
/**
 * A slice ends when `pages` pages have arrived, but lasts at least `leastMs` and at most `mostMs`. A busy
 * machine serves pages in bursts, so each reader gets several pages in a slice.
 */
const SLICE = { pages: 3 * READERS, leastMs: 1_500, mostMs: 8_000 };
/** The period before each slice, which is not counted because requests of the previous slice are still ending. */
const SETTLE = { pages: READERS, leastMs: 700, mostMs: 4_000 };
const WARM_UP_MS = 2_000;
/** Number of pages that a single reader requests, to time a page without concurrent load. */
const ALONE = 40;

/**
 * Returns the pages per second with a near and with a distant R2, and the number of pages that were refused for lack of
 * memory.
 */
export async function benchCapacity(): Promise<BenchRow[]> {
  await using service = await startService({
    entry: "test/bench/latency-worker.ts",
    settings: { DAY_CACHE_MS: "10000" },
  });
  const runtime = newestRuntime();
  await publishSampleDay(service);
  const made = Array.from({ length: READERS }, () => account(service, { plan: "flagship" }));
  const keys = (await Promise.all(made)).map(({ key }) => key);
  const agent = new Agent({ keepAlive: true, maxSockets: READERS });
  const rows: BenchRow[] = [];
  for (const pageSize of PAGE_SIZES) {
    const readers = new Readers(service, { keys, agent, pageSize });
    rows.push(...(await compare(service, runtime, readers)));
  }
  agent.destroy();
  return rows;
}

/** The figures of one slice of the measurement (see `SLICE`). */
interface Slice {
  pages: number;
  ms: number;
  /** Processor time of the isolate with its simulated stores. */
  cpuMs: number;
  /** The time in which the isolate's thread had work. */
  workMs: number;
}

async function compare(
  service: Service,
  runtime: RuntimeProcess | null,
  readers: Readers,
): Promise<BenchRow[]> {
  await delayR2(service, NEAR_MS);
  const aloneMs = await readers.alone();
  const near: Slice[] = [];
  const far: Slice[] = [];
  const reading = readers.read();
  // `reading` is awaited at the end; until then a failure must not end the process as an unhandled rejection.
  reading.catch(() => undefined);
  await passed(WARM_UP_MS);
  for (let pair = 0; pair < PAIRS; pair++) {
    // Every other pair begins with the far store, so that a slow drift of the machine favours neither store.
    const order: [number, Slice[]][] = [
      [NEAR_MS, near],
      [R2_MS, far],
    ];
    for (const [r2, slices] of pair % 2 === 0 ? order : order.reverse()) {
      await delayR2(service, r2);
      await readers.arrived(SETTLE);
      slices.push(await sliceOf(readers, runtime));
    }
  }
  readers.end();
  await reading;
  return rowsOf({ readers, near, far, aloneMs });
}

async function sliceOf(readers: Readers, runtime: RuntimeProcess | null): Promise<Slice> {
  const now = (): Slice => ({
    pages: readers.pages,
    ms: performance.now(),
    cpuMs: runtime?.cpuMs() ?? Number.NaN,
    workMs: runtime?.workMs() ?? Number.NaN,
  });
  const began = now();
  await readers.arrived(SLICE);
  const ended = now();
  return {
    pages: ended.pages - began.pages,
    ms: ended.ms - began.ms,
    cpuMs: ended.cpuMs - began.cpuMs,
    workMs: ended.workMs - began.workMs,
  };
}

function rowsOf(measured: { readers: Readers; near: Slice[]; far: Slice[]; aloneMs: number }): BenchRow[] {
  const { readers, near, far, aloneMs } = measured;
  const perSecond = (slices: readonly Slice[], of: keyof Slice = "ms") =>
    (1_000 * sumOf(slices, "pages")) / sumOf(slices, of);
  const ratios = far
    .map((slice, pair) => perSecond([slice]) / perSecond(near.slice(pair, pair + 1)))
    .filter(Number.isFinite);
  const atWork = (slices: readonly Slice[]) => (100 * sumOf(slices, "workMs")) / sumOf(slices, "ms");
  const asked = (1_000 * READERS) / (R2_MS + aloneMs);
  const figure = figuresIn(
    `pages a second of one isolate, ${READERS} readers, R2 ${R2_MS} ms away`,
    `pages of ${readers.pageSize.toLocaleString("en")} rows`,
  );
  return [
    figure(`R2 ${NEAR_MS} ms away`, perSecond(near), "/s"),
    { ...figure("R2 far", perSecond(far), "/s"), ratio: median(ratios), against: `R2 ${NEAR_MS} ms away` },
    figure("least of a pair", Math.min(...ratios), "×"),
    figure("greatest", Math.max(...ratios), "×"),
    figure("a processor second, R2 near", perSecond(near, "cpuMs"), ""),
    figure("a processor second, R2 far", perSecond(far, "cpuMs"), ""),
    figure("thread has work, R2 near", atWork(near), "%"),
    figure("thread has work, R2 far", atWork(far), "%"),
    figure(`most that ${READERS} readers can ask for`, asked, "/s"),
    figure("503", readers.refused, ""),
  ];
}

function sumOf(slices: readonly Slice[], figure: keyof Slice): number {
  return slices.reduce((sum, slice) => sum + slice[figure], 0);
}

async function delayR2(service: Service, r2: number): Promise<void> {
  const delays: Delays = { ms: { r2 }, jitter: 0, advanceMs: 0 };
  await call(`${service.baseUrl}/delays`, { body: { ...delays } });
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface Reading {
  keys: readonly string[];
  agent: Agent;
  pageSize: number;
}

/** Accounts that page through the largest security repeatedly, without pause. */
class Readers {
  readonly pageSize: number;
  /** Number of pages that have arrived. */
  pages = 0;
  /** Number of pages that were refused for lack of memory. */
  refused = 0;
  readonly #service: Service;
  readonly #reading: Reading;
  #hasEnded = false;

  constructor(service: Service, reading: Reading) {
    this.pageSize = reading.pageSize;
    this.#service = service;
    this.#reading = reading;
  }

  /** Reads pages with all readers until `end` is called. */
  async read(): Promise<void> {
    const reader = async (key: string) => {
      for (let cursor: string | null = null; !this.#hasEnded; ) cursor = await this.#page(key, cursor);
    };
    await Promise.all(this.#reading.keys.map(reader));
  }

  /** Waits until `pages` more pages have arrived, but at least `leastMs` and at most `mostMs`. */
  async arrived({ pages, leastMs, mostMs }: typeof SLICE): Promise<void> {
    const [wanted, sinceMs] = [this.pages + pages, performance.now()];
    const spentMs = () => performance.now() - sinceMs;
    while (spentMs() < leastMs || (this.pages < wanted && spentMs() < mostMs)) await passed(10);
  }

  end(): void {
    this.#hasEnded = true;
  }

  /** Returns the median milliseconds of a page when only one reader sends requests. */
  async alone(): Promise<number> {
    const took: number[] = [];
    for (let cursor: string | null = null; took.length < ALONE; ) {
      const beganMs = performance.now();
      cursor = await this.#page(this.#reading.keys[0] ?? "", cursor);
      took.push(performance.now() - beganMs);
    }
    this.pages = 0;
    return median(took);
  }

  /** Reads one page and returns the cursor of the next one. */
  async #page(apikey: string, cursor: string | null): Promise<string | null> {
    const params = { symbol: LARGEST, tradedate: SAMPLE_DATE, page_size: this.pageSize, cursor };
    const body = orderHistory({ apikey, params });
    const { agent } = this.#reading;
    const { reason, bytes } = await call(`${this.#service.baseUrl}/api`, { body, agent });
    if (reason === "unavailable") this.refused++;
    else if (reason !== null) throw new Error(`${reason} ${bytes.toString().slice(0, 300)}`);
    else this.pages++;
    const end = bytes.subarray(-1_000).toString();
    return /"next_cursor":"([^"]+)"/.exec(end)?.[1] ?? null;
  }
}
