/**
 * 200 accounts walk at once, each page compared with the rows that were published, under workerd itself. Settable:
 * `EDGETAPE_LOAD_SECONDS` (20). The clients run on the same machine, so the fixed body of the same size, served by
 * the same kind of runtime to the same clients, is what the figures are to be held against.
 */
import { Agent } from "node:http";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { day, type Row, randomSecurity } from "../support/builders.ts";
import { call } from "../support/http-client.ts";
import { account, publish } from "../support/operator.ts";
import { randomFrom } from "../support/random.ts";
import { newestRuntime, type RuntimeProcess } from "../support/runtime-process.ts";
import { type Service, startService } from "../support/service.ts";
import { orderHistory } from "../support/walk.ts";
import { type BenchRow, median } from "./bench-row.ts";

const SECONDS = Number(process.env.EDGETAPE_LOAD_SECONDS ?? 20);
const ACCOUNTS = 200;
const TRADEDATE = "20260311";
const PAGE_SIZE = 2_000;
const SYMBOLS = ["000001", "300750", "600519", "688001"];
const REFUSALS = 40;

/** A connection for each account: nobody waits for another's. */
const agent = new Agent({ keepAlive: true, maxSockets: ACCOUNTS });

/** What all walkers did. */
interface Tally {
  ms: number[];
  rows: number;
  bytes: number;
  walks: number;
}

/** The rows of each security as the text between the brackets of `items`. */
type Texts = ReadonlyMap<string, string>;

/** Throws at the first wrong row and at the first slot that is not free. */
export async function benchLoad(): Promise<BenchRow[]> {
  const random = randomFrom(20260311);
  const test = day({
    tradedate: TRADEDATE,
    securities: SYMBOLS.map((symbol, place) =>
      randomSecurity(random, { symbol, rows: 3_000 + 2_777 * place }),
    ),
  });
  await using service = await startService();
  await publish(service, test);
  const texts: Texts = new Map(SYMBOLS.map((symbol) => [symbol, textOf(test.rowsOf(symbol))]));
  const made = Array.from({ length: ACCOUNTS }, () => account(service, { plan: "flagship" }));
  const keys = (await Promise.all(made)).map(({ key }) => key);

  const runtime = newestRuntime();
  await walkAll(service, keys, texts, 2_000);
  const early = runtime?.memoryBytes() ?? 0;
  const cpuBefore = runtime?.cpuMs() ?? 0;
  const load = await walkAll(service, keys, texts, SECONDS * 1000);
  const cpuMs = ((runtime?.cpuMs() ?? 0) - cpuBefore) / load.ms.length;
  // Every slot is free: nobody is told that it is busy.
  await Promise.all(keys.map((key) => askOne(service, key, { symbol: "000001", page_size: 1 }, 200)));
  const fixed = await fixedBody(Math.round(load.bytes / load.ms.length));

  const perSecond = (count: number) => count / SECONDS;
  const beside = (name: string, value: number, rival: number): BenchRow => ({
    name,
    value,
    unit: "ms",
    ratio: value / rival,
    against: "a fixed body of the same size",
  });
  return [
    {
      name: `pages, ${ACCOUNTS} accounts for ${SECONDS} s`,
      value: perSecond(load.ms.length),
      unit: "/s",
      ratio: load.ms.length / fixed.length,
      against: "a fixed body of the same size",
    },
    { name: "whole walks compared, no wrong row, no busy slot", value: load.walks, unit: "" },
    { name: "rows", value: perSecond(load.rows), unit: "/s" },
    { name: "bytes of bodies", value: perSecond(load.bytes), unit: "/s" },
    beside("page, p50", quantile(load.ms, 0.5), quantile(fixed, 0.5)),
    beside("page, p95", quantile(load.ms, 0.95), quantile(fixed, 0.95)),
    beside("page, p99", quantile(load.ms, 0.99), quantile(fixed, 0.99)),
    ...processRows(runtime, cpuMs, early),
    ...(await refusalRows(service, keys)),
  ];
}

function processRows(runtime: RuntimeProcess | null, cpuMs: number, early: number): BenchRow[] {
  if (runtime === null) return [];
  const late = runtime.memoryBytes();
  return [
    { name: "processor time a page, stores' simulators included", value: cpuMs, unit: "ms" },
    {
      name: "memory of the runtime at the end",
      value: late / 2 ** 20,
      unit: "MiB",
      ratio: late / early,
      against: "at the beginning",
    },
  ];
}

/** All accounts walk, again and again, until the time is over; a begun walk is left in the middle then. */
async function walkAll(service: Service, keys: string[], texts: Texts, forMs: number): Promise<Tally> {
  const tally: Tally = { ms: [], rows: 0, bytes: 0, walks: 0 };
  const endMs = performance.now() + forMs;
  const walker = async (key: string, number: number) => {
    for (let turn = number; performance.now() < endMs; turn++) {
      const symbol = SYMBOLS[turn % SYMBOLS.length] ?? "";
      if (await walkOne(service, key, { symbol, text: texts.get(symbol) ?? "", endMs }, tally)) tally.walks++;
    }
  };
  await Promise.all(keys.map(walker));
  return tally;
}

