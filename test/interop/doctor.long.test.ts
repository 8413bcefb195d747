/** `edgetape doctor` against a running service: faults are found, reported with advice, and repaired. */
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/admin/wire.ts";
import { oneOrder } from "../support/builders.ts";
import { commandsOf } from "../support/edgetape.ts";
import { account, asOperator, publish } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { ADMIN_TOKEN, startService } from "../support/service.ts";
import { testService } from "../support/test-service.ts";

const service = await testService({ settings: { PUBLIC_BASE_URL: "http://127.0.0.1:1" } });
const days = Array.from({ length: 100 }, (_, n) => ({
  day: new Date(Date.UTC(2026, 1, 1 + n)).toISOString().slice(0, 10).replaceAll("-", ""),
  open: n === 38,
}));
await asOperator(service, "PUT", "/admin/calendar", { days, source: "test" });
await publish(service, oneOrder("20260311"));

const { run } = commandsOf(service);

async function doctor(...args: string[]) {
  const { status, stdout, stderr } = await run`doctor --json ${args}`;
  expect(stderr).toBe("");
  const { checks, findings } = JSON.parse(stdout) as { checks: string[]; findings: Finding[] };
  return { status, checks, findings, found: findings.map(({ check, level }) => `${check} ${level}`) };
}

describe("edgetape doctor", () => {
  it("reports the known findings of the tests' deployment, and nothing else", async () => {
    const { status, checks, findings, found } = await doctor();
    expect(status).toBe(1);
    // The tests' clock is in March, there is no webhook, and the public URL does not exist.
    expect([...new Set(found)].sort()).toEqual([
      "clock warning",
      "host failed",
      "settings failed",
      "settings warning",
    ]);
    expect(findings.filter(({ check, level }) => `${check} ${level}` === "settings failed")).toMatchObject([
      { subject: "CLOCK_OFFSET_MS" },
    ]);
    expect(
      findings
        .filter(({ check }) => check === "host")
        .every(({ sentence }) => sentence.includes("127.0.0.1:1")),
    ).toBe(true);
    expect(checks.join(" ")).toBe(
      "stores migrations version settings clock calendar days objects uploads index host",
    );
    expect(findings.every(({ advice }) => advice.length > 0)).toBe(true);
    expect(JSON.stringify(findings)).not.toMatch(new RegExp(`${ADMIN_TOKEN}|test-(cursor|share)-secret`));
  });

  it("prints the most severe finding first, and lists the checks without findings", async () => {
    const { stdout } = await run`doctor --no-host`;
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^FAILED {2}settings {4}CLOCK_OFFSET_MS is -\d+/);
    expect(lines.at(-2)).toBe("passed: stores, migrations, version, calendar, days, objects, uploads, index");
    expect(lines.at(-1)).toMatch(/^1 failed, \d+ warnings, 0 repaired$/);
  });

  it("finds index rows that differ from the pack, and rebuilds them so that the day is served as before", async () => {
    const { key } = await account(service, { plan: "flagship" });
    const ask = () =>
      service.post(orderHistory({ apikey: key, params: { symbol: "600519", tradedate: "20260311" } }));
    const before = (await ask()).envelope.data;
    const db = await service.mf.getD1Database("DB");
    await db.prepare("DELETE FROM day_securities").run();
    expect((await ask()).reason).toBe("security_unknown");
    expect((await doctor("--no-host")).found).toContain("index failed");
    expect((await doctor("--no-host", "--repair")).found).toContain("index done");
    expect((await ask()).envelope.data).toEqual(before);
    expect((await doctor("--no-host")).found).not.toContain("index failed");
  });

  it("reports a missing object, which --repair cannot restore", async () => {
    const bucket = await service.mf.getR2Bucket("PACKS");
    for (const { key } of (await bucket.list()).objects) await bucket.delete(key);
    const { status, found, findings } = await doctor("--no-host", "--repair");
    expect(status).toBe(1);
    expect(found).toEqual(expect.arrayContaining(["objects failed", "index failed"]));
    expect(findings.find(({ check }) => check === "objects")?.advice).toContain("Publish it again");
  });

  it("reports a service that refuses the token, without printing the token", async () => {
    const { baseUrl } = service;
    const { status, stdout } = await commandsOf({ baseUrl, adminToken: "an unknown token" })
      .run`doctor --no-host`;
    expect(status).toBe(1);
    expect(stdout).toMatch(/^FAILED {2}service /);
    expect(stdout).not.toContain("an unknown token");
  });
});

describe("edgetape doctor --delete-unknown", () => {
  it("deletes only objects that are not in the catalog, after a confirmation", async () => {
    // R2 stamps objects with the machine's time. The service's clock is two days ahead, so the objects are older than a
    // day.
    const nowAt = new Date(Date.now() + 2 * 86_400_000).toISOString();
    await using later = await startService({ nowAt });
    await publish(later, oneOrder("20260311"));
    const bucket = await later.mf.getR2Bucket("PACKS");
    const keys = async () => (await bucket.list()).objects.map(({ key }) => key);
    const known = await keys();
    const strange = "files/level2/2026/20260311/20260311_trades.zip/1";
    await bucket.put(strange, "trades");
    const args = ["doctor", "--no-host", "--delete-unknown"];
    const unasked = await commandsOf(later).run`${args}`;
    expect([unasked.status, unasked.stdout]).toEqual([2, ""]);
    expect(unasked.stderr).toMatch(
      new RegExp(
        `^edgetape: Delete permanently: ${strange} \\(6 bytes, uploaded 2\\S+\\)\\? .* add --yes\\.\n$`,
      ),
    );
    expect(await keys()).toContain(strange);
    const { stdout } = await commandsOf(later).run`${args} --yes`;
    expect(stdout).toContain(`${strange}, which was not in the catalog, was deleted.`);
    expect(await keys()).toEqual(known);
    expect((await commandsOf(later).run`${args} --yes`).stdout).not.toContain("was deleted");
  });
});
