/** Tests `explain` for recorded requests by id, and for requests that it evaluates without sending them. */
import { afterAll, describe, expect, it, vi } from "vitest";
import type { ExplainedRequest, Explanation } from "../../src/admin/wire.ts";
import type { Answer } from "../support/http-client.ts";
import { account, asOperator } from "../support/operator.ts";
import { left } from "../support/quota.ts";
import { MAIN, sharedWorld, TODAY } from "./world.ts";

const world = await sharedWorld("refusals");
afterAll(() => world.stop());

const idOf = (answer: Answer) => String(answer.headers["x-request-id"]);
const explained = (id: string) => asOperator<ExplainedRequest>(world.service, "GET", `/admin/explain/${id}`);
const explain = (body: object) => asOperator<Explanation>(world.service, "POST", "/admin/explain", body);
const body = (params: object, more: object = {}) =>
  JSON.stringify({ apiname: "level2_order_history", params, ...more });

/** Waits until the request is recorded, which happens after its answer, and returns the explanation. */
const settled = (id: string) =>
  vi.waitFor(
    async () => {
      const found = await explained(id);
      expect(found.state).not.toBe("unknown");
      return found;
    },
    { timeout: 60_000 },
  );

describe("GET /admin/explain/<request id>", () => {
  it("describes refusals with and without a known key, and returns a text for the customer", async () => {
    const { accountId, key, keys } = await account(world.service, { plan: "professional" });
    const ask = (params: object) =>
      world.ask({ symbol: "600519", tradedate: MAIN, ...params }, { apikey: key });
    const refusals = [
      [await world.service.post("{"), "envelope_invalid", null],
      [await world.service.post({ apiname: "level3", apikey: key, params: {} }), "apiname_unknown", null],
      [await world.ask({ symbol: "600519" }, { apikey: "unknown" }), "key_unknown", null],
      [await ask({ page_size: 0 }), "param_invalid", accountId],
      [await ask({ tradedate: "20250106" }), "outside_window", accountId],
      [await ask({ tradedate: TODAY }), "not_loaded", accountId],
      [await ask({ symbol: "999999" }), "security_unknown", accountId],
    ] as const;
    for (const [answer, reason, whose] of refusals) {
      const told = await settled(idOf(answer));
      expect(told).toMatchObject({
        requestId: idOf(answer),
        state: "refused",
        accountId: whose,
        keyId: whose === null ? null : keys[0]?.keyId,
        code: answer.envelope.code,
        reason,
        charged: false,
      });
      const [message = ""] = answer.envelope.message.split(" [");
      expect(`${told.text.zh} ${told.text.en}`).toContain(message.split("。")[0] ?? "");
      expect(told.text.en).toContain("The request was not counted.");
      expect(JSON.stringify(told)).not.toContain(key);
    }
  });

  it("finds an accepted request without being given its account, and says that it was charged", async () => {
    const { accountId, key } = await account(world.service, { plan: "trial" });
    const page = await world.ask({ symbol: "600519", tradedate: MAIN, page_size: 3 }, { apikey: key });
    expect(await settled(idOf(page))).toMatchObject({
      state: "served",
      accountId,
      interface: "level2_order_history",
      code: 200,
      reason: "success",
      charged: true,
      text: {
        en: expect.stringMatching(/600519, 20260311, 3 rows\. The request counts against the day's quota\.$/),
      },
    });
  });

  it("describes a request that the gate refused because the quota was used up", async () => {
    const { accountId, key } = await account(world.service, { plan: "trial", limits: { requests: 1 } });
    const ask = () => world.ask({ symbol: "600519", tradedate: MAIN }, { apikey: key });
    await ask();
    expect(await settled(idOf(await ask()))).toMatchObject({
      state: "refused",
      accountId,
      reason: "quota_used",
    });
  });

  it("returns the state `unknown` for an id without a record", async () => {
    expect(await explained("0000000000000000")).toMatchObject({
      state: "unknown",
      accountId: null,
      code: null,
    });
  });
});

describe("POST /admin/explain", () => {
  it("checks the steps of contract 2.1, predicts the answer and uses no quota", async () => {
    const { accountId, key, keys } = await account(world.service, { plan: "trial" });
    const request = body({ symbol: "600519", tradedate: MAIN });
    for (const asker of [{ key }, { keyId: keys[0]?.keyId }, { account: accountId }]) {
      const { steps, ...told } = await explain({ request, ...asker });
      expect(told).toMatchObject({ accountId, code: 200, reason: "success", httpStatus: 200 });
      expect(steps.map(({ step, result }) => [step, result])).toEqual([
        [1, "passed"],
        [2, "passed"],
        [3, "passed"],
        [4, "not_judged"],
        [5, "passed"],
        [6, "passed"],
        [7, "passed"],
        [8, "passed"],
        [9, "passed"],
        [10, "passed"],
      ]);
      expect(steps[6]?.detail).toContain("600519.SH has 13 orders on 20260311, revision 1");
    }
    const page = await world.ask({ symbol: "600519", tradedate: MAIN }, { apikey: key });
    expect(left(page).remaining).toBe(99);
  });

  it("stops at the first refusal with the code, reason and message that the request would get", async () => {
    const { key } = await account(world.service, { plan: "professional", limits: { files: 0 } });
    const cases: [string, number][] = [
      ["{", 1],
      [JSON.stringify({ apiname: "nothing", apikey: key, params: {} }), 2],
      [body({ symbol: "600519" }, { apikey: "unknown" }), 3],
      [body({ symbol: "600519", star_time: "09:30" }, { apikey: key }), 5],
      [body({ symbol: "600519", tradedate: "20250106" }, { apikey: key }), 6],
      [body({ symbol: "600519", tradedate: TODAY }, { apikey: key }), 7],
      [body({ symbol: "999999", tradedate: MAIN }, { apikey: key }), 7],
      [body({ symbol: "600519", tradedate: MAIN, format: "parquet" }, { apikey: key }), 9],
      [JSON.stringify({ apiname: "data_symbols", apikey: key, params: { tradedate: "20250106" } }), 6],
      [
        JSON.stringify({
          apiname: "file_download",
          apikey: key,
          params: { data_type: "level2", year: 2024 },
        }),
        6,
      ],
    ];
    for (const [request, step] of cases) {
      const told = await explain({ request });
      expect([request, told.steps.at(-1)?.step, told.steps.at(-1)?.result]).toEqual([
        request,
        step,
        "refused",
      ]);
      const answer = await world.service.post(request);
      expect([request, told.code, told.reason, told.httpStatus]).toEqual([
        request,
        answer.envelope.code,
        answer.reason,
        answer.status,
      ]);
      expect(answer.envelope.message).toContain(told.message.en);
      expect(JSON.stringify(told)).not.toContain(key);
    }
  });

  it("creates no share for file_download", async () => {
    const { accountId, key } = await account(world.service, { plan: "flagship" });
    const request = JSON.stringify({
      apiname: "file_download",
      apikey: key,
      params: { data_type: "level2", year: 2025 },
    });
    const told = await explain({ request });
    expect(told).toMatchObject({ code: 200, accountId });
    expect(told.steps.at(-1)).toMatchObject({
      step: 7,
      detail: expect.stringMatching(/^1 published files, \d+ bytes in total$/),
    });
    const shares = await asOperator<{ shares: unknown[] }>(
      world.service,
      "GET",
      `/admin/shares?account=${accountId}`,
    );
    expect(shares.shares).toEqual([]);
  });
});
