/**
 * 500 random histories of the TypeScript client over bad lines to two deployments with different secrets: the
 * rows are always exactly the source's, or the error says why not.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, ConnectionFailed, DataRebuilt } from "../../src/client/typescript/index.ts";
import { clock } from "../../src/client/typescript/waiting.ts";
import type { Row } from "../support/builders.ts";
import { publish } from "../support/operator.ts";
import { printedRandom } from "../support/random.ts";
import {
  expectedRows,
  HISTORIES,
  type History,
  healLines,
  REBUILT,
  randomDay,
  randomHistory,
  rebuildDate,
  rebuilt,
  spoilLines,
} from "./histories.ts";
import { startTwoDeployments, type TwoDeployments } from "./two-deployments.ts";

const KEY = "a-key-of-the-typescript-walks";
const DATES = ["20260309", "20260310", "20260311"];
const random = printedRandom("TypeScript histories");
const sleep = clock.sleep;

let world: TwoDeployments;
const days = DATES.map((tradedate) => randomDay(random, tradedate));

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

/** Walks as one of the three ways to read it does, by a client of its own. */
async function walk(history: History): Promise<{ rows: Row[]; restarts: number }> {
  const { symbol, date, start, end, fields, pageSize } = history;
  const baseUrls = random.chance(0.5) ? world.urls : world.urls.toReversed();
  const orders = new Client({ key: KEY, baseUrls, timeoutMs: 5_000 }).orders({
    symbol,
    date,
    pageSize,
    ...(start === null ? {} : { start }),
    ...(end === null ? {} : { end }),
    ...(fields === null ? {} : { fields }),
  });
  const rows: Row[] = [];
  const how = random.pick(["toArray", "rows", "pages"]);
  if (how === "toArray") for (const row of await orders.toArray()) rows.push(Object.values(row));
  else if (how === "pages") for await (const page of orders.pages()) rows.push(...page.items);
  else for await (const row of orders) rows.push(Object.values(row));
  return { rows, restarts: orders.restarts };
}

describe("the TypeScript client over bad lines (issue: clients, proof)", () => {
  it(`gives exactly the source's rows in ${HISTORIES - REBUILT} random histories`, async () => {
    const failures: unknown[] = [];
    const seen = { requests: 0, continuedElsewhere: 0 };
    for (let place = 0; place < HISTORIES - REBUILT; place++) {
      const of = random.pick(days);
      const history = randomHistory(random, of);
      spoilLines(random, world, random.pick([0, 0.1, 0.3, 0.5]), (_, body) => {
        seen.requests++;
        if (body.includes('"cursor":"v2.')) seen.continuedElsewhere++;
      });
      try {
        const { rows, restarts } = await walk(history);
        expect(rows, JSON.stringify(history)).toEqual(expectedRows(of, history));
        expect(restarts, "nothing was rebuilt").toBe(0);
      } catch (error) {
        if (!(error instanceof ConnectionFailed)) throw error;
        failures.push(error);
      }
      await healLines(world);
    }
    console.log(`${JSON.stringify(seen)}; ${failures.length} histories ended with ConnectionFailed`);
    expect(seen.continuedElsewhere).toBeGreaterThan(100);
    // Half of all requests spoilt can make eight broken connections in a row.
    expect(failures.length).toBeLessThan(0.02 * HISTORIES);
  }, 600_000);

  it(`gives the rows of one content in ${REBUILT} histories with a rebuild on the way`, async () => {
    const seen = { before: 0, after: 0, restarted: 0, refused: 0 };
    for (let place = 0; place < REBUILT; place++) {
      const before = randomDay(random, rebuildDate(place));
      const after = rebuilt(random, before);
      await world.publish(before);
      const history = randomHistory(random, before);
      const at = random.integer(1, 10);
      const where = random.pick([[world.first], [world.second], [world.first, world.second]]);
      let publishing: Promise<unknown> = Promise.resolve();
      spoilLines(random, world, random.pick([0, 0.2]), (request) => {
        if (request === at) publishing = Promise.all(where.map(({ service }) => publish(service, after)));
      });
      try {
        const { rows, restarts } = await walk(history);
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
      await healLines(world);
    }
    console.log(`histories with a rebuild: ${JSON.stringify(seen)}`);
    expect(seen.restarted).toBeGreaterThan(0);
  }, 600_000);
});
