/**
 * Measures the pages that one isolate serves to 64 accounts concurrently, with an R2 that answers immediately, so that
 * only the processor is the limit, and with a delayed R2, interleaved. Waiting for R2 must not reduce the number of
 * pages.
 */
import { Agent } from "node:http";
import { call } from "../support/http-client.ts";
import { account } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { type Service, startService } from "../support/service.ts";
import { type BenchOptions, type BenchRow, median } from "./bench-row.ts";
import type { Delays } from "./latency-worker.ts";
import { LARGEST, publishSampleDay, SAMPLE_DATE } from "./sample-day.ts";

const READERS = 64;
const R2_MS = 60;
const PAGE_SIZES = [100, 2_000, 10_000];
const ROUNDS = 4;
/** The length of a round, without the time in which the readers start and stop. */
const ROUND_MS = 3_000;
const BEGIN_MS = 1_000;

/**
 * Returns pages per second with an immediate and with a delayed R2, and the pages that were refused for lack of memory.
 */
export async function benchCapacity(_options: BenchOptions): Promise<BenchRow[]> {
  await using service = await startService({
    entry: "test/bench/latency-worker.ts",
    settings: { DAY_CACHE_MS: "10000" },
  });
  await publishSampleDay(service);
  const made = Array.from({ length: READERS }, () => account(service, { plan: "flagship" }));
  const keys = (await Promise.all(made)).map(({ key }) => key);
  const agent = new Agent({ keepAlive: true, maxSockets: READERS });
  const rows: BenchRow[] = [];
  for (const pageSize of PAGE_SIZES) rows.push(...(await compare(service, { keys, agent, pageSize })));
  agent.destroy();
  return rows;
}

interface Readers {
  keys: readonly string[];
  agent: Agent;
  pageSize: number;
}

async function compare(service: Service, readers: Readers): Promise<BenchRow[]> {
  const near: number[] = [];
  const far: number[] = [];
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [r2, perSecond] of [
      [0, near],
      [R2_MS, far],
    ] as const) {
      await delayStores(service, { ms: { r2 }, jitter: 0, advanceMs: 0 });
      const read = await readFor(service, readers);
      perSecond.push(read.pages / (ROUND_MS / 1_000));
      refused += read.refused;
    }
  }
  const what = `pages of ${readers.pageSize} rows, ${READERS} readers`;
  return [
    { name: `${what}, R2 at once`, value: median(near), unit: "/s" },
    {
      name: `${what}, R2 ${R2_MS} ms away`,
      value: median(far),
      unit: "/s",
      ratio: median(far.map((pages, round) => pages / (near[round] ?? Number.NaN))),
      against: "R2 at once",
    },
    { name: `${what}: 503`, value: refused, unit: "" },
  ];
}

async function delayStores(service: Service, delays: Delays): Promise<void> {
  await call(`${service.baseUrl}/delays`, { body: { ...delays } });
}

/** Lets all readers page for a round; only the middle of the round counts. */
async function readFor(
  service: Service,
  { keys, agent, pageSize }: Readers,
): Promise<{ pages: number; refused: number }> {
  const read = { pages: 0, refused: 0 };
  const fromMs = performance.now() + BEGIN_MS;
  const untilMs = fromMs + ROUND_MS;
  const reader = async (apikey: string) => {
    let cursor: string | null = null;
    while (performance.now() < untilMs) {
      const params = { symbol: LARGEST, tradedate: SAMPLE_DATE, page_size: pageSize, cursor };
      const body = orderHistory({ apikey, params });
      const answer = await call(`${service.baseUrl}/api`, { body, agent });
      const atMs = performance.now();
      if (answer.reason === "unavailable") read.refused++;
      else if (answer.reason !== null) throw new Error(`${answer.reason} ${answer.text.slice(0, 300)}`);
      else if (atMs >= fromMs && atMs < untilMs) read.pages++;
      cursor = /"next_cursor":"([^"]+)"/.exec(answer.text.slice(-1_000))?.[1] ?? null;
    }
  };
  await Promise.all(keys.map(reader));
  return read;
}
