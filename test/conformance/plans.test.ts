import { afterAll, describe, expect, it } from "vitest";
import type { PlanName } from "../../src/entitlement/principal.ts";
import { type AccountRequest, account, asOperator } from "../support/operator.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { BEFORE_WINDOW, DAY_MS, FIRST_OF_WINDOW, MAIN, OLDEST, sharedWorld } from "./world.ts";

const world = await sharedWorld();
const now = world.service.nowMs();
afterAll(() => world.stop());

const ask = (apikey: string, tradedate = MAIN, over: Record<string, unknown> = {}) =>
  world.ask({ symbol: "600519", tradedate, ...over }, { apikey });
const subscribed = async (...subscriptions: NonNullable<AccountRequest["subscriptions"]>) =>
  (await account(world.service, { subscriptions })).key;
const from = (plan: PlanName, startMs: number, endMs: number) => ({ plan, startMs, endMs });

describe("the plan rules for order history (contract 7.1, 7.2)", () => {
  it.each(["free", "standard"] as const)("refuse the plan %s with 403 for any day", async (plan) => {
    for (const tradedate of [MAIN, OLDEST]) {
      expectRefusal(await ask(world.keys[plan], tradedate), { reason: "plan_missing" });
    }
  });

  it("refuse with 403 an account that has no plan", async () => {
    const { key } = await account(world.service, {});
    expectRefusal(await ask(key), { reason: "plan_missing" });
  });

  it.each(["trial", "flagship"] as const)("grant the plan %s all history", async (plan) => {
    for (const tradedate of [MAIN, FIRST_OF_WINDOW, BEFORE_WINDOW, OLDEST]) {
      expect((await ask(world.keys[plan], tradedate)).envelope.code).toBe(200);
    }
  });

  it.each(["professional", "weekly"] as const)(
    "grant the plan %s the latest 30 calendar days, including today",
    async (plan) => {
      expect((await ask(world.keys[plan], MAIN)).envelope.code).toBe(200);
      expect((await ask(world.keys[plan], FIRST_OF_WINDOW)).envelope.code).toBe(200);
      for (const tradedate of [BEFORE_WINDOW, OLDEST]) {
        const says = [FIRST_OF_WINDOW, tradedate];
        expectRefusal(await ask(world.keys[plan], tradedate), { reason: "outside_window", says });
      }
    },
  );

  it("refuse a future day with 1002, not 403, because a plan's window has no upper bound", async () => {
    expectRefusal(await ask(world.keys.professional, "20260313"), { reason: "future_day" });
  });
});

describe("subscriptions (contract 7.5)", () => {
  it("are active from their start, inclusive, to their end, exclusive", async () => {
    expect((await ask(await subscribed(from("flagship", now - 1, now + DAY_MS)))).envelope.code).toBe(200);
    const past = await subscribed(from("flagship", now - DAY_MS, now));
    expectRefusal(await ask(past), { reason: "plan_expired" });
    const future = await subscribed(from("flagship", now + DAY_MS, now + 2 * DAY_MS));
    expectRefusal(await ask(future), { reason: "plan_missing" });
  });

  it("may overlap, and the best active plan applies", async () => {
    const all = (["free", "standard", "trial", "professional", "flagship"] as const).map((plan) =>
      from(plan, now - DAY_MS, now + DAY_MS),
    );
    expect((await ask(await subscribed(...all), OLDEST)).envelope.code).toBe(200);
    expect((await ask(await subscribed(...all.toReversed()), OLDEST)).envelope.code).toBe(200);
    const upToProfessional = await subscribed(...all.slice(0, 4));
    expectRefusal(await ask(upToProfessional, OLDEST), { reason: "outside_window" });
    expect((await ask(await subscribed(...all.slice(0, 3)), OLDEST)).envelope.code).toBe(200);
    expectRefusal(await ask(await subscribed(...all.slice(0, 2))), { reason: "plan_missing" });
  });

  it("that have ended do not affect the active ones", async () => {
    const ended = from("flagship", now - 2 * DAY_MS, now - DAY_MS);
    const key = await subscribed(ended, from("professional", now - DAY_MS, now + DAY_MS));
    expect((await ask(key)).envelope.code).toBe(200);
    expectRefusal(await ask(key, OLDEST), { reason: "outside_window" });
  });

  it("cause plan_expired when every subscription that has begun has also ended", async () => {
    const ended = from("professional", now - 2 * DAY_MS, now - DAY_MS);
    expectRefusal(await ask(await subscribed(ended)), { reason: "plan_expired" });
    const later = from("flagship", now + DAY_MS, now + 2 * DAY_MS);
    expectRefusal(await ask(await subscribed(ended, later)), { reason: "plan_expired" });
  });
});

describe("API keys (contract 1.9, 7.6)", () => {
  it("of the same account all give access", async () => {
    const { keys } = await account(world.service, { plan: "flagship", keys: 3 });
    for (const { key } of keys) expect((await ask(key)).envelope.code).toBe(200);
  });

  it("have the form et_ followed by 36 base62 characters", async () => {
    for (const key of Object.values(world.keys)) expect(key).toMatch(/^et_[0-9A-Za-z]{36}$/);
  });

  it("are refused with 403 key_revoked once revoked, while other keys of the account work", async () => {
    const { keys } = await account(world.service, { plan: "flagship", keys: 2 });
    const [first, second] = keys;
    await asOperator(world.service, "POST", `/admin/keys/${first?.keyId}/revoke`);
    expectRefusal(await ask(first?.key ?? ""), { reason: "key_revoked" });
    expect((await ask(second?.key ?? "")).envelope.code).toBe(200);
  });

  it("are all refused with 403 account_disabled once their account is disabled", async () => {
    const { accountId, keys } = await account(world.service, { plan: "flagship", keys: 2 });
    await asOperator(world.service, "POST", `/admin/accounts/${accountId}/disable`);
    for (const { key } of keys) expectRefusal(await ask(key), { reason: "account_disabled" });
  });

  it("of any form work unchanged after an import", async () => {
    const imported = ["legacy-0001", "用户钥匙", "a b c", "0".repeat(200)];
    const rows = imported.map((key, place) => ({
      key,
      account: `customer-${place}`,
      plan: "flagship",
      start: "2026-01-01T00:00:00+08:00",
      end: "2027-01-01T00:00:00+08:00",
    }));
    const done = await asOperator<{ imported: number }>(world.service, "POST", "/admin/keys/import", {
      rows,
      allowShort: true,
    });
    expect(done.imported).toBe(4);
    for (const key of imported) expect((await ask(key)).envelope.code).toBe(200);
    const again = await asOperator<{ unchanged: number }>(world.service, "POST", "/admin/keys/import", {
      rows,
      allowShort: true,
    });
    expect(again.unchanged).toBe(4);
  });
});
