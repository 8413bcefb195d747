/**
 * Generates random histories of a client with unreliable connections to two deployments: the requests, the faults and
 * the rows that the client must return.
 */
import { DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import {
  columnsIn,
  columnsOf,
  day,
  type Row,
  randomSecurity,
  type TestDay,
  type TestSecurity,
} from "../support/builders.ts";
import { PAGED } from "../support/client-paging.ts";
import { answerRows, fieldNames } from "../support/dataset-days.ts";
import type { Fault } from "../support/fault-line.ts";
import type { Random } from "../support/random.ts";
import { isLong, proofSize } from "../support/tier.ts";
import type { TwoDeployments } from "./two-deployments.ts";

/**
 * The fraction of `proofSize` that each of the two clients runs. In the quick tier it is half, so that both clients
 * together run a tenth of the full number.
 */
const PART = isLong ? 1 : 1 / 2;

/** The number of histories of each client. */
export const HISTORIES = PART * proofSize(500);
/** For each client, the number of histories whose day is rebuilt during paging, on one deployment or on both. */
export const REBUILT = PART * proofSize(60);

/** The parameters of one run of pages; null means absent. */
export interface History {
  dataset: DatasetName;
  symbol: string;
  date: string;
  start: string | null;
  end: string | null;
  fields: string[] | null;
  pageSize: number;
}

/** Returns a day with securities from sparse to dense. The last security has hundreds of rows in a millisecond. */
export function randomDay(random: Random, tradedate: string): TestDay {
  const shapes = [
    { symbol: "000001", rows: 1, crowd: 1 },
    { symbol: "300750", rows: 257, crowd: 1.2 },
    { symbol: "600519", rows: 1_100, crowd: 3 },
    { symbol: "600000", rows: 900, crowd: 40 },
    { symbol: "688981", rows: 1_500, crowd: 400 },
  ];
  return day({ tradedate, securities: shapes.map((shape) => randomSecurity(random, shape)) });
}

/** Returns the date of the `place`-th day to rebuild. */
export function rebuildDate(place: number): string {
  const utc = new Date(Date.UTC(2025, 2, 3) + place * 86_400_000);
  return utc.toISOString().slice(0, 10).replaceAll("-", "");
}

/** Returns the day with one record added, removed or repriced in each security, or repriced only in 000001. */
export function rebuilt(random: Random, before: TestDay): TestDay {
  const change = random.pick(["more", "less", "price", "elsewhere"]);
  const securities = before.securities.map((security): TestSecurity => {
    if (change === "elsewhere" && security.symbol !== "000001") return security;
    const orders = [...security.orders];
    const at = random.integer(0, orders.length - 1);
    const [changed] = orders.slice(at);
    if (changed === undefined) return security;
    if (change === "less") orders.splice(at, 1);
    else if (change === "more") orders.splice(at, 0, { ...changed, volume: changed.volume + 100 });
    else orders[at] = { ...changed, priceE4: changed.priceE4 + 100 };
    return { ...security, orders };
  });
  return day({ tradedate: before.tradedate, securities });
}

/** Returns a random history of one security of the day: all rows or a window, some fields or all, up to 60 pages. */
export function randomHistory(random: Random, of: TestDay): History {
  const { symbol, market, orders } = random.pick(of.securities);
  const [a = "", b = ""] = [random.pick(orders).time, random.pick(orders).time].toSorted();
  const isWindow = random.chance(0.4) && a !== b;
  const dataset = random.pick(PAGED);
  const fields = fieldNames(DATASETS[dataset]).filter(() => random.chance(0.3));
  const sizes = [1, 7, 64, 100, 10_000].filter((size) => orders.length / size <= 60);
  return {
    dataset,
    symbol: random.pick([symbol, `${symbol}.${market}`]),
    date: of.tradedate,
    start: isWindow ? a : null,
    end: isWindow && random.chance(0.7) ? b : null,
    fields: fields.length > 0 && random.chance(0.3) ? fields : null,
    pageSize: random.pick([...sizes, Math.ceil(orders.length / random.integer(1, 25))]),
  };
}

/** Returns the rows that the history must return, computed from the published day. */
export function expectedRows(of: TestDay, { dataset, symbol, start, end, fields }: History): Row[] {
  const standard = fieldNames(DATASETS[dataset]);
  const columns = (fields ?? standard).map((name) => standard.indexOf(name));
  return allRows(of, dataset, symbol.slice(0, 6))
    .filter(([, , time]) => (start === null || `${time}` >= start) && (end === null || `${time}` < end))
    .map((row) => columns.map((column) => row[column] ?? ""));
}

/** The rows of each day by dataset and security, cached because many histories read the same rows. */
const computed = new WeakMap<TestDay, Map<string, Row[]>>();

function allRows(of: TestDay, dataset: DatasetName, symbol: string): Row[] {
  const known = computed.get(of) ?? new Map<string, Row[]>();
  computed.set(of, known);
  const name = `${dataset} ${symbol}`;
  const rows = known.get(name) ?? computeRows(of, dataset, symbol);
  known.set(name, rows);
  return rows;
}

function computeRows(of: TestDay, dataset: DatasetName, symbol: string): Row[] {
  const found = of.securities.find((each) => each.symbol === symbol);
  if (found === undefined) throw new Error(`the day has no ${symbol}`);
  const section = { ...found, columns: columnsIn(dataset, columnsOf(found.orders)) };
  return answerRows(DATASETS[dataset], section, of.tradedate);
}

function randomFault(random: Random, badness: number): Fault {
  if (!random.chance(badness)) return { kind: "pass" };
  const afterBytes = random.pick([0, 1, 50, 500, 5_000, 50_000]);
  const refused = { kind: "refuse", status: random.pick([429, 503] as const) } as const;
  return random.pick<Fault>([
    { kind: "drop" },
    { kind: "lose" },
    { kind: "reset", afterBytes },
    { kind: "truncate", afterBytes },
    { kind: "behead", afterBytes: random.integer(1, 400) },
    { kind: "delay", ms: random.integer(1, 30) },
    { ...refused, retryAfter: random.pick(["0", "1", "10"]) },
    { ...refused, retryAfter: random.pick(["1", null]), page: true },
  ]);
}

/**
 * Makes a fraction `badness` of all requests fail. In most histories, one deployment also becomes unreachable at a
 * random request, and reachable again when the other becomes unreachable. Calls `meanwhile` with the number of each
 * request, from 1, and its body.
 */
export function corruptLines(
  random: Random,
  world: TwoDeployments,
  badness: number,
  meanwhile: (place: number, body: string) => void,
): void {
  const lines = [world.first.line, world.second.line];
  const deaths = random.chance(0.8) ? [random.integer(2, 10), random.integer(11, 25)] : [];
  let requests = 0;
  let burst: { fault: Fault; left: number } = { fault: { kind: "pass" }, left: 0 };
  for (const [which, line] of lines.entries()) {
    line.corrupt((_, body) => {
      requests++;
      meanwhile(requests, body);
      if (deaths.includes(requests)) {
        void line.die();
        void lines[1 - which]?.revive();
        return { kind: "drop" };
      }
      // Refusals occur in bursts.
      if (burst.left === 0) burst = { fault: randomFault(random, badness), left: random.integer(1, 3) };
      burst.left--;
      return burst.fault.kind === "refuse" || burst.left === 0 ? burst.fault : { kind: "pass" };
    });
  }
}

/** Removes all faults. */
export async function healLines(world: TwoDeployments): Promise<void> {
  for (const { line } of [world.first, world.second]) {
    await line.revive();
    line.corrupt(() => ({ kind: "pass" }));
  }
}
