/**
 * 500 random histories of the Python client over bad lines to two deployments: the rows are always exactly
 * the source's, or the error says why not.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { day, type Row, randomSecurity, type TestDay, type TestSecurity } from "../support/builders.ts";
import type { Fault } from "../support/fault-line.ts";
import { publish } from "../support/operator.ts";
import { isPythonMissing, type PythonScript, startPython } from "../support/python.ts";
import { printedRandom, type Random } from "../support/random.ts";
import { startTwoDeployments, type TwoDeployments } from "./two-deployments.ts";

const HISTORIES = 500;
/** Of them, in which the day is rebuilt on the way, on one deployment or on both. */
const REBUILT = 60;
const KEY = "a-key-that-both-deployments-know";
const DATES = ["20260309", "20260310", "20260311"];
const FIELDS = [
  ...["symbol", "tradedate", "time", "order_id", "exchange_order_id"],
  ...["order_type", "order_code", "price", "volume", "amount"],
];
const random = printedRandom("histories");
const without = isPythonMissing("the Python client's walks over bad lines");

let world: TwoDeployments;
let python: PythonScript;
const days = new Map(DATES.map((tradedate) => [tradedate, randomDay(tradedate)]));

beforeAll(async () => {
  if (without) return;
  world = await startTwoDeployments();
  await world.addKey(KEY, "flagship");
  for (const each of days.values()) await world.publish(each);
  python = startPython("test/fault/client_walks.py");
}, 240_000);
afterAll(async () => {
  python?.stop();
  await world?.stop();
});

/** Securities from quiet to crowded: the last one has hundreds of rows in a millisecond. */
function randomDay(tradedate: string): TestDay {
  const shapes = [
    { symbol: "000001", rows: 1, crowd: 1 },
    { symbol: "300750", rows: 257, crowd: 1.2 },
    { symbol: "600519", rows: 1_100, crowd: 3 },
    { symbol: "600000", rows: 900, crowd: 40 },
    { symbol: "688981", rows: 1_500, crowd: 400 },
  ];
  return day({ tradedate, securities: shapes.map((shape) => randomSecurity(random, shape)) });
}

interface History {
  symbol: string;
  date: string;
  start: string | null;
  end: string | null;
  fields: string[] | null;
  page_size: number;
  how: "list" | "iterate";
}

interface Walked {
  rows: Row[];
  fields: string[];
  restarts: number;
}

interface Failed {
  error: string;
  code: number | null;
  reason: string | null;
  request_id: string | null;
  message: string;
  restarts: number;
}

function randomHistory(of: TestDay): History {
  const security = random.pick(of.securities);
  const times = security.orders.map(({ time }) => time);
  const [a, b] = [random.pick(times), random.pick(times)].toSorted();
  const windowed = random.chance(0.4) && a !== b;
  return {
    symbol: random.pick([security.symbol, `${security.symbol}.${security.market}`]),
    date: of.tradedate,
    start: windowed ? (a ?? null) : null,
    end: windowed && random.chance(0.7) ? (b ?? null) : null,
    fields: random.chance(0.3) ? FIELDS.filter(() => random.chance(0.3)) : null,
    page_size: Math.ceil(times.length / random.integer(1, 25)),
    how: random.pick(["list", "iterate"]),
  };
}

/** The rows that the history must give, taken from what was published. */
function expectedRows(of: TestDay, { symbol, start, end, fields }: History): Row[] {
  const columns = (fields?.length ? fields : FIELDS).map((name) => FIELDS.indexOf(name));
  return of
    .rowsOf(symbol.slice(0, 6))
    .filter((row) => (start === null || `${row[2]}` >= start) && (end === null || `${row[2]}` < end))
    .map((row) => columns.map((column) => row[column] ?? ""));
}

function randomFault(by: Random, badness: number): Fault {
  if (!by.chance(badness)) return { kind: "pass" };
  const afterBytes = by.pick([0, 1, 50, 500, 5_000, 50_000]);
  const refused = { kind: "refuse", status: by.pick([429, 503] as const) } as const;
  return by.pick<Fault>([
    { kind: "drop" },
    { kind: "lose" },
    { kind: "reset", afterBytes },
    { kind: "truncate", afterBytes },
    { kind: "behead", afterBytes: by.integer(1, 400) },
    { kind: "delay", ms: by.integer(1, 30) },
    { ...refused, retryAfter: by.pick(["0", "1", "10"]) },
    { ...refused, retryAfter: by.pick(["1", null]), page: true },
  ]);
}

