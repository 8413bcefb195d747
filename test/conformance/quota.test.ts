import { afterAll, describe, expect, it } from "vitest";
import type { Answer } from "../support/http-client.ts";
import { account } from "../support/operator.ts";
import { left } from "../support/quota.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld, startWorld, TODAY } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const ask = (apikey: string, over: Record<string, unknown> = {}) =>
  world.ask({ symbol: "600519", tradedate: MAIN, ...over }, { apikey });
const parquet = { format: "parquet" };

describe("the daily quota (contract 2.2, 7.3)", () => {
  it("of the trial plan is 100 requests, JSON and Parquet together, each charged once", async () => {
    const { key } = await account(world.service, { plan: "trial" });
    for (let asked = 1; asked <= 100; asked++) {
      const answer = await ask(key, asked % 10 === 0 ? parquet : {});
      expect(answer.status).toBe(200);
      expect(left(answer).remaining).toBe(100 - asked);
      expect(answer.headers["ratelimit-policy"]).toMatch(/;\s*q=100\b/);
    }
    const used = await ask(key);
    expectRefusal(used, { reason: "quota_used", status: 200, says: ["额度", "100"] });
    expect(used.headers["retry-after"]).toBeUndefined();
    expect(left(used).remaining).toBe(0);
    const file = await ask(key, parquet);
    expectRefusal(file, { reason: "quota_used", status: 429, says: ["额度"] });
    expect(file.headers["retry-after"]).toBeUndefined();
  });

  it("is not charged for a request that is refused before acceptance", async () => {
    const { key } = await account(world.service, { plan: "trial" });
    expect(left(await ask(key)).remaining).toBe(99);
    const refused: Record<string, unknown>[] = [
      { symbol: "x" },
      { page_size: 0 },
      { cursor: "x" },
      { nonsense: 1 },
      { tradedate: TODAY },
      { tradedate: "20260313" },
      { symbol: "999999" },
      { symbol: "688111" },
      { ...parquet, cursor: "x" },
    ];
    for (const over of refused) expect((await ask(key, over)).envelope.code).not.toBe(200);
    expect(left(await ask(key)).remaining).toBe(98);
  });

  it("is charged again for every accepted request, including a repeated page or file and an empty window", async () => {
    const { key } = await account(world.service, { plan: "trial" });
    for (const over of [{}, {}, parquet, parquet, { start_time: "20:00" }, { start_time: "20:00" }]) {
      expect((await ask(key, over)).status).toBe(200);
    }
    expect(left(await ask(key)).remaining).toBe(93);
  });

  it("is shared by all keys of an account, and separate for each account", async () => {
    const { keys } = await account(world.service, { plan: "trial", keys: 2, limits: { requests: 3 } });
    const [first = "", second = ""] = keys.map((each) => each.key);
    for (const key of [first, second, first]) expect((await ask(key)).envelope.code).toBe(200);
    expectRefusal(await ask(second), { reason: "quota_used", says: ["3"] });
    expect((await ask((await account(world.service, { plan: "trial" })).key)).envelope.code).toBe(200);
  });

  it.each([
    ["professional", 30],
    ["weekly", 30],
    ["flagship", 300],
  ] as const)("of the %s plan is %i Parquet files, and JSON pages do not count", async (plan, files) => {
    const { key } = await account(world.service, { plan });
    for (let asked = 1; asked <= files; asked++) {
      const answer = await ask(key, parquet);
      expect(answer.status).toBe(200);
      expect(left(answer).remaining).toBe(files - asked);
    }
    expectRefusal(await ask(key, parquet), { reason: "quota_used", status: 429, says: [String(files)] });
    for (let round = 0; round < 5; round++) expect((await ask(key)).envelope.code).toBe(200);
  });

  it("resets at midnight in Beijing, as the RateLimit header and the message say", async () => {
    const { key } = await account(world.service, { plan: "trial", limits: { requests: 1 } });
    const toMidnight = Date.parse(`2026-03-13T00:00:00+08:00`) - world.service.nowMs();
    const { resetSeconds } = left(await ask(key));
    expect(Math.abs(resetSeconds - toMidnight / 1000)).toBeLessThan(30);
    expectRefusal(await ask(key), { reason: "quota_used", says: [/00:00/] });
  });

  it("can be replaced per account, where null means unlimited", async () => {
    const none = await account(world.service, { plan: "flagship", limits: { files: 0 } });
    expectRefusal(await ask(none.key, parquet), {
      reason: "quota_used",
      status: 429,
      says: ["额度", "is 0"],
    });
    const free = await account(world.service, { plan: "professional", limits: { files: null } });
    for (let asked = 0; asked < 35; asked++) expect((await ask(free.key, parquet)).status).toBe(200);
  });
});

describe("the general per-second limit (contract 7.4)", () => {
  it("answers HTTP 429 with Retry-After 10 before parameters are checked, and does not affect another account", async () => {
    const limited = await startWorld({ settings: { RATE_LIMIT: "on" }, rateLimit: 5 });
    const apikey = limited.keys.trial;
    const answers: Answer[] = [];
    for (let asked = 0; asked < 20; asked++) answers.push(await limited.ask({ symbol: "x" }, { apikey }));
    const refused = answers.filter((answer) => answer.reason === "rate_limited");
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expectRefusal(answer, { reason: "rate_limited" });
      expect(answer.headers["retry-after"]).toBe("10");
      expect(answer.headers.ratelimit).toBeUndefined();
    }
    const other = await limited.ask({ symbol: "600519", tradedate: MAIN }, { apikey: limited.keys.flagship });
    await limited.stop();
    expect(other.envelope.code).toBe(200);
  });

  it("can be switched off by a setting", async () => {
    const lifted = await startWorld({ settings: { RATE_LIMIT: "off" }, rateLimit: 5 });
    for (let asked = 0; asked < 30; asked++) {
      expect((await lifted.ask({ symbol: "x" })).reason).toBe("param_invalid");
    }
    await lifted.stop();
  });
});
