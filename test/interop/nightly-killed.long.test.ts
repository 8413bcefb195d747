/** `edgetape nightly` and `backfill` killed outright: what is served is always one whole revision. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row } from "../support/builders.ts";
import { deliver } from "../support/deliveries.ts";
import { MOMENTS } from "../support/killable.ts";
import { pause } from "../support/npm-start.ts";
import { account } from "../support/operator.ts";
import { printedRandom } from "../support/random.ts";
import { runEdgetape, startEdgetape } from "../support/running-command.ts";
import { type Service, startService } from "../support/service.ts";
import { walk } from "../support/walk.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

const TRADEDATE = "20260311";
const SYMBOL = "600519";
const QUICK = ["--stable", "0", "--poll", "0.05", "--threads", "1"];
const LONG_MS = 900_000;

const random = printedRandom("nightly killed");
let service: Service;
let apikey: string;
let folder: string;

beforeAll(async () => {
  service = await startService();
  apikey = (await account(service, { plan: "flagship" })).key;
  folder = mkdtempSync(join(tmpdir(), "edgetape-killed-"));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function served(tradedate = TRADEDATE): Promise<Row[]> {
  return (await walk(service, { apikey, params: { symbol: SYMBOL, tradedate } })).rows;
}

describe(`nightly, killed at ${MOMENTS} random moments`, () => {
  it(
    "serves the old or the new revision as a whole, and the next run completes and tells it once",
    async () => {
      await using receiver = await startReceiver();
      const words = ["nightly", folder, "--date", TRADEDATE, ...QUICK];
      const environment = { EDGETAPE_WEBHOOK_URL: receiver.url };
      const toEnd = async () => {
        const startedMs = performance.now();
        const { status, stderr } = await runEdgetape(words, service, environment);
        expect({ status, stderr }).toMatchObject({ status: 0 });
        return performance.now() - startedMs;
      };

      let before = deliver(folder, TRADEDATE, 2_000, "round 0").rowsOf(SYMBOL);
      // Only where the kills fall depends on it.
      const runMs = await toEnd();
      let killed = 0;
      for (let round = 1; round <= MOMENTS; round++) {
        const after = deliver(folder, TRADEDATE, 2_000, `round ${round}`).rowsOf(SYMBOL);
        receiver.received.length = 0;
        const running = startEdgetape(words, service, environment);
        await running.said("Waiting");
        await pause(random.next() * runMs * 0.7);
        running.kill();
        if ((await running.ended).status === null) killed++;
        const rows = await served();
        expect([before, after]).toContainEqual(rows);
        await toEnd();
        expect(await served()).toEqual(after);
        expect(receiver.received.length).toBeGreaterThanOrEqual(1);
        expect(receiver.received.at(-1)?.body.event).toBe("nightly.published");
        before = after;
      }
      console.log(`${killed} of ${MOMENTS} runs were killed before their end`);
      expect(killed).toBeGreaterThan(0);
    },
    LONG_MS,
  );
});

describe("backfill", () => {
  const days = ["20260302", "20260303", "20260304"];

  it(
    "killed in its first day, takes up the days it has not loaded, the newest first",
    async () => {
      const many = join(folder, "many");
      const delivered = days.map((day) => deliver(join(many, "2026"), day, 2_000));
      const words = ["backfill", many, "--threads", "1"];
      const running = startEdgetape(words, service);
      await running.said("1 of 3 days, about");
      running.kill();
      await running.ended;
      const { status, stdout, stderr } = await runEdgetape(words, service);
      expect({ status, stderr }).toMatchObject({ status: 0 });
      expect(stdout).toMatch(
        /^[12] of 3 days were loaded \(0 with rows left out\), [12] were before, 0 failed\.\n$/,
      );
      for (const [at, day] of days.entries())
        expect(await served(day)).toEqual(delivered[at]?.rowsOf(SYMBOL));
      const journal = readFileSync(join(`${many}.edgetape`, "backfill.jsonl"), "utf8")
        .trim()
        .split("\n");
      expect(journal.map((line) => JSON.parse(line).tradedate)).toEqual(days.toReversed());
      expect((await runEdgetape(words, service)).stdout).toContain("0 of 3 days were loaded");
    },
    LONG_MS,
  );

  it(
    "says that a day it loaded earlier has been withdrawn since, and why",
    async () => {
      const two = join(folder, "two");
      for (const day of ["20260112", "20260113"]) deliver(two, day, 2_000);
      const words = ["backfill", two, "--threads", "1", "--json"];
      expect((await runEdgetape(words, service)).status).toBe(0);
      const withdrawal = ["day", "withdraw", "20260112", "--note", "asked to", "--yes"];
      expect((await runEdgetape(withdrawal, service)).status).toBe(0);
      // A refused day is tried again each time, and each time it says why.
      for (const _ of [1, 2]) {
        const { status, stdout } = await runEdgetape(words, service);
        expect(status).toBe(1);
        const { loaded, before, failed } = JSON.parse(stdout);
        expect({ loaded, before }).toEqual({ loaded: 0, before: 1 });
        expect(failed).toEqual([{ tradedate: "20260112", problem: expect.stringContaining("withdr") }]);
        expect(failed[0].problem).toContain("asked to");
      }
      expect((await runEdgetape(["day", "show", "20260112"], service)).stdout).toContain("withdrawn");
    },
    LONG_MS,
  );

  it(
    "goes on after a day that fails, and stops after three in a row",
    async () => {
      const some = join(folder, "some");
      const good = ["20260105", "20260109"];
      const bad = ["20260106", "20260107", "20260108"];
      for (const day of good) deliver(some, day, 2_000);
      for (const day of bad) mkdirSync(join(some, day), { recursive: true });
      const first = await runEdgetape(["backfill", some, "--threads", "1", "--json"], service);
      expect(first.status).toBe(1);
      expect(JSON.parse(first.stdout)).toMatchObject({ days: 5, loaded: 1, before: 0, untried: 1 });
      expect(JSON.parse(first.stdout).failed.map((each: { tradedate: string }) => each.tradedate)).toEqual(
        bad.toReversed(),
      );
      const [last = ""] = bad;
      deliver(some, last, 2_000);
      const second = await runEdgetape(["backfill", some, "--threads", "1", "--json"], service);
      expect(JSON.parse(second.stdout)).toMatchObject({ days: 5, loaded: 2, before: 1, untried: 0 });
    },
    LONG_MS,
  );
});
