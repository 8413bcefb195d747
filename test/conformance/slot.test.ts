import { afterAll, describe, expect, it } from "vitest";
import type { Answer } from "../support/http-client.ts";
import { account, asOperator } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { readSlowly } from "../support/slow-reader.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { LARGE, MAIN, publishLarge, sharedWorld } from "./world.ts";

const world = await sharedWorld("publish");
await publishLarge(world);
afterAll(() => world.stop());

const small = { symbol: "600519", tradedate: MAIN };
const big = { symbol: "600519", tradedate: LARGE, format: "parquet" };
const ask = (apikey: string, params: Record<string, unknown>) => world.ask(params, { apikey });
const holdSlot = (apikey: string) => readSlowly(world.service, orderHistory({ apikey, params: big }));

/** Sends requests until the slot is free, for at most `milliseconds`, and returns the last answer. */
async function untilFree(apikey: string, milliseconds: number): Promise<Answer> {
  const startedAt = Date.now();
  for (;;) {
    const answer = await ask(apikey, small);
    if (answer.reason !== "slot_busy" || Date.now() - startedAt > milliseconds) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

describe("the slot of an account and interface (contract 2.4, 2.5)", () => {
  it("refuses a concurrent request with 503 and Retry-After 1 instead of queueing or charging it", async () => {
    const { keys } = await account(world.service, { plan: "trial", keys: 2 });
    const [first = "", second = ""] = keys.map((each) => each.key);
    const slow = await holdSlot(first);
    expect(slow.status).toBe(200);
    for (const key of [first, second]) {
      const json = await ask(key, small);
      expectRefusal(json, { reason: "slot_busy" });
      expect(json.headers["retry-after"]).toBe("1");
      const parquet = await ask(key, { ...small, format: "parquet" });
      expectRefusal(parquet, { reason: "slot_busy", status: 503 });
      expect(parquet.headers["retry-after"]).toBe("1");
    }
    expectRefusal(await ask(first, { ...small, symbol: "x" }), { reason: "param_invalid" });
    expectRefusal(await ask(first, { ...small, symbol: "999999" }), { reason: "security_unknown" });
    expect(await slow.finish()).toBe(Number(slow.headers["content-length"]));
    const next = await ask(second, small);
    expect(next.envelope.code).toBe(200);
    expect(String(next.headers.ratelimit)).toMatch(/;\s*r=98\b/);
  });

  it("is released within a second when the client disconnects while it reads the body", async () => {
    const { key } = await account(world.service, { plan: "flagship" });
    const slow = await holdSlot(key);
    expectRefusal(await ask(key, small), { reason: "slot_busy" });
    slow.abort();
    expect((await untilFree(key, 1_000)).envelope.code).toBe(200);
  });

  it("is checked before the quota: a busy slot returns 503 even when no quota is left", async () => {
    const { key } = await account(world.service, { plan: "trial", limits: { requests: 1 } });
    const slow = await holdSlot(key);
    expectRefusal(await ask(key, small), { reason: "slot_busy" });
    await slow.finish();
    expectRefusal(await ask(key, small), { reason: "quota_used" });
  });

  it("lets a begun stream finish, even when its key is revoked and its plan removed", async () => {
    const { key, accountId, keys } = await account(world.service, { plan: "flagship" });
    const slow = await holdSlot(key);
    await asOperator(world.service, "POST", `/admin/keys/${keys[0]?.keyId}/revoke`);
    const path = `/admin/accounts/${accountId}/subscriptions`;
    await asOperator(world.service, "PUT", path, { subscriptions: [] });
    expect(await slow.finish()).toBe(Number(slow.headers["content-length"]));
  });

  it("does not affect other accounts", async () => {
    const { key } = await account(world.service, { plan: "flagship" });
    const slow = await holdSlot(key);
    expect((await world.ask(small)).envelope.code).toBe(200);
    slow.abort();
  });

  it("is released when the body is fully read: 100 pages and 20 files in a row get no 503", async () => {
    const { key } = await account(world.service, { plan: "flagship" });
    for (let page = 0; page < 100; page++) expect((await ask(key, small)).envelope.code).toBe(200);
    for (let file = 0; file < 20; file++) {
      expect((await ask(key, { ...small, format: "parquet" })).status).toBe(200);
      expect((await ask(key, small)).envelope.code).toBe(200);
    }
  });

  it("keeps a quota of 3 exact over six rounds of 40 concurrent requests", async () => {
    const { key } = await account(world.service, { plan: "trial", limits: { requests: 3 } });
    let served = 0;
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => ask(key, small)));
      served += answers.filter((answer) => answer.envelope.code === 200).length;
      for (const answer of answers) expect([200, 503, 429]).toContain(answer.envelope.code);
    }
    expect(served).toBe(3);
    expectRefusal(await ask(key, small), { reason: "quota_used" });
  });
});
