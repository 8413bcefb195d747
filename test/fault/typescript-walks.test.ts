/**
 * 500 random histories of the TypeScript client over bad lines to two deployments with different secrets: the
 * rows are always exactly the source's, or the error says why not.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, ConnectionFailed, DataRebuilt } from "../../src/client/typescript/index.ts";
import { clock } from "../../src/client/typescript/waiting.ts";
import { FIELDS } from "../../src/orders/record.ts";
import { day, type Row, randomSecurity, type TestDay, type TestSecurity } from "../support/builders.ts";
import type { Fault } from "../support/fault-line.ts";
import { publish } from "../support/operator.ts";
import { printedRandom } from "../support/random.ts";
import { startTwoDeployments, type TwoDeployments } from "./two-deployments.ts";

const HISTORIES = 440;
const REBUILT = 60;
const KEY = "a-key-of-the-typescript-walks";
const DATES = ["20260309", "20260310", "20260311"];
const random = printedRandom("TypeScript histories");
const sleep = clock.sleep;

let world: TwoDeployments;
const days = DATES.map((tradedate) => randomDay(tradedate));

beforeAll(async () => {
  clock.sleep = async () => undefined;
  world = await startTwoDeployments();
  await world.addKey(KEY, "flagship");
  for (const each of days) await world.publish(each);
}, 240_000);
afterAll(async () => {
  clock.sleep = sleep;
  await world?.stop();
});

function randomDay(tradedate: string): TestDay {
  const shapes = [
    { symbol: "000001", rows: 1, crowd: 1 },
    { symbol: "300750", rows: 257, crowd: 1.2 },
    { symbol: "600519", rows: 1_100, crowd: 3 },
    // Hundreds of rows in a millisecond.
    { symbol: "688981", rows: 1_500, crowd: 400 },
  ];
  return day({ tradedate, securities: shapes.map((shape) => randomSecurity(random, shape)) });
}

interface History {
  symbol: string;
  date: string;
  start?: string;
  end?: string;
  fields?: (typeof FIELDS)[number][];
  pageSize: number;
  how: "toArray" | "rows" | "pages";
}

function randomHistory(of: TestDay): History {
  const { symbol, orders } = random.pick(of.securities);
  const [start, end] = [random.pick(orders).time, random.pick(orders).time].toSorted();
  const isWindow = random.chance(0.4) && start !== end;
  const fields = FIELDS.filter(() => random.chance(0.3));
  return {
    symbol,
    date: of.tradedate,
    ...(isWindow && start !== undefined ? { start } : {}),
    ...(isWindow && end !== undefined && random.chance(0.7) ? { end } : {}),
    ...(fields.length > 0 && random.chance(0.3) ? { fields } : {}),
    pageSize: random.pick([1, 7, 64, 100, 1_000, 10_000].filter((size) => orders.length / size <= 60)),
    how: random.pick(["toArray", "rows", "pages"]),
  };
}

/** The rows that the history must give, taken from what was published. */
function expectedRows(of: TestDay, { symbol, start = "", end = "~", fields = [...FIELDS] }: History): Row[] {
  const columns = fields.map((name) => FIELDS.indexOf(name));
  return of
    .rowsOf(symbol)
    .filter(([, , time]) => String(time) >= start && String(time) < end)
    .map((row) => columns.map((column) => row[column] ?? ""));
}

async function walked(
  client: Client,
  { how, ...query }: History,
): Promise<{ rows: Row[]; restarts: number }> {
  const orders = client.orders(query);
  const rows: Row[] = [];
  if (how === "toArray") for (const row of await orders.toArray()) rows.push(Object.values(row));
  else if (how === "pages") for await (const page of orders.pages()) rows.push(...page.items);
  else for await (const row of orders) rows.push(Object.values(row));
  return { rows, restarts: orders.restarts };
}

function randomFault(badness: number): Fault {
  if (!random.chance(badness)) return { kind: "pass" };
  const afterBytes = random.pick([0, 1, 50, 500, 5_000, 50_000]);
  const refused = { kind: "refuse", status: random.pick([429, 503] as const) } as const;
  return random.pick<Fault>([
    { kind: "drop" },
    { kind: "lose" },
    { kind: "reset", afterBytes },
    { kind: "truncate", afterBytes },
    { kind: "delay", ms: random.integer(1, 30) },
    { ...refused, retryAfter: random.pick(["0", "1", "10"]) },
    { ...refused, retryAfter: random.pick(["1", null]), page: true },
  ]);
}

