import { afterAll, describe, expect, it } from "vitest";
import { orderHistory } from "../support/paging.ts";
import { CODE_OF_REASON, expectRefusal } from "./expect-refusal.ts";
import { BEFORE_WINDOW, FIRST_OF_WINDOW, MAIN, sharedWorld, TODAY } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const good = { symbol: "600519", tradedate: MAIN };

describe("HTTP status of JSON answers (contract 1.4)", () => {
  it("is 200 for codes 200, 1002, 403 and 422", async () => {
    expect((await world.ask(good)).status).toBe(200);
    expectRefusal(await world.ask({ ...good, tradedate: TODAY }), { reason: "not_loaded", status: 200 });
    expectRefusal(await world.ask(good, { apikey: "unknown" }), { reason: "key_unknown", status: 200 });
    expectRefusal(await world.ask({ ...good, page_size: 0 }), { reason: "param_invalid", status: 200 });
  });
});

describe("HTTP status of errors with format parquet (contract 1.4)", () => {
  const parquet = { ...good, format: "parquet" };

  it("depends on the error, and the answer has the JSON envelope and no Parquet headers", async () => {
    const cases = [
      { answer: await world.ask({ ...parquet, symbol: "x" }), reason: "param_invalid", status: 422 },
      { answer: await world.ask({ ...parquet, cursor: "x" }), reason: "param_excluded", status: 422 },
      { answer: await world.ask({ ...parquet, tradedate: TODAY }), reason: "not_loaded", status: 404 },
      {
        answer: await world.ask(parquet, { apikey: world.keys.free }),
        reason: "plan_missing",
        status: 403,
      },
      {
        answer: await world.ask(
          { ...parquet, tradedate: BEFORE_WINDOW },
          { apikey: world.keys.professional },
        ),
        reason: "outside_window",
        status: 403,
      },
    ];
    for (const { answer, reason, status } of cases) {
      expectRefusal(answer, { reason, status });
      expect(answer.headers["content-disposition"]).toBeUndefined();
      expect(answer.headers["x-row-count"]).toBeUndefined();
    }
  });

  it("depends on the error even if it is found before the parameters are parsed", async () => {
    expectRefusal(await world.ask(parquet, { apikey: "unknown" }), { reason: "key_unknown", status: 403 });
    const unknownName = orderHistory({ apikey: world.keys.flagship, params: parquet });
    expectRefusal(await world.service.post({ ...unknownName, apiname: "nothing" }), {
      reason: "apiname_unknown",
      status: 422,
    });
    expectRefusal(await world.service.post({ ...unknownName, apikey: undefined }), {
      reason: "envelope_invalid",
      status: 422,
    });
  });

  it("is 200 for a body that cannot be parsed, even if it names format parquet", async () => {
    const answer = await world.service.post('{"params":{"format":"parquet"}');
    expectRefusal(answer, { reason: "envelope_invalid", status: 200 });
  });
});

describe("the order of checks (contract 2.1)", () => {
  const everyFault = { symbol: "x", tradedate: "99999999" };

  it("puts size and envelope before apiname", async () => {
    const answer = await world.service.post({ apiname: "nothing", params: 1 });
    expect(answer.envelope.code).toBe(422);
    expectRefusal(await world.service.post(`{"apiname":"nothing"${" ".repeat(70_000)}`), {
      reason: "body_too_large",
    });
  });

  it("puts apiname before the key", async () => {
    const answer = await world.service.post({ apiname: "nothing", apikey: "unknown", params: everyFault });
    expectRefusal(answer, { reason: "apiname_unknown" });
  });

  it("puts the key before params", async () => {
    expectRefusal(await world.ask(everyFault, { apikey: "unknown" }), { reason: "key_unknown" });
  });

  it("puts params before the plan", async () => {
    const answer = await world.ask({ ...good, symbol: "x" }, { apikey: world.keys.free });
    expectRefusal(answer, { reason: "param_invalid" });
  });

  it("puts fields before the plan", async () => {
    const answer = await world.ask(good, { apikey: world.keys.free, fields: "nonsense" });
    expectRefusal(answer, { reason: "field_unknown" });
  });

  it("puts a cursor's signature before the plan", async () => {
    const answer = await world.ask({ ...good, cursor: "v3.nonsense" }, { apikey: world.keys.free });
    expectRefusal(answer, { reason: "cursor_invalid" });
  });

  it("puts plan and window before the day", async () => {
    const unloaded = { ...good, tradedate: TODAY };
    expectRefusal(await world.ask(unloaded, { apikey: world.keys.free }), { reason: "plan_missing" });
    const before = { symbol: "999999", tradedate: BEFORE_WINDOW };
    expectRefusal(await world.ask(before, { apikey: world.keys.professional }), { reason: "outside_window" });
    const inside = { symbol: "999999", tradedate: FIRST_OF_WINDOW };
    expectRefusal(await world.ask(inside, { apikey: world.keys.professional }), {
      reason: "security_unknown",
    });
  });
});

describe("codes (contract 1.4)", () => {
  it("of all reasons are in the contract's table", () => {
    const table = [1002, 403, 422, 503, 429];
    expect(Object.values(CODE_OF_REASON).filter((code) => !table.includes(code))).toEqual([]);
  });
});
