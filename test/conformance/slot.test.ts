import { afterAll, describe, expect, it } from "vitest";
import type { Answer } from "../support/http-client.ts";
import { account, asOperator } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { openAnswer } from "../support/slow-client.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { LARGE, MAIN, publishLarge, sharedWorld } from "./world.ts";

const world = await sharedWorld();
await publishLarge(world);
afterAll(() => world.stop());

const small = { symbol: "600519", tradedate: MAIN };
const big = { symbol: "600519", tradedate: LARGE, format: "parquet" };
const ask = (apikey: string, params: Record<string, unknown>) => world.ask(params, { apikey });
const holdSlot = (apikey: string) =>
  openAnswer(`${world.service.baseUrl}/api`, { body: orderHistory({ apikey, params: big }) });

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
  it("refuses a concurrent request with 503 and Retry-After 1 instead of queueing or charging it, but allows a request for a share", async () => {
    const { keys } = await account(world.service, { plan: "flagship", limits: { requests: 100 }, keys: 2 });
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
    const share = { apiname: "file_download", apikey: first, params: { data_type: "level2", year: 2026 } };
    expect((await world.service.post(share)).envelope.code).toBe(200);
    expectRefusal(await ask(first, { ...small, symbol: "x" }), { reason: "param_invalid" });
    expectRefusal(await ask(first, { ...small, symbol: "999999" }), { reason: "security_unknown" });
    expect((await slow.readAll()).isWhole).toBe(true);
    const next = await ask(second, small);
    expect(next.envelope.code).toBe(200);
    expect(String(next.headers.ratelimit)).toMatch(/;\s*r=98\b/);
  });

  it("is released within a second when the client disconnects while it reads the body", async () => {
    const { key } = await account(world.service, { plan: "flagship" });
    const slow = await holdSlot(key);
    expectRefusal(await ask(key, small), { reason: "slot_busy" });
    slow.hangUp();
    expect((await untilFree(key, 1_000)).envelope.code).toBe(200);
  });

  it("is checked before the quota: a busy slot returns 503 even when no quota is left", async () => {
    const { key } = await account(world.service, { plan: "trial", limits: { requests: 1 } });
    const slow = await holdSlot(key);
    expectRefusal(await ask(key, small), { reason: "slot_busy" });
    await slow.readAll();
    expectRefusal(await ask(key, small), { reason: "quota_used" });
  });

  it("lets a stream that has begun finish, even when its key is revoked and its plan removed", async () => {
    const { key, accountId, keys } = await account(world.service, { plan: "flagship" });
    const slow = await holdSlot(key);
    await asOperator(world.service, "POST", `/admin/keys/${keys[0]?.keyId}/revoke`);
    const path = `/admin/accounts/${accountId}/subscriptions`;
    await asOperator(world.service, "PUT", path, { subscriptions: [] });
    expect((await slow.readAll()).isWhole).toBe(true);
  });

  it("does not affect other accounts", async () => {
    const { key } = await account(world.service, { plan: "flagship" });
    const slow = await holdSlot(key);
    expect((await world.ask(small)).envelope.code).toBe(200);
    slow.hangUp();
  });
});
