/** Tests the gate's alarm in workerd, with the object's storage and a D1 catalog. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { forgetUsage, usageBetween, usageOfAccount } from "../../../src/catalog/usage.ts";
import type { Env } from "../../../src/env.ts";

const { GATE, DB: db } = env as unknown as Env;
const SERVICE = "level2_order_history";
const MORNING = Date.parse("2026-11-27T09:30:00+08:00");

/** Returns the gate of an account that no other test uses. */
function freshGate() {
  const accountId = `account-${crypto.randomUUID()}`;
  const stub = () => GATE.getByName(`${accountId}:${SERVICE}`);
  const serve = async (kind: "json" | "parquet", bytes: number) => {
    const answer = await stub().acquire({
      ...{ requestId: crypto.randomUUID(), boundMs: 60_000, kind, limits: { requests: null, files: null } },
      owner: { accountId, service: SERVICE },
    });
    if ("reason" in answer) throw new Error(answer.reason);
    await answer.lease.release({ credit: false, bytes });
  };
  const usage = (today = "20261130") =>
    usageOfAccount(db, accountId, { today: today as BeijingDate, count: 5 });
  return { accountId, stub, serve, usage, alarm: () => runDurableObjectAlarm(stub()) };
}

const of = (day: string, requests: number, files: number, bytes: number) => ({
  ...{ day, service: SERVICE, requests, files, bytes },
});

function at(instant: number) {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(instant);
}

afterEach(() => vi.useRealTimers());

it("The gate object writes a day's usage once per interval, regardless of the number of requests", async () => {
  at(MORNING);
  const gate = freshGate();
  await gate.serve("json", 1_000);
  await gate.serve("parquet", 20_000);
  expect(await gate.usage()).toEqual([]);
  expect(await gate.alarm()).toBe(true);
  expect(await gate.usage()).toEqual([of("20261127", 2, 1, 21_000)]);
  // Without further requests, no write is due.
  expect(await gate.alarm()).toBe(false);
  await gate.serve("json", 500);
  expect(await gate.alarm()).toBe(true);
  expect(await gate.usage()).toEqual([of("20261127", 3, 1, 21_500)]);
});

it("The gate object keeps the usage of past days until it is written, even across restarts", async () => {
  at(MORNING);
  const gate = freshGate();
  await gate.serve("json", 1);
  await db.prepare("ALTER TABLE usage RENAME TO usage_away").run();
  await gate.alarm();
  at(MORNING + 2 * 86_400_000);
  await gate.serve("parquet", 2);
  await runInDurableObject(gate.stub(), (_, state) => state.abort("restarted by the test")).catch(
    () => undefined,
  );
  await gate.alarm();
  await db.prepare("ALTER TABLE usage_away RENAME TO usage").run();
  expect(await gate.usage()).toEqual([]);
  expect(await gate.alarm()).toBe(true);
  expect(await gate.usage()).toEqual([of("20261127", 1, 0, 1), of("20261129", 1, 1, 2)]);
});

it("The catalog sums the usage of a period by account and interface, and deletes old usage", async () => {
  at(MORNING);
  const gate = freshGate();
  await gate.serve("json", 7);
  at(MORNING + 86_400_000);
  await gate.serve("json", 8);
  await gate.alarm();
  const sums = async (from: string, to: string) =>
    (await usageBetween(db, { from: from as BeijingDate, to: to as BeijingDate })).filter(
      ({ accountId }) => accountId === gate.accountId,
    );
  const whole = { accountId: gate.accountId, service: SERVICE, requests: 2, files: 0, bytes: 15 };
  expect(await sums("20261101", "20261130")).toEqual([whole]);
  expect(await sums("20261128", "20261128")).toEqual([{ ...whole, requests: 1, bytes: 8 }]);
  expect(await sums("20261201", "20261231")).toEqual([]);
  await forgetUsage(db, "20261128" as BeijingDate);
  expect(await gate.usage()).toEqual([of("20261128", 1, 0, 8)]);
});
