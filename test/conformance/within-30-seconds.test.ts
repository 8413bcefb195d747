import { afterAll, describe, expect, it } from "vitest";
import type { Answer } from "../support/http-client.ts";
import { account, asOperator, type TestAccount } from "../support/operator.ts";
import { left } from "../support/quota.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, startWorld } from "./world.ts";

const world = await startWorld();
afterAll(() => world.stop());

const ask = (apikey: string, over: Record<string, unknown> = {}) =>
  world.ask({ symbol: "600519", tradedate: MAIN, ...over }, { apikey });

/** Sends a request each second until `done` accepts the answer. Fails after 45 s, which allows for a busy machine. */
async function within30Seconds(
  next: () => Promise<Answer>,
  done: (answer: Answer) => boolean,
): Promise<Answer> {
  const changedAt = Date.now();
  for (;;) {
    const answer = await next();
    if (done(answer)) return answer;
    expect(Date.now() - changedAt).toBeLessThan(45_000);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

// The service caches a caller's data for up to 30 s. The tests are concurrent, so that their waits overlap.
describe.concurrent("within 30 s, the service (contract 7.9, 8.6) applies", () => {
  it.each<[string, (made: TestAccount) => [method: string, path: string, body?: object], string]>([
    [
      "the revocation of a key in use",
      ({ keys }) => ["POST", `keys/${keys[0]?.keyId}/revoke`],
      "key_revoked",
    ],
    [
      "the removal of a subscription",
      ({ accountId }) => ["PUT", `accounts/${accountId}/subscriptions`, { subscriptions: [] }],
      "plan_missing",
    ],
    [
      "the disabling of an account",
      ({ accountId }) => ["POST", `accounts/${accountId}/disable`],
      "account_disabled",
    ],
  ])("%s", async (_, changeOf, reason) => {
    const made = await account(world.service, { plan: "flagship" });
    expect((await ask(made.key)).envelope.code).toBe(200);
    const [method, path, body] = changeOf(made);
    await asOperator(world.service, method, `/admin/${path}`, body);
    const refused = (answer: Answer) => answer.envelope.code !== 200;
    expectRefusal(await within30Seconds(() => ask(made.key), refused), { reason });
  });

  it("an account's own limits, against which earlier requests of the day count", async () => {
    const made = await account(world.service, { plan: "professional" });
    let asked = 0;
    const next = () => ask(made.key, ++asked % 2 === 0 ? { format: "parquet" } : {});
    for (let morning = 0; morning < 6; morning++) expect((await next()).status).toBe(200);
    const path = `/admin/accounts/${made.accountId}/limits`;
    await asOperator(world.service, "PUT", path, { requests: 1000, files: null });
    const applied = (answer: Answer) => String(answer.headers["ratelimit-policy"]).includes("q=1000");
    expect(left(await within30Seconds(next, applied)).remaining).toBe(1000 - asked);
  });

  it("an upgrade, and counts the files used earlier that day against the new plan's quota", async () => {
    const made = await account(world.service, { plan: "professional" });
    const file = () => ask(made.key, { format: "parquet" });
    for (let files = 1; files <= 20; files++) expect(left(await file()).remaining).toBe(30 - files);
    const now = Math.floor(world.service.nowMs());
    const subscriptions = [{ plan: "flagship", start: now - 1000, end: now + 86_400_000 }];
    await asOperator(world.service, "PUT", `/admin/accounts/${made.accountId}/subscriptions`, {
      subscriptions,
    });
    const early = { format: "json", tradedate: "20250106" };
    const upgraded = (answer: Answer) => answer.envelope.code === 200;
    await within30Seconds(() => ask(made.key, early), upgraded);
    expect(left(await file()).remaining).toBe(300 - 21);
  });

  it("new limits of a plan, for every account", async () => {
    const { key } = await account(world.service, { plan: "trial" });
    expect(left(await ask(key)).remaining).toBe(99);
    const plans = [{ plan: "trial", requests: 200, files: null }];
    await asOperator(world.service, "PUT", "/admin/plans", { plans });
    const applied = (answer: Answer) => String(answer.headers["ratelimit-policy"]).includes("q=200");
    await within30Seconds(() => ask(key), applied);
  });
});