/** Spoils both lines; one of them may die at some request, and come back when the other one dies. */
function spoilLines(badness: number, meanwhile: (place: number, body: string) => void): void {
  const lines = [world.first.line, world.second.line];
  const deaths = random.chance(0.8) ? [random.integer(2, 10), random.integer(11, 25)] : [];
  let requests = 0;
  let burst: { fault: Fault; left: number } = { fault: { kind: "pass" }, left: 0 };
  for (const [which, line] of lines.entries()) {
    line.spoil((_, body) => {
      requests++;
      meanwhile(requests, body);
      const dies = deaths.indexOf(requests);
      if (dies !== -1) {
        void line.die();
        void lines[1 - which]?.revive();
        return { kind: "drop" };
      }
      // Refusals come in bursts.
      if (burst.left === 0) burst = { fault: randomFault(random, badness), left: random.integer(1, 3) };
      burst.left--;
      return burst.fault.kind === "refuse" || burst.left === 0 ? burst.fault : { kind: "pass" };
    });
  }
}

async function healLines(): Promise<void> {
  for (const { line } of [world.first, world.second]) {
    await line.revive();
    line.spoil(() => ({ kind: "pass" }));
  }
}

const walk = (history: History): Promise<Walked | Failed> =>
  python.ask({ ...history, key: KEY, urls: random.chance(0.5) ? world.urls : world.urls.toReversed() });

describe.skipIf(without)("the Python client over bad lines (issue: clients, proof)", () => {
  it(`gives exactly the source's rows in ${HISTORIES - REBUILT} random histories`, async () => {
    const failures: Failed[] = [];
    const seen = { requests: 0, continuedElsewhere: 0 };
    for (let place = 0; place < HISTORIES - REBUILT; place++) {
      const of = days.get(random.pick(DATES)) as TestDay;
      const history = randomHistory(of);
      spoilLines(random.pick([0, 0.1, 0.3, 0.5]), (_, body) => {
        seen.requests++;
        if (body.includes('"cursor": "v2.')) seen.continuedElsewhere++;
      });
      const walked = await walk(history);
      await healLines();
      if ("error" in walked) failures.push(walked);
      else {
        expect(walked.rows, JSON.stringify(history)).toEqual(expectedRows(of, history));
        expect(walked.restarts, "nothing was rebuilt").toBe(0);
      }
    }
    console.log(`${JSON.stringify(seen)}; ${failures.length} histories ended with an error`);
    expect(seen.continuedElsewhere).toBeGreaterThan(100);
    // Half of all requests spoilt can make eight broken connections in a row; nothing else may stop a walk.
    expect(failures.filter(({ error }) => error !== "ConnectionFailed")).toEqual([]);
    expect(failures.length).toBeLessThan(0.02 * HISTORIES);
  }, 600_000);

  it(`gives the rows of one revision in ${REBUILT} histories with a rebuild on the way`, async () => {
    const seen = { before: 0, after: 0, restarted: 0, refused: 0 };
    for (let place = 0; place < REBUILT; place++) {
      const tradedate = new Date(Date.UTC(2025, 2, 3) + place * 86_400_000)
        .toISOString()
        .slice(0, 10)
        .replaceAll("-", "");
      const before = randomDay(tradedate);
      const after = rebuilt(before);
      await world.publish(before);
      const history = randomHistory(before);
      const at = random.integer(1, 10);
      const where = random.pick([[world.first], [world.second], [world.first, world.second]]);
      let publishing: Promise<unknown> = Promise.resolve();
      spoilLines(random.pick([0, 0.2]), (place) => {
        if (place === at) publishing = Promise.all(where.map(({ service }) => publish(service, after)));
      });
      const walked = await walk(history);
      await publishing;
      await healLines();
      if ("error" in walked) {
        seen.refused++;
        expect(["DataRebuilt", "ConnectionFailed"], walked.message).toContain(walked.error);
        if (walked.error === "DataRebuilt")
          expect([walked.code, walked.reason]).toEqual([422, "data_rebuilt"]);
        continue;
      }
      const [old, fresh] = [expectedRows(before, history), expectedRows(after, history)];
      const isOld = JSON.stringify(walked.rows) === JSON.stringify(old);
      if (!isOld) expect(walked.rows, JSON.stringify(history)).toEqual(fresh);
      seen[isOld ? "before" : "after"]++;
      seen.restarted += walked.restarts;
    }
    console.log(`histories with a rebuild: ${JSON.stringify(seen)}`);
    expect(seen.restarted).toBeGreaterThan(0);
  }, 600_000);
});

/** The day with something else in it: a record more, a record less, or only another price. */
function rebuilt(before: TestDay): TestDay {
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
