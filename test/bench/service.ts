/** The whole service over HTTP: pages of the largest security, and what each costs the stores behind it. */
import { day, randomSecurity } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import { randomFrom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";
import { orderHistory, pageOf } from "../support/walk.ts";
import { type BenchRow, median } from "./bench-row.ts";
import type { Counts } from "./counting-worker.ts";

const TRADEDATE = "20260311";
const SYMBOL = "300750";
/** A day's largest real securities have about 370,000 rows. */
const ROWS = 400_000;
const ROUNDS = 30;

/** Times page 1 against the last page, alternating, and counts the operations of pages cold and warm. */
export async function benchService(): Promise<BenchRow[]> {
  const large = randomSecurity(randomFrom(20260311), { symbol: SYMBOL, rows: ROWS });
  await using service = await startService({ entry: "test/bench/counting-worker.ts" });
  await publish(service, day({ tradedate: TRADEDATE, securities: [large] }));
  const { key } = await account(service, { plan: "flagship" });

  const cold = await countedPage(service, key, null);
  const cursors = await cursorsOf(service, key);
  const last = cursors.at(-1) ?? null;
  const warm = await countedPage(service, key, last);
  const firstMs: number[] = [];
  const lastMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    firstMs.push(await timePage(service, key, null));
    lastMs.push(await timePage(service, key, last));
  }
  const first = median(firstMs);
  return [
    { name: "page 1 of 400,000 rows, over HTTP", value: first, unit: "ms" },
    {
      name: `page ${cursors.length + 1} of the same, over HTTP`,
      value: median(lastMs),
      unit: "ms",
      ratio: median(lastMs) / first,
      against: "page 1",
    },
    ...countRows("first page, cold key", cold),
    ...countRows("last page, warm key", warm),
    ...readRows(service),
  ];
}

async function cursorsOf(service: Service, apikey: string): Promise<string[]> {
  const cursors: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = pageOf(await service.post(ask(apikey, cursor)));
    if (page.next_cursor === null) return cursors;
    cursors.push(page.next_cursor);
    cursor = page.next_cursor;
  }
}

async function timePage(service: Service, apikey: string, cursor: string | null): Promise<number> {
  const startedMs = performance.now();
  pageOf(await service.post(ask(apikey, cursor)));
  return performance.now() - startedMs;
}

async function countedPage(service: Service, apikey: string, cursor: string | null): Promise<Counts> {
  await countsOf(service);
  pageOf(await service.post(ask(apikey, cursor)));
  return countsOf(service);
}

async function countsOf(service: Service): Promise<Counts> {
  return (await (await fetch(`${service.baseUrl}/counts`)).json()) as Counts;
}

function ask(apikey: string, cursor: string | null): Record<string, unknown> {
  return orderHistory({ apikey, params: { symbol: SYMBOL, tradedate: TRADEDATE, cursor } });
}

function countRows(name: string, { d1, gate, r2 }: Counts): BenchRow[] {
  return [
    { name: `${name}: D1 round trips`, value: d1, unit: "" },
    { name: `${name}: gate calls`, value: gate, unit: "" },
    { name: `${name}: R2 reads`, value: r2, unit: "" },
  ];
}

/** Bytes as the service's own log lines tell them. */
function readRows(service: Service): BenchRow[] {
  const lines = service.logs.flatMap((text) => {
    const line = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
    return line.interface === "level2_order_history" && line.kind === "served" ? [line] : [];
  });
  const medianOf = (name: string) => median(lines.map((line) => Number(line[name])));
  return [
    { name: "bytes read from R2 per page", value: medianOf("r2Bytes"), unit: "bytes" },
    { name: "bytes of a page's body", value: medianOf("bytes"), unit: "bytes" },
  ];
}
