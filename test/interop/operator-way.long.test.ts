/**
 * A new operator's first hour on one machine: an empty deployment, a day, a customer, a refusal, a backup and its
 * restore.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Finding } from "../../src/admin/wire.ts";
import type { Demo } from "../../src/cli/demo/welcome.ts";
import { commandsOf } from "../support/edgetape.ts";
import { askDemo, freePort, npmStart, pressCtrlC, type Start, untilServed } from "../support/npm-start.ts";
import { testFolder } from "../support/test-folder.ts";

const VENDOR_SAMPLE = "../shared/data/orders-20230711-vendor.zip";
const folder = testFolder("edgetape-operator-");
const packs = join(folder, "packs");
const started: Start[] = [];

async function startEmpty(name: string): Promise<Demo> {
  const out = join(folder, `${name}.json`);
  const state = join(folder, name);
  const start = npmStart("--empty", "--port", String(await freePort()), "--state", state, "--out", out);
  started.push(start);
  return untilServed(start, out);
}

async function findings(demo: Demo): Promise<string[]> {
  const { stdout } = await commandsOf(demo).run`doctor --json`;
  return (JSON.parse(stdout) as { findings: Finding[] }).findings.map(
    ({ check, level }) => `${check} ${level}`,
  );
}

const ask = (demo: Demo, apikey: string, params: object) =>
  askDemo(demo, { apiname: "level2_order_history", apikey, params });

let key: string;
const first = await startEmpty("first");
afterAll(async () => {
  for (const start of started) await pressCtrlC(start);
});

const { done, output, run } = commandsOf(first);

describe("npm start -- --empty", () => {
  const isVendors = existsSync(VENDOR_SAMPLE);
  const date = isVendors ? "20230711" : "20260311";
  const delivery = isVendors ? VENDOR_SAMPLE : join(folder, "invented");

  it("starts with no data, and the doctor's only finding is the empty calendar", async () => {
    expect(first).toMatchObject({ keys: {}, days: [] });
    expect(await done`account list`).toBe("no accounts\n");
    expect(await findings(first)).toEqual(["calendar failed"]);
  });

  it("lets an operator publish the vendor's sample, create a customer, and explain a refusal", async () => {
    if (!isVendors) {
      console.warn(
        `NOT TESTED: the vendor's sample, because ${VENDOR_SAMPLE} does not exist; invented orders are used instead`,
      );
      await done`sample --date ${date} --rows 5000 --csv --out ${delivery}`;
    }
    await done`calendar load --year ${date.slice(0, 4)}`;
    const served = await output`rebuild ${delivery} --date ${date} --out ${packs}`;
    expect(served).toContain(`${date} is served as revision 1`);
    await done`account create customer-1`;
    await done`subscription weekly customer-1`;
    [key = ""] = (await done`key issue customer-1`).split("\n");

    const refused = await ask(first, key, { symbol: "600519", tradedate: "20170103" });
    expect(refused.code).toBe(403);
    const [, requestId = ""] = /· (\S+)\]$/.exec(refused.message) ?? [];
    const told = await vi.waitFor(() => done`explain ${requestId}`, { timeout: 60_000 });
    expect(told).toContain("403 (outside_window)");
    await done`subscription extend customer-1 --plan flagship --by 30d`;
  });

  it("lets an operator rebuild a day without a new revision, and restore a backup into an empty demo", async () => {
    const again = await run`rebuild ${delivery} --date ${date} --out ${packs} --force`;
    expect(again.stdout).toContain(`${date} was already served with this content, as revision 1`);
    const backup: string = JSON.parse(await done`backup create --out ${folder}/backups/ --json`).path;
    expect(backup).toMatch(/\/backups\/edgetape-\d{8}-\d{6}\.jsonl\.gz$/);

    const second = await startEmpty("second");
    const there = commandsOf(second);
    // The second deployment has a different secret, so it cannot verify the seal of the first deployment.
    expect((await there.run`backup restore ${backup}`).status).toBe(1);
    const restored = await there.run`backup restore ${backup} --unauthenticated`;
    expect(restored.status).toBe(3);
    expect(restored.stdout).toContain(`${date} is not served: its object is not in R2.`);
    expect(await there.done`account list`).toMatch(/^customer-1 +flagship/m);
    expect(await findings(second)).toContain("objects warning");
    expect((await there.run`doctor --repair`).stdout).toContain("was marked as lost.");
    expect(await findings(second)).not.toContain("objects warning");
    const served = await there.output`publish ${join(packs, `${date}.parquet`)}`;
    expect(served).toContain(`${date} is served as revision 2`);
    // The key and the plan come from the backup, so the request is allowed even if the sample lacks this security.
    expect((await ask(second, key, { symbol: "600519", tradedate: date })).code).not.toBe(403);
  });
});
