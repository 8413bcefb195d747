/**
 * 500 random histories of the Python client over bad lines to two deployments: the rows are always exactly
 * the source's, or the error says why not.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row, TestDay } from "../support/builders.ts";
import { publish } from "../support/operator.ts";
import { isPythonMissing, type PythonScript, startPython } from "../support/python.ts";
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

const KEY = "a-key-that-both-deployments-know";
const DATES = ["20260309", "20260310", "20260311"];
const random = printedRandom("histories");
const without = isPythonMissing("the Python client's walks over bad lines");

let world: TwoDeployments;
let python: PythonScript;
const days: TestDay[] = DATES.map((tradedate) => randomDay(random, tradedate));

beforeAll(async () => {
  if (without) return;
  world = await startTwoDeployments();
  await world.addKey(KEY, "flagship");
  for (const each of days) await world.publish(each);
  python = startPython("test/fault/client_walks.py");
}, 240_000);
afterAll(async () => {
  python?.stop();
  await world?.stop();
});

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

function walk({ pageSize, ...history }: History): Promise<Walked | Failed> {
  const urls = random.chance(0.5) ? world.urls : world.urls.toReversed();
  return python.ask({
    ...history,
    page_size: pageSize,
    how: random.pick(["list", "iterate"]),
    key: KEY,
    urls,
  });
}

describe.skipIf(without)("the Python client over bad lines (issue: clients, proof)", () => {
  it(`gives exactly the source's rows in ${HISTORIES - REBUILT} random histories`, async () => {
    const failures: Failed[] = [];
    const seen = { requests: 0, continuedElsewhere: 0 };
    for (let place = 0; place < HISTORIES - REBUILT; place++) {
      const of = random.pick(days);
      const history = randomHistory(random, of);
      spoilLines(random, world, random.pick([0, 0.1, 0.3, 0.5]), (_, body) => {
        seen.requests++;
        if (body.includes('"cursor": "v2.')) seen.continuedElsewhere++;
      });
      const walked = await walk(history);
      await healLines(world);
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
      const walked = await walk(history);
      await publishing;
      await healLines(world);
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