async function walkOne(
  service: Service,
  key: string,
  { symbol, text, endMs }: { symbol: string; text: string; endMs: number },
  tally: Tally,
): Promise<boolean> {
  let at = 0;
  for (let cursor: string | null = null; performance.now() < endMs; ) {
    const beganMs = performance.now();
    const body: string = (await askOne(service, key, { symbol, page_size: PAGE_SIZE, cursor }, 200)).text;
    tally.ms.push(performance.now() - beganMs);
    tally.bytes += body.length;
    const items = body.slice(body.indexOf('"items":[') + 9, body.lastIndexOf('],"tradedate"'));
    if (!text.startsWith(items, at)) throw new Error(`a page of ${symbol} has wrong rows`);
    tally.rows += PAGE_SIZE;
    at += items.length + 1;
    cursor = /"next_cursor":"([^"]+)"/.exec(body.slice(body.lastIndexOf('],"tradedate"')))?.[1] ?? null;
    if (cursor !== null) continue;
    tally.rows -= PAGE_SIZE;
    if (at !== text.length + 1)
      throw new Error(`a walk of ${symbol} ended ${text.length + 1 - at} bytes early`);
    return true;
  }
  return false;
}

async function askOne(service: Service, apikey: string, params: object, status: number) {
  const body = orderHistory({ apikey, params: { tradedate: TRADEDATE, ...params } });
  const answer = await call(`${service.baseUrl}/api`, { body, agent });
  if (answer.status !== status) throw new Error(`HTTP ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer;
}

/** The rows as JSON without the outer brackets. */
function textOf(rows: Row[]): string {
  return JSON.stringify(rows).slice(1, -1);
}

/** Milliseconds of each answer of a worker that has nothing to do, asked by as many clients for as long. */
async function fixedBody(bytes: number): Promise<number[]> {
  const contents = `const body = new Uint8Array(${bytes}).fill(48);
    export default { async fetch(request) { await request.text(); return new Response(body); } };`;
  const mf = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      telemetry: { enabled: false },
      modules: [{ type: "ESModule", path: "worker.js", contents }],
    }),
  );
  const { origin } = await mf.ready;
  const ms: number[] = [];
  const endMs = performance.now() + SECONDS * 1000;
  const client = async () => {
    while (performance.now() < endMs) {
      const beganMs = performance.now();
      const { text } = await call(`${origin}/api`, { body: { nothing: null }, agent });
      ms.push(performance.now() - beganMs);
      if (text.length !== bytes) throw new Error("the fixed body is another one");
    }
  };
  await Promise.all(Array.from({ length: ACCOUNTS }, client));
  await mf.dispose();
  return ms;
}

/** Each kind of refusal against a whole page of 10,000 rows, one after the other on a quiet service. */
async function refusalRows(service: Service, keys: string[]): Promise<BenchRow[]> {
  const [key = "", other = ""] = keys;
  const used = await account(service, { plan: "flagship", limits: { requests: 0 } });
  const whole = { symbol: SYMBOLS.at(-1), page_size: 10_000 };
  const ask = (apikey: string, params: object) =>
    call(`${service.baseUrl}/api`, {
      body: orderHistory({ apikey, params: { tradedate: TRADEDATE, ...params } }),
    });
  const timed = async (reason: string | null, send: () => ReturnType<typeof ask>): Promise<number> => {
    const ms: number[] = [];
    for (let n = 0; n < REFUSALS; n++) {
      const held = reason === "slot_busy" ? ask(other, whole) : undefined;
      // The holder of the slot is to be inside when the other one comes.
      if (held !== undefined) await new Promise((resolve) => setTimeout(resolve, 4));
      const beganMs = performance.now();
      const answer = await send();
      if (answer.reason === reason) ms.push(performance.now() - beganMs);
      else if (held === undefined) throw new Error(`${answer.reason} instead of ${reason}`);
      await held;
    }
    return median(ms);
  };
  const page = await timed(null, () => ask(key, whole));
  const kinds: [string, string, () => ReturnType<typeof ask>][] = [
    ["403", "key_unknown", () => ask("et_unknown", whole)],
    ["422", "param_invalid", () => ask(key, { ...whole, page_size: 0 })],
    ["429", "quota_used", () => ask(used.key, whole)],
    ["503", "slot_busy", () => ask(other, whole)],
  ];
  const rows: BenchRow[] = [{ name: "a page of 10,000 rows, alone", value: page, unit: "ms" }];
  for (const [code, reason, send] of kinds) {
    const value = await timed(reason, send);
    rows.push({ name: `refusal ${code}`, value, unit: "ms", ratio: value / page, against: "the page" });
  }
  return rows;
}

function quantile(samples: number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
