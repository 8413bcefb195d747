/**
 * Runs random histories of both clients over unreliable connections to two deployments with different secrets. A client
 * returns exactly the source's rows, or an error that gives the reason.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clock } from "../../src/client/typescript/waiting.ts";
import { expectRows } from "../property/check-paging.ts";
import type { Row, TestDay } from "../support/builders.ts";
import { PAGED, type PagingFailure, pageInTypeScript, startPythonPager } from "../support/client-paging.ts";
import { publish } from "../support/operator.ts";
import { isPythonMissing } from "../support/python.ts";
import { printedRandom } from "../support/random.ts";
import {
  corruptLines,
  expectedRows,
  HISTORIES,
  type History,
  healLines,
  REBUILT,
  randomDay,
  randomHistory,
  rebuildDate,
  rebuilt,
} from "./histories.ts";
import { startTwoDeployments } from "./two-deployments.ts";

const KEY = "a-key-that-both-deployments-know";
const DATES = ["20260309", "20260310", "20260311"];
const random = printedRandom("histories");
const sleep = clock.sleep;
const withoutPython = isPythonMissing("the Python client's paging over bad connections");

/** The number of days rebuilt so far. Each history rebuilds a different day. */
let rebuilds = 0;
const days: TestDay[] = DATES.map((tradedate) => randomDay(random, tradedate));

const world = await startTwoDeployments(KEY);
for (const each of days) for (const dataset of PAGED) await world.publish(each, dataset);
const python = withoutPython ? null : startPythonPager();
beforeAll(() => {
  clock.sleep = async () => undefined;
});
afterAll(async () => {
  clock.sleep = sleep;
  python?.stop();
  await world.stop();
});

/** Reads the rows of a history with a random method of the client. Which deployment is asked first is also random. */
async function read(
  page: typeof pageInTypeScript,
  history: History,
): Promise<{ rows: Row[]; restarts: number } | PagingFailure> {
  const urls = random.chance(0.5) ? world.urls : world.urls.toReversed();
  const how = random.pick(["list", "iterate", "pages"] as const);
  const { attempts, restarts } = await page({ ...history, key: KEY, urls, how });
  const [ended] = attempts;
  if (ended === undefined) throw new Error("one attempt was made");
  return "error" in ended ? ended : { rows: ended.rows, restarts };
}

describe.each([
  { client: "Python", page: python?.page ?? pageInTypeScript, isMissing: withoutPython },
  { client: "TypeScript", page: pageInTypeScript, isMissing: false },
])("the $client client over bad connections", ({ page, isMissing }) => {
  it.skipIf(isMissing)(
    `returns exactly the source's rows or fails to connect in ${HISTORIES - REBUILT} random histories`,
    async () => {
      const failures: PagingFailure[] = [];
      const seen = { requests: 0, continuedElsewhere: 0, ofOthers: 0 };
      const enough = HISTORIES / 5;
      // The loop continues until enough requests went to the other deployment, because a short history may need none.
      const isShort = (place: number) => seen.continuedElsewhere <= enough && place < 4 * HISTORIES;
      for (let place = 0; place < HISTORIES - REBUILT || isShort(place); place++) {
        const of = random.pick(days);
        const history = randomHistory(random, of);
        if (history.dataset !== "orders") seen.ofOthers++;
        corruptLines(random, world, random.pick([0, 0.1, 0.3, 0.5]), (_, body) => {
          seen.requests++;
          const [, start = history.start] = /"start_time": ?"(\d+)"/.exec(body) ?? [];
          if (/"cursor": ?"v2\./.test(body) || start !== history.start) seen.continuedElsewhere++;
        });
        const found = await read(page, history);
        await healLines(world);
        if ("error" in found) failures.push(found);
        else {
          expectRows(found.rows, expectedRows(of, history), JSON.stringify(history));
          expect(found.restarts, "nothing was rebuilt").toBe(0);
        }
      }
      console.log(`${JSON.stringify(seen)}; ${failures.length} histories ended with an error`);
      expect(seen.continuedElsewhere).toBeGreaterThan(enough);
      // When half of all requests fail, eight connections in a row can break: paging then ends with `ConnectionFailed`.
      // It may end with no other error.
      expect(failures.filter(({ error }) => error !== "ConnectionFailed")).toEqual([]);
      expect(failures.length).toBeLessThan(Math.max(3, 0.02 * HISTORIES));
    },
  );

  it.skipIf(isMissing)(
    `never mixes two revisions in ${REBUILT} histories with a rebuild during paging`,
    async () => {
      const seen = { before: 0, after: 0, restarted: 0, refused: 0 };
      // The loop continues until at least one day was rebuilt in the middle of its pages.
      for (let place = 0; place < REBUILT || (seen.restarted === 0 && place < 60); place++) {
        const before = randomDay(random, rebuildDate(rebuilds++));
        const after = rebuilt(random, before);
        const history = randomHistory(random, before);
        const { dataset } = history;
        await world.publish(before, dataset);
        const at = random.integer(1, 10);
        const where = random.pick([[world.first], [world.second], [world.first, world.second]]);
        let publishing: Promise<unknown> = Promise.resolve();
        corruptLines(random, world, random.pick([0, 0.2]), (request) => {
          if (request === at)
            publishing = Promise.all(where.map(({ service }) => publish(service, after, dataset)));
        });
        const found = await read(page, history);
        await publishing;
        await healLines(world);
        if ("error" in found) {
          seen.refused++;
          expect(["DataRebuilt", "ConnectionFailed"], found.message).toContain(found.error);
          if (found.error === "DataRebuilt")
            expect([found.code, found.reason]).toEqual([422, "data_rebuilt"]);
          continue;
        }
        const [old, fresh] = [expectedRows(before, history), expectedRows(after, history)];
        const isOld = JSON.stringify(found.rows) === JSON.stringify(old);
        if (!isOld) expectRows(found.rows, fresh, JSON.stringify(history));
        seen[isOld ? "before" : "after"]++;
        seen.restarted += found.restarts;
      }
      console.log(`histories with a rebuild: ${JSON.stringify(seen)}`);
      expect(seen.restarted).toBeGreaterThan(0);
    },
  );
});
