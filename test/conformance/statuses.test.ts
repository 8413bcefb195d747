import { afterAll, describe, expect, it } from "vitest";
import { orderHistory } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { BEFORE_WINDOW, FIRST_OF_WINDOW, MAIN, sharedWorld, TODAY } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const good = { symbol: "600519", tradedate: MAIN };

describe("HTTP status of errors with format parquet (contract 1.4)", () => {
  const parquet = { ...good, format: "parquet" };

  it("depends on the error, and the answer has the JSON envelope and no Parquet headers", async () => {
    const before = { tradedate: BEFORE_WINDOW };
    const { free, professional } = world.keys;
    const cases: [object, object, string, number][] = [
      [{ symbol: "x" }, {}, "param_invalid", 422],
      [{ cursor: "x" }, {}, "param_excluded", 422],
      [{}, { fields: "nonsense" }, "field_unknown", 422],
      [{ tradedate: TODAY }, {}, "not_loaded", 404],
      [{ symbol: "688111" }, {}, "no_orders", 404],
      [{}, { apikey: free }, "plan_missing", 403],
      [before, { apikey: professional }, "outside_window", 403],
    ];
    for (const [over, options, reason, status] of cases) {
      const answer = await world.ask({ ...parquet, ...over }, options);
      expectRefusal(answer, { reason, status });
      expect(answer.headers["content-disposition"]).toBeUndefined();
      expect(answer.headers["x-row-count"]).toBeUndefined();
    }
  });

  it("depends on the error, even for an error that is found before the parameters are parsed", async () => {
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
  const { free, professional } = world.keys;
  const noSecurity = (tradedate: string) =>
    world.ask({ symbol: "999999", tradedate }, { apikey: professional });

  it.each([
    ["size before the envelope", "body_too_large", () => world.service.post(`{"${" ".repeat(70_000)}`)],
    [
      "the envelope before apiname",
      "envelope_invalid",
      () => world.service.post({ apiname: "none", params: 1 }),
    ],
    [
      "apiname before the key",
      "apiname_unknown",
      () => world.service.post({ apiname: "none", apikey: "unknown", params: everyFault }),
    ],
    ["the key before params", "key_unknown", () => world.ask(everyFault, { apikey: "unknown" })],
    ["params before the plan", "param_invalid", () => world.ask({ ...good, symbol: "x" }, { apikey: free })],
    ["fields before the plan", "field_unknown", () => world.ask(good, { apikey: free, fields: "nonsense" })],
    [
      "a cursor's signature before the plan",
      "cursor_invalid",
      () => world.ask({ ...good, cursor: "v3.nonsense" }, { apikey: free }),
    ],
    [
      "the plan before the day",
      "plan_missing",
      () => world.ask({ ...good, tradedate: TODAY }, { apikey: free }),
    ],
    ["the plan's window before the security", "outside_window", () => noSecurity(BEFORE_WINDOW)],
    ["the security last", "security_unknown", () => noSecurity(FIRST_OF_WINDOW)],
  ] as const)("puts %s", async (_, reason, ask) => {
    expectRefusal(await ask(), { reason });
  });
});
