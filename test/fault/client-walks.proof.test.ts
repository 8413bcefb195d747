/**
 * Random histories of both clients over bad lines to two deployments with different secrets: the rows are always
 * exactly the source's, or the error says why not.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, EdgetapeError } from "../../src/client/typescript/index.ts";
import { clock } from "../../src/client/typescript/waiting.ts";
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
const LONG_MS = 1_800_000;
const random = printedRandom("histories");
const sleep = clock.sleep;
const withoutPython = isPythonMissing("the Python client's walks over bad lines");

let world: TwoDeployments;
let python: PythonScript;
/** Days that were rebuilt so far: each history has one of its own. */
let rebuilds = 0;
const days: TestDay[] = DATES.map((tradedate) => randomDay(random, tradedate));

beforeAll(async () => {
  clock.sleep = async () => undefined;
  world = await startTwoDeployments();
  await world.addKey(KEY, "flagship");
  for (const each of days) await world.publish(each);
  if (!withoutPython) python = startPython("test/fault/client_walks.py");
});
afterAll(async () => {
  clock.sleep = sleep;
  python?.stop();
  await world?.stop();
});

interface Walked {
  rows: Row[];
  restarts: number;
}

interface Failed {
  error: string;
  code: number | null;
  reason: string | null;
  message: string;
}

const urls = () => (random.chance(0.5) ? world.urls : world.urls.toReversed());

function walkInPython({ pageSize, ...history }: History): Promise<Walked | Failed> {
  const how = random.pick(["list", "iterate"]);
  return python.ask({ ...history, page_size: pageSize, how, key: KEY, urls: urls() });
}

/** Walks as one of the three ways to read it does, by a client of its own. */
async function walkInTypeScript(history: History): Promise<Walked | Failed> {
  const { symbol, date, start, end, fields, pageSize } = history;
  const orders = new Client({ key: KEY, baseUrls: urls(), timeoutMs: 5_000 }).orders({
    symbol,
    date,
    pageSize,
    ...(start === null ? {} : { start }),
    ...(end === null ? {} : { end }),
    ...(fields === null ? {} : { fields }),
  });
  const rows: Row[] = [];
  const how = random.pick(["toArray", "rows", "pages"]);
  try {
    if (how === "toArray") for (const row of await orders.toArray()) rows.push(Object.values(row));
    else if (how === "pages") for await (const page of orders.pages()) rows.push(...page.items);
    else for await (const row of orders) rows.push(Object.values(row));
    return { rows, restarts: orders.restarts };
  } catch (error) {
    if (!(error instanceof EdgetapeError)) throw error;
    return { error: error.name, code: error.code, reason: error.reason, message: error.message };
  }
}

describe.each([
  { client: "Python", walk: walkInPython, isMissing: withoutPython },
  { client: "TypeScript", walk: walkInTypeScript, isMissing: false },
])("the $client client over bad lines", ({ walk, isMissing }) => {
  it.skipIf(isMissing)(
    `gives exactly the source's rows in ${HISTORIES - REBUILT} random histories`,
    async () => {
      const failures: Failed[] = [];
      const seen = { requests: 0, continuedElsewhere: 0 };
      for (let place = 0; place < HISTORIES - REBUILT; place++) {
        const of = random.pick(days);
        const history = randomHistory(random, of);
        spoilLines(random, world, random.pick([0, 0.1, 0.3, 0.5]), (_, body) => {
          seen.requests++;
          if (/"cursor": ?"v2\./.test(body)) seen.continuedElsewhere++;
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
      expect(seen.continuedElsewhere).toBeGreaterThan(HISTORIES / 5);
      // Half of all requests spoilt can make eight broken connections in a row; nothing else may stop a walk.
      expect(failures.filter(({ error }) => error !== "ConnectionFailed")).toEqual([]);
      expect(failures.length).toBeLessThan(Math.max(3, 0.02 * HISTORIES));
    },
    LONG_MS,
  );

  it.skipIf(isMissing)(
    `gives the rows of one revision in ${REBUILT} histories with a rebuild on the way`,
    async () => {
      const seen = { before: 0, after: 0, restarted: 0, refused: 0 };
      // A few more where chance let none of so few be rebuilt in the middle of its walk.
      for (let place = 0; place < REBUILT || (seen.restarted === 0 && place < 60); place++) {
        const before = randomDay(random, rebuildDate(rebuilds++));
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
    },
    LONG_MS,
  );
});
