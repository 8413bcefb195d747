/**
 * Measures the cost of a million requests of each kind. Calls and rows are counted at the stores of a running service.
 * Processor time is measured for the whole runtime, including HTTP and the simulated stores, so it is an upper bound.
 * Not included: the time an object stays in memory ($12.50 per million GB-s), and storage. Logs are included as if
 * every line were written.
 *
 * Refusals write few rows, because an isolate stores only the first few refusals of each account. An R2 read is wasted
 * when the gate refuses the request while the read is running. This happens at most once after each grant, so a page
 * followed by a refusal is the worst case.
 */
import { day, randomSecurity } from "../support/builders.ts";
import { onDrive, shareOf, tradesFile } from "../support/drive.ts";
import { publishFiles } from "../support/files.ts";
import type { Answer } from "../support/http-client.ts";
import { account, loadWeekdays, publish } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { randomFrom } from "../support/random.ts";
import { newestRuntime } from "../support/runtime-process.ts";
import { type Service, startService } from "../support/service.ts";
import { type BenchRow, figuresIn } from "./bench-row.ts";
import type { Counts } from "./counting-worker.ts";
import { LARGEST, publishSampleDay, SAMPLE_DATE } from "./sample-day.ts";

/** Dollars per million, from the platform's public pages; the price of logs dates from 2026-10-02. Egress is free. */
const PRICES = {
  workerRequests: 0.3,
  cpuMs: 0.02,
  r2Reads: 0.36,
  objectRequests: 0.15,
  objectRowsRead: 0.001,
  objectRowsWritten: 1,
  d1RowsRead: 0.001,
  d1RowsWritten: 1,
  logEvents: 0.6,
};
const PRICES_OF = "October 2026";

/** Workers Logs counts two events per request: the invocation and our own log line. */
const LOG_EVENTS = 2;

/** A day with ids that the fast reader cannot read, so that the slow reader is used. */
const FALLBACK_DATE = "20260310";
const ROUNDS = 50;
/** Number of warm-up requests of each kind, which are not counted. */
const WARM_UP = 5;

/** Returns counts, processor time and price of each kind of request. */
export async function benchCost(): Promise<BenchRow[]> {
  await using service = await startService({
    entry: "test/bench/counting-worker.ts",
    settings: { DAY_CACHE_MS: "10000" },
  });
  await loadWeekdays(service, "20260101", "20261231");
  const entries = await publishSampleDay(service);
  const largest = entries.find(({ symbol }) => symbol === LARGEST);
  if (largest === undefined) throw new Error(`the sample day lacks ${LARGEST}`);
  const short = entries.find(({ rows }) => rows > 1_000 && rows <= 10_000)?.symbol ?? "";
  const odd = randomSecurity(randomFrom(20260311), { symbol: LARGEST, rows: 40_000 });
  await publish(service, day({ tradedate: FALLBACK_DATE, securities: [odd] }));
  await publishFiles(service, tradesFile("20260310", new Uint8Array(1_000_000)));
  const { key } = await account(service, { plan: "flagship", limits: { files: null } });
  const used = await account(service, { plan: "flagship", limits: { requests: 0 } });
  const limited = await Promise.all(
    Array.from({ length: WARM_UP + ROUNDS }, () =>
      account(service, { plan: "flagship", limits: { requests: 1 } }),
    ),
  );
  const share = await shareOf(service, key);
  const ask = (params: object, apikey = key) =>
    service.post(orderHistory({ apikey, params: { symbol: LARGEST, tradedate: SAMPLE_DATE, ...params } }));
  const year = { apiname: "file_download", apikey: key, params: { data_type: "level2", year: 2026 } };
  const paging = cursorPages(ask);
  const kinds: [string, () => Promise<Answer | Answer[]>][] = [
    ["JSON page of 10,000 rows by cursor", paging],
    ["JSON first page of 10,000 rows", () => ask({})],
    ["the same with ids near 2^53: the fallback reader", () => ask({ tradedate: FALLBACK_DATE })],
    ["JSON last page of a security", () => ask({ symbol: short })],
    [`Parquet file of ${largest.rows.toLocaleString("en")} rows`, () => ask({ format: "parquet" })],
    [
      "a page, and the refusal that wastes a read",
      async () => {
        const { key: own = "" } = limited.pop() ?? {};
        return [await ask({}, own), await ask({}, own)];
      },
    ],
    ["refusal, unknown key", () => ask({}, "et_unknown")],
    ["refusal, wrong parameter", () => ask({ page_size: 0 })],
    ["refusal, no such security", () => ask({ symbol: "999999" })],
    ["refusal, quota used", () => ask({}, used.key)],
    ["file_download", () => service.post(year)],
    [
      "drive: a range of a file",
      () => onDrive(share, "20260310/20260310_trades.zip", { headers: { range: "bytes=0-99999" } }),
    ],
    ["drive: manifest", () => onDrive(share, "manifest.json")],
  ];
  const rows: BenchRow[] = [];
  for (const [name, send] of kinds) rows.push(...(await costOf(service, name, send)));
  return rows;
}

