/** Runs `edgetape backfill` after a kill, after a withdrawal, with days that fail, and on two hosts. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DATASET_NAMES } from "../../src/datasets/registry.ts";
import type { Row } from "../support/builders.ts";
import { deliver } from "../support/deliveries.ts";
import { commandsOf } from "../support/edgetape.ts";
import { account } from "../support/operator.ts";
import { readAllPages } from "../support/paging.ts";
import { startEdgetape } from "../support/running-command.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const SYMBOL = "600519";

const service = await testService();
const apikey = (await account(service, { plan: "flagship" })).key;
const folder = testFolder("edgetape-backfill-");

const { run } = commandsOf(service);

async function served(tradedate: string): Promise<Row[]> {
  return (await readAllPages(service, { apikey, params: { symbol: SYMBOL, tradedate } })).rows;
}

describe("edgetape backfill", () => {
  const days = ["20260302", "20260303", "20260304"];

  it("loads the remaining days, newest first, after it was killed during the first day", async () => {
    const many = join(folder, "many");
    const delivered = days.map((day) => deliver(join(many, "2026"), day, 2_000));
    const args = ["backfill", many, "--threads", "1"];
    const running = startEdgetape(args, service);
    await running.said("1 of 3 days, about");
    running.kill();
    await running.ended;
    const { status, stdout, stderr } = await run`${args}`;
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const [headings = "", ...lines] = stdout.trimEnd().split("\n");
    expect(headings.split(/ {2,}/)).toEqual(["day", "verdict", "orders", "size", "time", "problem"]);
    expect(lines.slice(0, 3).map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual(
      days.toReversed().map((day) => [day, "served", "2,000"]),
    );
    expect(lines.slice(3)).toEqual([
      "",
      expect.stringMatching(
        /^[12] of 3 days were loaded now \(0 with rows left out\), [12] earlier, 0 failed\.$/,
      ),
    ]);
    for (const [at, day] of days.entries()) expect(await served(day)).toEqual(delivered[at]?.rowsOf(SYMBOL));
    const journal = readFileSync(join(`${many}.edgetape`, "backfill.jsonl"), "utf8")
      .trim()
      .split("\n");
    const noted = journal.map((line) => JSON.parse(line));
    expect(noted.map(({ tradedate, verdict }) => ({ tradedate, verdict }))).toEqual(
      days.toReversed().map((tradedate) => ({ tradedate, verdict: "served" })),
    );
    expect((await run`${args}`).stdout).toContain("0 of 3 days were loaded");
  });

  it("reports that a loaded day was later withdrawn, with the reason", async () => {
    const two = join(folder, "two");
    for (const day of ["20260112", "20260113"]) deliver(two, day, 2_000);
    const args = ["backfill", two, "--threads", "0", "--json"];
    expect((await run`${args}`).status).toBe(0);
    expect((await run`day withdraw 20260112 --note ${"asked to"} --yes`).status).toBe(0);
    // Each run tries the withdrawn day again and reports why it is refused.
    for (const _ of [1, 2]) {
      const { status, stdout } = await run`${args}`;
      expect(status).toBe(1);
      const { loaded, before, failed, table } = JSON.parse(stdout);
      expect({ loaded, before }).toEqual({ loaded: 0, before: 1 });
      expect(table.map(({ verdict }: { verdict: string }) => verdict)).toEqual(["served", "withdrawn"]);
      expect(failed).toEqual([{ tradedate: "20260112", problem: expect.stringContaining("withdr") }]);
      expect(failed[0].problem).toContain("asked to");
    }
    expect((await run`day show 20260112`).stdout).toContain("withdrawn");
    const retried = await run`${args} --failed`;
    expect(JSON.parse(retried.stdout)).toMatchObject({ days: 0, failed: [] });
  });

  it("stops after three failed days in a row, and retries only failed days with --failed", async () => {
    const some = join(folder, "some");
    const good = ["20260105", "20260109"];
    const bad = ["20260106", "20260107", "20260108"];
    for (const day of good) deliver(some, day, 2_000);
    for (const day of bad) mkdirSync(join(some, day), { recursive: true });
    const load = async (...more: string[]) => {
      const { status, stdout } = await run`backfill ${some} --threads 0 --json ${more}`;
      const result = JSON.parse(stdout);
      const verdicts = result.table.map(({ tradedate, verdict }: Record<string, string>) => [
        tradedate,
        verdict,
      ]);
      return { status, result, verdicts: Object.fromEntries(verdicts) };
    };
    const first = await load();
    expect(first.status).toBe(1);
    expect(first.result).toMatchObject({ days: 5, loaded: 1, before: 0, untried: 1 });
    expect(first.result.failed.map((each: { tradedate: string }) => each.tradedate)).toEqual(
      bad.toReversed(),
    );
    const [gone = "", still = "", mended = ""] = bad;
    deliver(some, mended, 2_000);
    rmSync(join(some, gone), { recursive: true });
    const retried = await load("--failed");
    expect(retried).toMatchObject({ status: 1, result: { days: 3, loaded: 1, before: 0, untried: 0 } });
    expect(retried.verdicts).toEqual({ [mended]: "served", [still]: "failed", [gone]: "failed" });
    expect(retried.result.failed[1]).toEqual({
      tradedate: gone,
      problem: "its delivery is no longer in the folder",
    });
    deliver(some, gone, 2_000);
    deliver(some, still, 2_000);
    const last = await load();
    expect(last).toMatchObject({ status: 0, result: { days: 5, loaded: 3, before: 2, untried: 0 } });
    expect(await load("--failed")).toMatchObject({ status: 0, result: { days: 0, table: [] } });
  });

  it("can run on two hosts at the same time with separate work folders, even if both load the same day", async () => {
    const shared = join(folder, "shared");
    const [first, second, third] = ["20260202", "20260203", "20260204"] as const;
    const delivered = [first, second, third].map((day) =>
      deliver(shared, day, 2_000, { datasets: DATASET_NAMES }),
    );
    const host = (name: string, ...days: string[]) =>
      run`backfill ${shared} --threads 0 --json --work ${join(folder, name)} ${days}`;
    const ends = await Promise.all([
      host("one", "--from", second, "--oldest-first"),
      host("two", "--to", second),
    ]);
    for (const { status, stderr } of ends) expect({ status, stderr }).toMatchObject({ status: 0 });
    for (const { stdout } of ends) {
      const { table } = JSON.parse(stdout);
      const served = DATASET_NAMES.map((dataset) => expect.objectContaining({ dataset, revision: 1 }));
      expect(table).toEqual([
        expect.objectContaining({ verdict: "served", served }),
        expect.objectContaining({ verdict: "served", served }),
      ]);
    }
    for (const [at, day] of [first, second, third].entries())
      expect(await served(day)).toEqual(delivered[at]?.rowsOf(SYMBOL));
  });
});
