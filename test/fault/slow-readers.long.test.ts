/**
 * Tests 200 clients that read slowly or not at all, and a client of one key that sends requests and reads no answer
 * (contract 2.6). All other clients are served, and the memory of the isolate stays bounded.
 */
import { expect, it } from "vitest";
import { day, randomSecurity } from "../support/builders.ts";
import { call } from "../support/http-client.ts";
import { account, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { newestRuntime } from "../support/runtime-process.ts";
import { type OpenAnswer, openAnswer } from "../support/slow-client.ts";
import { testService } from "../support/test-service.ts";

const TRADEDATE = "20260311";
const SYMBOL = "300750";
const READERS = 200;
/** At this rate a page of 2,000 rows takes about 5 s. */
const SLOW_BYTES_PER_SECOND = 30_000;
const SLOW_ROWS = 2_000;
const FULL_ROWS = 10_000;
/** More pages than an account may leave unread. */
const STACKED = 30;
const OTHERS = 8;
const ROUNDS = 8;
const MAX_BYTES = 64_000_000;
/** The maximum growth of the memory of the runtime's process, including uncollected garbage. */
const MAX_GROWN_BYTES = 6 * MAX_BYTES;

const service = await testService({
  entry: "test/support/memory-worker.ts",
  // The limits are so long that, even on the slowest machine, requests can wait for memory and no body reaches its
  // deadline.
  settings: { FIRST_BYTE_MS: "120000", JSON_BOUND_MS: "600000", DAY_CACHE_MS: "10000" },
});
const security = randomSecurity(printedRandom("slow readers"), { symbol: SYMBOL, rows: 40_000 });
await publish(service, day({ tradedate: TRADEDATE, securities: [security] }));
const others = await keys(OTHERS);
for (let round = 0; round < 3; round++) await Promise.all(others.map(readPage));

async function keys(count: number): Promise<string[]> {
  const made = Array.from({ length: count }, () => account(service, { plan: "flagship" }));
  return (await Promise.all(made)).map(({ key }) => key);
}

function page(apikey: string, pageSize: number): Record<string, unknown> {
  return orderHistory({ apikey, params: { symbol: SYMBOL, tradedate: TRADEDATE, page_size: pageSize } });
}

async function readPage(apikey: string): Promise<void> {
  const { items } = pageOf(await call(`${service.baseUrl}/api`, { body: page(apikey, FULL_ROWS) }));
  expect(items).toHaveLength(FULL_ROWS);
}

/** Requests a page and reads its body at `bytesPerSecond`; 0 reads nothing. */
const open = (apikey: string, pageSize: number, bytesPerSecond: number): Promise<OpenAnswer> =>
  openAnswer(`${service.baseUrl}/api`, {
    body: page(apikey, pageSize),
    headers: { "x-read": String(bytesPerSecond) },
  });

/** Requests pages one after the other without reading them, and returns the outcome of each. */
async function stack(apikey: string): Promise<{ reasons: unknown[]; close(): void }> {
  const opened: OpenAnswer[] = [];
  for (let asked = 0; asked < STACKED; asked++) opened.push(await open(apikey, FULL_ROWS, 0));
  return {
    reasons: opened.map(({ headers }) => headers["x-reason"] ?? "served"),
    close: () => {
      for (const answer of opened) answer.hangUp();
    },
  };
}

/**
 * Runs `work` and expects that two figures stay within their limits: the memory of answers, as the service counts it,
 * and the growth of the service's process.
 */
async function watched(work: () => Promise<void>): Promise<void> {
  const runtime = newestRuntime();
  const before = runtime?.memoryBytes() ?? 0;
  let [heldBytes, grownBytes, isOver] = [0, 0, false];
  const watching = async () => {
    while (!isOver) {
      const { text } = await call(`${service.baseUrl}/held`, { method: "GET" });
      heldBytes = Math.max(heldBytes, Number(text));
      grownBytes = Math.max(grownBytes, (runtime?.memoryBytes() ?? 0) - before);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const ended = work().finally(() => {
    isOver = true;
  });
  await Promise.all([ended, watching()]);
  console.log(`held ${(heldBytes / 1e6).toFixed(0)} MB, runtime grew by ${(grownBytes / 1e6).toFixed(0)} MB`);
  expect(heldBytes).toBeGreaterThan(MAX_BYTES / 4);
  expect(heldBytes).toBeLessThanOrEqual(MAX_BYTES);
  expect(grownBytes).toBeLessThan(MAX_GROWN_BYTES);
}

it("The service serves slow readers and all other clients while one key leaves its pages unread", async () => {
  const slow = await keys(READERS);
  const [hostile = ""] = await keys(1);
  await watched(async () => {
    const first = await stack(hostile);
    expect(new Set(first.reasons)).toEqual(new Set(["served", "unavailable"]));
    const reading = slow.map(async (key) => (await open(key, SLOW_ROWS, SLOW_BYTES_PER_SECOND)).readAll());
    const more = stack(hostile);
    for (let round = 0; round < ROUNDS; round++) await Promise.all(others.map(readPage));
    const seen = await Promise.all(reading);
    expect(seen.filter(({ isWhole, bytes }) => isWhole && bytes > 100_000)).toHaveLength(READERS);
    for (const { close } of [first, await more]) close();
  });
});

it("The service serves all other clients while 200 clients read nothing", async () => {
  const stalled = await keys(READERS);
  await watched(async () => {
    const opening = stalled.map((key) => open(key, FULL_ROWS, 0).catch(() => null));
    for (let round = 0; round < ROUNDS; round++) await Promise.all(others.map(readPage));
    const opened = await Promise.all(opening);
    expect(opened.filter((answer) => answer?.status === 200)).toHaveLength(READERS);
    for (const answer of opened) answer?.hangUp();
  });
});