/** Spoils both lines; in half of the histories one of them dies, and comes back when the other one dies. */
function spoilLines(badness: number, meanwhile: (request: number) => void = () => undefined): void {
  const lines = [world.first.line, world.second.line];
  const deaths = random.chance(0.5) ? [random.integer(1, 12), random.integer(13, 30)] : [];
  let requests = 0;
  for (const [which, line] of lines.entries()) {
    line.spoil(() => {
      requests++;
      meanwhile(requests);
      if (!deaths.includes(requests)) return randomFault(badness);
      void line.die();
      void lines[1 - which]?.revive();
      return { kind: "drop" };
    });
  }
}

async function healLines(): Promise<void> {
  for (const { line } of [world.first, world.second]) {
    await line.revive();
    line.spoil(() => ({ kind: "pass" }));
  }
}

const newClient = () => {
  const baseUrls = random.chance(0.5) ? world.urls : world.urls.toReversed();
  return new Client({ key: KEY, baseUrls, timeoutMs: 5_000 });
};

describe("the TypeScript client over bad lines (issue: clients, proof)", () => {
  it(`gives exactly the source's rows in ${HISTORIES} random histories`, async () => {
    const failures: unknown[] = [];
    let requests = 0;
    for (let place = 0; place < HISTORIES; place++) {
      const of = random.pick(days);
      const history = randomHistory(of);
      spoilLines(random.pick([0, 0.1, 0.3, 0.5]), () => requests++);
      try {
        const { rows, restarts } = await walked(newClient(), history);
        expect(rows, JSON.stringify(history)).toEqual(expectedRows(of, history));
        expect(restarts, "nothing was rebuilt").toBe(0);
      } catch (error) {
        if (!(error instanceof ConnectionFailed)) throw error;
        failures.push(error);
      }
      await healLines();
    }
    console.log(`${requests} requests; ${failures.length} histories ended with ConnectionFailed`);
    // Half of all requests spoilt can make eight broken connections in a row.
    expect(failures.length).toBeLessThan(0.02 * HISTORIES);
  }, 600_000);

  it(`gives the rows of one content in ${REBUILT} histories with a rebuild on the way`, async () => {
    const seen = { before: 0, after: 0, restarted: 0, refused: 0 };
    for (let place = 0; place < REBUILT; place++) {
      const utc = new Date(Date.UTC(2025, 2, 3) + place * 86_400_000);
      const before = randomDay(utc.toISOString().slice(0, 10).replaceAll("-", ""));
      const after = rebuilt(before);
      await world.publish(before);
      const history = randomHistory(before);
      const at = random.integer(1, 10);
      const where = random.pick([[world.first], [world.second], [world.first, world.second]]);
      let publishing: Promise<unknown> = Promise.resolve();
      spoilLines(random.pick([0, 0.2]), (request) => {
        if (request === at) publishing = Promise.all(where.map(({ service }) => publish(service, after)));
      });
      try {
        const { rows, restarts } = await walked(newClient(), history);
        const old = JSON.stringify(expectedRows(before, history));
        const isOld = JSON.stringify(rows) === old;
        if (!isOld) expect(rows, JSON.stringify(history)).toEqual(expectedRows(after, history));
        seen[isOld ? "before" : "after"]++;
        seen.restarted += restarts;
      } catch (error) {
        if (error instanceof DataRebuilt) expect([error.code, error.reason]).toEqual([422, "data_rebuilt"]);
        else if (!(error instanceof ConnectionFailed)) throw error;
        seen.refused++;
      }
      await publishing;
      await healLines();
    }
    console.log(`histories with a rebuild: ${JSON.stringify(seen)}`);
    expect(seen.restarted).toBeGreaterThan(0);
  }, 600_000);
});

/** The day with something else in it: a record more, a record less, or only another price. */
function rebuilt(before: TestDay): TestDay {
  const change = random.pick(["more", "less", "price", "elsewhere"]);
  const securities = before.securities.map((each): TestSecurity => {
    if (change === "elsewhere" && each.symbol !== "000001") return each;
    const orders = [...each.orders];
    const at = random.integer(0, orders.length - 1);
    const [changed] = orders.slice(at);
    if (changed === undefined) return each;
    if (change === "less") orders.splice(at, 1);
    else if (change === "more") orders.splice(at, 0, { ...changed, volume: changed.volume + 100 });
    else orders[at] = { ...changed, priceE4: changed.priceE4 + 100 };
    return { ...each, orders };
  });
  return day({ tradedate: before.tradedate, securities });
}
