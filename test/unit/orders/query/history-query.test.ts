import { describe, expect, it } from "vitest";
import {
  parseHistoryQuery as parseHistoryQueryResult,
  wantsParquet,
} from "../../../../src/orders/query/history-query.ts";
import { printedRandom } from "../../../support/random.ts";
import { baring } from "../../../support/result.ts";

const parseHistoryQuery = baring(parseHistoryQueryResult);

const parse = (params: Record<string, unknown>, fields?: unknown) =>
  parseHistoryQuery({ params, fields }, "refuse", "orders");
const ask = (params: Record<string, unknown>) => parse({ symbol: "600519.SH", ...params });

describe("parseHistoryQuery (contract 3)", () => {
  it("reports a misspelt parameter name before the missing symbol", () => {
    expect(parse({ symbl: "600519" })).toMatchObject({
      reason: "param_unknown",
      parameter: "symbl",
      hint: { kind: "nearest", name: "symbol" },
    });
  });

  it.each([
    ["end-time", { kind: "nearest", name: "end_time" }],
    ["fields", { kind: "envelope", name: "fields" }],
    ["apikey", { kind: "envelope", name: "apikey" }],
    ["x".repeat(60_000), null],
  ])("refuses the unknown parameter %s", (name, hint) => {
    expect(ask({ [name]: 2 })).toMatchObject({ reason: "param_unknown", hint });
  });

  it.each([
    [0, "below_one"],
    ["0", "below_one"],
    ["-5", "not_integer"],
    [[7], "not_integer"],
  ])("refuses %j as page_size and as limit", (given, problem) => {
    expect(ask({ page_size: given })).toMatchObject({ parameter: "page_size", problem });
    expect(ask({ limit: given })).toMatchObject({ parameter: "limit", problem });
  });

  it("never throws, for 20,000 random parameter objects", () => {
    const random = printedRandom("order queries");
    const names = "symbol tradedate format start_time end_time page_size limit cursor x".split(" ");
    const deep = JSON.parse(`${"[".repeat(30_000)}${"]".repeat(30_000)}`) as unknown;
    const texts = "600519 000001.SZ 20240102 json parquet 09:30 100000 v1.1 v3.".split(" ");
    const values = [...texts, "", null];
    const odd = [7, 1e300, -0, true, {}, [], deep, "\u0000", "\ud800", "💹".repeat(99), { toString: 1 }];
    for (let round = 0; round < 20_000; round += 1) {
      const picked = names.filter(() => random.chance(0.4));
      const params = Object.fromEntries(picked.map((name) => [name, random.pick([...values, ...odd])]));
      const fields = random.pick([undefined, null, "time", ...odd]);
      const query = parse(params, fields);
      if ("reason" in query) expect(JSON.stringify(query).length).toBeLessThan(1000);
      else expect(query.symbol).toMatch(/^\d{6}$/);
    }
  });
});

describe("wantsParquet (contract 1.4)", () => {
  it.each([{ format: "parquet" }, { format: " Parquet " }, { symbol: 7, format: "PARQUET", limit: {} }])(
    "is true for %j",
    (params) => {
      expect(wantsParquet({ params })).toBe(true);
    },
  );

  it.each([null, 7, [], {}, { params: null }, { params: "parquet" }, { params: { format: ["parquet"] } }])(
    "is false for %j",
    (body) => {
      expect(wantsParquet(body)).toBe(false);
    },
  );
});