/**
 * Returns a function that requests the next page of one security by cursor. After the last page it begins again at the
 * second page, because the first page has no cursor.
 */
function cursorPages(ask: (params: object) => Promise<Answer>): () => Promise<Answer> {
  let cursor: unknown = null;
  return async () => {
    if (cursor === null) cursor = (await ask({})).envelope.data?.next_cursor;
    const answer = await ask({ cursor });
    cursor = answer.envelope.data?.next_cursor ?? null;
    return answer;
  };
}

async function costOf(
  service: Service,
  name: string,
  send: () => Promise<Answer | Answer[]>,
): Promise<BenchRow[]> {
  for (let n = 0; n < WARM_UP; n++) await send();
  const runtime = newestRuntime();
  await countsOf(service);
  const before = runtime?.cpuMs() ?? 0;
  const answers: Answer[] = [];
  for (let n = 0; n < ROUNDS; n++) answers.push(...[await send()].flat());
  const requests = answers.length;
  const refused = answers.filter(({ reason }) => reason !== null).length;
  const cpuMs = ((runtime?.cpuMs() ?? 0) - before) / requests;
  const each = (count: number) => count / requests;
  const counts = await countsOf(service);
  const { workerRequests, cpuMs: ofCpu, r2Reads, logEvents, ...ofCounts } = PRICES;
  const stores = Object.entries(ofCounts).reduce(
    (sum, [name, price]) => sum + price * each(counts[name as keyof typeof ofCounts]),
    0,
  );
  const logs = LOG_EVENTS * logEvents;
  const price = workerRequests + cpuMs * ofCpu + each(counts.r2) * r2Reads + stores + logs;
  const figure = figuresIn(`a million requests (prices of ${PRICES_OF}), and what each takes`, name);
  return [
    figure("price of a million", price, "$"),
    figure("of it logs", logs, "$"),
    figure("processor, at most", cpuMs, "ms"),
    figure("D1 rows read", each(counts.d1RowsRead), ""),
    figure("D1 rows written", each(counts.d1RowsWritten), ""),
    figure("object requests", each(counts.objectRequests), ""),
    figure("object rows read", each(counts.objectRowsRead), ""),
    figure("object rows written", each(counts.objectRowsWritten), ""),
    figure("R2 reads", each(counts.r2), ""),
    // Each served page or file needs one read from R2. All other reads were wasted.
    figure("of them wasted", refused === 0 ? 0 : each(Math.max(0, counts.r2 - (requests - refused))), ""),
    figure("bytes of R2", each(counts.r2Bytes), ""),
  ];
}

async function countsOf(service: Service): Promise<Counts> {
  return (await (await fetch(`${service.baseUrl}/counts`)).json()) as Counts;
}
