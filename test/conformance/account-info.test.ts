/** Tests the operation `account_info` (contract 9). */
import { afterAll, describe, expect, it } from "vitest";
import { DATASET_NAMES } from "../../src/datasets/registry.ts";
import type { AccountInfo } from "../../src/operations/wire.ts";
import type { Answer } from "../support/http-client.ts";
import { account, asOperator } from "../support/operator.ts";
import { expectEnvelope, expectRefusal } from "./expect-refusal.ts";
import { DAY_MS, MAIN, OLDEST, sharedWorld, TODAY } from "./world.ts";

const world = await sharedWorld("refusals");
afterAll(() => world.stop());

const askInfo = (apikey: string, params = {}) =>
  world.service.post({ apiname: "account_info", apikey, params });

async function infoOf(apikey: string): Promise<AccountInfo> {
  const answer = await askInfo(apikey);
  expectEnvelope(answer);
  expect(answer.envelope, answer.text).toMatchObject({ code: 200, message: "success" });
  return answer.envelope.data as unknown as AccountInfo;
}

describe("the operation account_info", () => {
  it("returns the plan, its windows, today's quota and the last requests, and charges nothing", async () => {
    const { accountId, key, keys } = await account(world.service, { plan: "trial" });
    const ask = (params: object) =>
      world.ask({ symbol: "600519", tradedate: MAIN, ...params }, { apikey: key });
    const accepted = [await ask({}), await ask({ page_size: 5 }), await ask({ format: "parquet" })];
    const refused = await ask({ symbol: "999999" });
    const ids = [...accepted, refused].map((answer) => answer.headers["x-request-id"]);
    await infoOf(key);

    const info = await infoOf(key);
    expect(Object.keys(info)).toEqual([
      "account_id",
      "key_id",
      "plan",
      "plan_state",
      "plan_ends_at",
      "windows",
      "quotas",
      "last_requests",
    ]);
    expect(info).toMatchObject({
      account_id: accountId,
      key_id: keys[0]?.keyId,
      plan: "trial",
      plan_state: "active",
      plan_ends_at: expect.stringMatching(/^2027-03-12T10:0\d:\d\d\+08:00$/),
    });
    const window = { from: null, to: TODAY };
    expect(info.windows).toEqual({
      level2_order_history: window,
      auction_tick: null,
      level2: null,
      level2_trade_history: window,
      level2_quote_history: window,
    });
    expect(info.quotas).toEqual(
      [
        { interface: "level2_order_history", used: 3, files: 1 },
        { interface: "level2_trade_history", used: 0, files: 0 },
        { interface: "level2_quote_history", used: 0, files: 0 },
      ].map(({ interface: name, used, files }) => ({
        interface: name,
        day: TODAY,
        requests: { limit: 100, used, credited: 0, left: 100 - used },
        files: { limit: null, used: files, credited: 0, left: null },
        resets_in: expect.any(Number),
        busy: false,
      })),
    );
    expect(Math.abs((info.quotas[0]?.resets_in ?? 0) - 14 * 3_600)).toBeLessThan(300);
    expect(info.last_requests.map(({ request_id }) => request_id).toSorted()).toEqual(ids.toSorted());
    expect(info.last_requests.find(({ request_id }) => request_id === ids[3])).toEqual({
      time: expect.stringMatching(/^2026-03-12T10:\d\d:\d\d\+08:00$/),
      request_id: ids[3],
      interface: "level2_order_history",
      code: 1002,
      reason: "security_unknown",
      symbol: "999999",
      tradedate: MAIN,
      rows: 0,
    });
    expect(info.last_requests.find(({ request_id }) => request_id === ids[1])).toMatchObject({
      code: 200,
      reason: "success",
      symbol: "600519",
      rows: 5,
    });
    expect(JSON.stringify(info)).not.toContain(key);
  });

  it("lists refused requests with their security and day, which are null if a parameter was invalid", async () => {
    const { key } = await account(world.service, { plan: "professional" });
    const ask = (params: object) => world.ask({ symbol: "600519", ...params }, { apikey: key });
    const outside = await ask({ tradedate: OLDEST });
    const newest = await ask({});
    const unread = await ask({ tradedate: MAIN, page_size: "many" });
    const { last_requests } = await infoOf(key);
    const toldOf = ({ headers }: Answer) => {
      const told = last_requests.find(({ request_id }) => request_id === headers["x-request-id"]);
      return [told?.reason, told?.symbol, told?.tradedate];
    };
    expect(toldOf(outside)).toEqual(["outside_window", "600519", OLDEST]);
    expect(toldOf(newest)).toEqual(["not_loaded", "600519", TODAY]);
    expect(toldOf(unread)).toEqual(["param_invalid", null, null]);
  });

  it("returns the professional plan's windows as dates, and how many files the account's own limit still allows", async () => {
    const { key } = await account(world.service, { plan: "professional", limits: { files: 5 } });
    await world.ask({ symbol: "600519", tradedate: MAIN, format: "parquet" }, { apikey: key });
    expect(await infoOf(key)).toMatchObject({
      windows: {
        level2_order_history: { from: "20260211", to: TODAY },
        auction_tick: { from: "20250313", to: TODAY },
        level2: { from: "20260211", to: TODAY },
      },
      quotas: [
        {
          requests: { limit: null, used: 1, left: null },
          files: { limit: 5, used: 1, credited: 0, left: 4 },
        },
        { files: { limit: 5, used: 0, credited: 0, left: 5 } },
        { files: { limit: 5, used: 0, credited: 0, left: 5 } },
      ],
    });
  });

  it("returns null windows for an account whose plan has expired and for one that never had a plan", async () => {
    const now = world.service.nowMs();
    const ended = { plan: "professional" as const, startMs: now - 2 * DAY_MS, endMs: now - DAY_MS };
    const expired = await account(world.service, { subscriptions: [ended] });
    const nothing = { level2_order_history: null, auction_tick: null, level2: null };
    expect(await infoOf(expired.key)).toMatchObject({
      plan: "professional",
      plan_state: "expired",
      plan_ends_at: expect.stringMatching(/^2026-03-11T/),
      windows: nothing,
      quotas: DATASET_NAMES.map(() => ({ requests: null, files: null })),
    });
    const none = await account(world.service, {});
    expect(await infoOf(none.key)).toMatchObject({ plan: null, plan_state: "none", windows: nothing });
  });

  it("refuses an unknown key, a revoked key, a disabled account and any parameter", async () => {
    const { accountId, key, keys } = await account(world.service, { plan: "flagship", keys: 2 });
    expectRefusal(await askInfo("unknown"), { reason: "key_unknown" });
    expectRefusal(await askInfo(key, { symbol: "600519" }), { reason: "param_unknown", says: ["symbol"] });
    await asOperator(world.service, "POST", `/admin/keys/${keys[1]?.keyId}/revoke`);
    expectRefusal(await askInfo(keys[1]?.key ?? ""), { reason: "key_revoked" });
    const other = await account(world.service, { plan: "flagship" });
    await asOperator(world.service, "POST", `/admin/accounts/${other.accountId}/disable`);
    expectRefusal(await askInfo(other.key), { reason: "account_disabled" });
    expect(await infoOf(key)).toMatchObject({ account_id: accountId });
  });
});
