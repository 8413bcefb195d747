/** Reads pages with many accounts at the same time, and compares every page with the published rows. */
import { Agent } from "node:http";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { call } from "../support/http-client.ts";
import { orderHistory } from "../support/paging.ts";
import { newestRuntime } from "../support/runtime-process.ts";
import type { Service } from "../support/service.ts";
import type { BenchRow } from "./bench-row.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { SAMPLE_DATE } from "./sample-day.ts";

const PAGE_SIZE = 2_000;

/** The `Retry-After` with which the service refuses a page that took it too long. */
const RETRY_MS = 5_000;

/** The sums over all readers. */
export interface Tally {
  /** The response time of each page, in milliseconds. */
  ms: number[];
  rows: number;
  bytes: number;
  /** Number of times that a security's whole day was read; its rows were equal to the published rows each time. */
  wholeReads: number;
  /** Pages that took the service too long (503 `unavailable`) and were requested again after `Retry-After`. */
  givenUp: number;
}

/** The rows of each security as JSON text: the text between the brackets of `items`. */
export type Texts = ReadonlyMap<string, string>;

/** Returns an agent with a connection per account, so that no account waits for another. */
export function agentFor(accounts: number): Agent {
  return new Agent({ keepAlive: true, maxSockets: accounts });
}

/**
 * Reads whole days with all accounts for `forMs` and then stops, even in the middle of a day. Throws at the first wrong
 * row and at the first refused page, for example when a slot is busy.
 */
export async function readAll(
  service: Service,
  keys: readonly string[],
  texts: Texts,
  forMs: number,
): Promise<Tally> {
  const tally: Tally = { ms: [], rows: 0, bytes: 0, wholeReads: 0, givenUp: 0 };
  const symbols = [...texts.keys()];
  const agent = agentFor(keys.length);
  const endMs = performance.now() + forMs;
  const reader = async (key: string, number: number) => {
    for (let round = number; performance.now() < endMs; round++) {
      const symbol = symbols[round % symbols.length] ?? "";
      const reading = { symbol, text: texts.get(symbol) ?? "", endMs, agent };
      if (await readOne(service, key, reading, tally)) tally.wholeReads++;
    }
  };
  await Promise.all(keys.map(reader));
  agent.destroy();
  return tally;
}

async function readOne(
  service: Service,
  key: string,
  { symbol, text, endMs, agent }: { symbol: string; text: string; endMs: number; agent: Agent },
  tally: Tally,
): Promise<boolean> {
  let at = 0;
  for (let cursor: string | null = null; performance.now() < endMs; ) {
    const beganMs = performance.now();
    const body = await pageText(service, key, { symbol, page_size: PAGE_SIZE, cursor }, agent);
    if (body === null) {
      tally.givenUp++;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      continue;
    }
    tally.ms.push(performance.now() - beganMs);
    tally.bytes += body.length;
    const items = body.slice(body.indexOf('"items":[') + 9, body.lastIndexOf('],"tradedate"'));
    if (!text.startsWith(items, at)) throw new Error(`a page of ${symbol} has wrong rows`);
    tally.rows += items.split("],[").length;
    at += items.length + 1;
    cursor = /"next_cursor":"([^"]+)"/.exec(body.slice(body.lastIndexOf('],"tradedate"')))?.[1] ?? null;
    if (cursor !== null) continue;
    if (at !== text.length + 1)
      throw new Error(`the pages of ${symbol} ended ${text.length + 1 - at} bytes early`);
    return true;
  }
  return false;
}

/**
 * Returns the body of one page of the loaded day, or null when the service answers `unavailable`. Throws when the page
 * is refused for another reason.
 */
export async function pageText(
  service: Service,
  apikey: string,
  params: object,
  agent: Agent,
): Promise<string | null> {
  const body = orderHistory({ apikey, params: { tradedate: SAMPLE_DATE, ...params } });
  const answer = await call(`${service.baseUrl}/api`, { body, agent });
  if (answer.reason === "unavailable") return null;
  if (answer.status !== 200 || answer.reason !== null)
    throw new Error(`HTTP ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer.text;
}

/** Starts a worker that returns the same body to every request. */
export async function startFixedBody(bytes: number): Promise<{ origin: string } & AsyncDisposable> {
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
  return { origin, [Symbol.asyncDispose]: () => mf.dispose() };
}

/**
 * Requests a fixed body of `bytes` bytes with `accounts` clients for `forMs`. Returns the milliseconds of each answer,
 * and the memory of the worker's runtime.
 */
export async function fixedBody(
  bytes: number,
  accounts: number,
  forMs: number,
): Promise<{ ms: number[]; memory: BenchRow[] }> {
  await using worker = await startFixedBody(bytes);
  const agent = agentFor(accounts);
  const ms: number[] = [];
  const memory = new MemoryWatch(newestRuntime());
  const endMs = performance.now() + forMs;
  const client = async () => {
    while (performance.now() < endMs) {
      const beganMs = performance.now();
      const { text } = await call(`${worker.origin}/api`, { body: { nothing: null }, agent });
      ms.push(performance.now() - beganMs);
      if (text.length !== bytes) throw new Error("the fixed body has another length");
    }
  };
  await Promise.all(Array.from({ length: accounts }, client));
  const rows = memory.end("memory of the fixed body's runtime");
  agent.destroy();
  return { ms, memory: rows };
}
