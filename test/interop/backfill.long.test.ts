/** `edgetape backfill` against a service: killed, after a withdrawal, with days that fail. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Row } from "../support/builders.ts";
import { deliver } from "../support/deliveries.ts";
import { account } from "../support/operator.ts";
import { readAllPages } from "../support/paging.ts";
import { runEdgetape, startEdgetape } from "../support/running-command.ts";
import { type Service, startService } from "../support/service.ts";

const SYMBOL = "600519";
const LONG_MS = 900_000;

let service: Service;
let apikey: string;
let folder: string;

beforeAll(async () => {
  service = await startService();
  apikey = (await account(service, { plan: "flagship" })).key;
  folder = mkdtempSync(join(tmpdir(), "edgetape-backfill-"));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function served(tradedate: string): Promise<Row[]> {
  return (await readAllPages(service, { apikey, params: { symbol: SYMBOL, tradedate } })).rows;
}

describe("backfill", () => {
  const days = ["20260302", "20260303", "20260304"];

  it(
    "killed in its first day, takes up the days it has not loaded, the newest first",
    async () => {
      const many = join(folder, "many");
      const delivered = days.map((day) => deliver(join(many, "2026"), day, 2_000));
      const args = ["backfill", many, "--threads", "1"];
      const running = startEdgetape(args, service);
      await running.said("1 of 3 days, about");
      running.kill();
      await running.ended;
      const { status, stdout, stderr } = await runEdgetape(args, service);
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
      expect((await runEdgetape(args, service)).stdout).toContain("0 of 3 days were loaded");
    },
    LONG_MS,
  );

  it(
    "says that a day it loaded earlier has been withdrawn since, and why",
    async () => {
      const two = join(folder, "two");
      for (const day of ["20260112", "20260113"]) deliver(two, day, 2_000);
      const args = ["backfill", two, "--threads", "1", "--json"];
      expect((await runEdgetape(args, service)).status).toBe(0);
      const withdrawal = ["day", "withdraw", "20260112", "--note", "asked to", "--yes"];
      expect((await runEdgetape(withdrawal, service)).status).toBe(0);
      // A refused day is tried again each time, and each time it says why.
      for (const _ of [1, 2]) {
        const { status, stdout } = await runEdgetape(args, service);
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
