import { describe, expect, it } from "vitest";
import {
  type HistoryQuery,
  parseHistoryQuery as parseHistoryQueryResult,
  wantsParquet,
} from "../../../../src/orders/query/history-query.ts";
import { printedRandom } from "../../../support/random.ts";
import { baring } from "../../../support/result.ts";

const parseHistoryQuery = baring(parseHistoryQueryResult);

const REFUSE = { unknownParameters: "refuse" } as const;
const parse = (params: Record<string, unknown>, fields?: unknown) =>
  parseHistoryQuery({ params, fields }, REFUSE, "orders");
const ask = (params: Record<string, unknown>) => parse({ symbol: "600519.SH", ...params });

function served(params: Record<string, unknown>): HistoryQuery {
  const query = ask(params);
  if ("reason" in query) throw new Error(`refused: ${JSON.stringify(query)}`);
  return query;
}

describe("parseHistoryQuery (contract 3)", () => {
  it("fills in defaults for absent parameters", () => {
    const { columns, ...query } = served({});
    expect(query).toEqual({
      symbol: "600519",
      market: "SH",
      tradedate: null,
      format: "json",
      start: 0,
      end: 240_000_000,
      pageSize: 10_000,
      cursor: null,
      unknownParameters: [],
    });
    expect(columns).toHaveLength(10);
  });

  it("reads every given parameter", () => {
    const given = {
      tradedate: "20240229",
      start_time: "09:30",
      end_time: "100000",
      page_size: "7",
      cursor: "v3.x",
    };
    expect(served(given)).toMatchObject({
      tradedate: "20240229",
      start: 93_000_000,
      end: 100_000_000,
      pageSize: 7,
      cursor: "v3.x",
    });
  });

  it.each([null, "", " ", "\t\n", undefined])("treats %j as an absent parameter", (nothing) => {
    const names = [
      "tradedate",
      "format",
      "start_time",
      "end_time",
      "page_size",
      "limit",
      "cursor",
      "no_such_name",
    ];
    for (const name of names) expect(served({ [name]: nothing }), name).toEqual(served({}));
    expect(parse({ symbol: nothing })).toMatchObject({ parameter: "symbol", problem: "missing" });
  });

  it("reports a misspelt parameter name before the missing symbol", () => {
    expect(parse({ symbl: "600519" })).toMatchObject({
      reason: "param_unknown",
      parameter: "symbl",
      hint: { kind: "nearest", name: "symbol" },
    });
  });

  it.each([
    ["star_time", { kind: "nearest", name: "start_time" }],
    ["endTime", { kind: "nearest", name: "end_time" }],
    ["end-time", { kind: "nearest", name: "end_time" }],
    ["trade_date", { kind: "nearest", name: "tradedate" }],
    ["PageSize", { kind: "nearest", name: "page_size" }],
    ["cusror", { kind: "nearest", name: "cursor" }],
    ["fields", { kind: "envelope", name: "fields" }],
    ["apikey", { kind: "envelope", name: "apikey" }],
    ["date", { kind: "nearest", name: "tradedate" }],
    ["code", { kind: "nearest", name: "symbol" }],
    ["offset", { kind: "paging" }],
    ["pageNo", { kind: "paging" }],
    ["toString", null],
    ["x".repeat(60_000), null],
  ])("refuses the unknown parameter %s", (name, hint) => {
    expect(ask({ [name]: 2 })).toMatchObject({ reason: "param_unknown", hint });
  });

  it("refuses __proto__ like any other unknown name", () => {
    const params = JSON.parse('{"symbol": "600519", "__proto__": {"a": 1}}') as Record<string, unknown>;
    expect(parse(params)).toMatchObject({ reason: "param_unknown", parameter: "__proto__" });
  });

  it("accepts unknown parameters and lists them when the deployment only warns", () => {
    const query = parseHistoryQuery(
      { params: { symbol: "600519", offset: 5, foo: "x" } },
      { unknownParameters: "warn" },
      "orders",
    );
    expect(query).toMatchObject({ symbol: "600519", unknownParameters: ["offset", "foo"] });
  });

  it.each([
    ["20240230", "not_a_date"],
    ["2024-01-02", "not_a_date"],
    [" 2024 0102", "not_a_date"],
    [20_240_102, "not_string"],
    [["20240102"], "not_string"],
  ])("refuses tradedate %j", (tradedate, problem) => {
    expect(ask({ tradedate })).toMatchObject({ reason: "param_invalid", parameter: "tradedate", problem });
  });

  it.each([
    [1, 1],
    ["1", 1],
    ["0007", 7],
    [9999, 9999],
    [10_001, 10_000],
    [2 ** 53 - 1, 10_000],
    [2 ** 53, 10_000],
    [1e18, 10_000],
    [" 7", 7],
    ["9".repeat(400), 10_000],
  ])("reads page_size %j as %j, and limit likewise", (given, pageSize) => {
    expect(served({ page_size: given }).pageSize).toBe(pageSize);
    expect(served({ limit: given }).pageSize).toBe(pageSize);
    expect(served({ limit: given, page_size: String(given) }).pageSize).toBe(pageSize);
  });

  it.each([
    [0, "below_one"],
    [-5, "below_one"],
    ["0", "below_one"],
    ["-5", "not_integer"],
    [1.5, "not_integer"],
    ["7a", "not_integer"],
    ["7 7", "not_integer"],
    [true, "not_integer"],
    [[7], "not_integer"],
    [Number.POSITIVE_INFINITY, "not_integer"],
  ])("refuses %j as page_size and as limit", (given, problem) => {
    expect(ask({ page_size: given })).toMatchObject({ parameter: "page_size", problem });
    expect(ask({ limit: given })).toMatchObject({ parameter: "limit", problem });
  });

  it("refuses a page_size that differs from limit, even if both are at or above the maximum", () => {
    expect(ask({ page_size: 5, limit: 6 })).toMatchObject({ problem: "differs_from_limit" });
    expect(ask({ page_size: 10_000, limit: 20_000 })).toMatchObject({ problem: "differs_from_limit" });
  });

  it("refuses and names every parameter that format=parquet excludes, unless it is empty", () => {
    const all = { cursor: "x", page_size: 0, limit: "z", start_time: "nonsense", end_time: 5 };
    expect(ask({ format: "parquet", ...all })).toEqual({
      reason: "param_excluded",
      parameters: ["cursor", "page_size", "limit", "start_time", "end_time"],
    });
    const blank = Object.fromEntries(Object.keys(all).map((name) => [name, " "]));
    expect(served({ format: "parquet", ...blank }).format).toBe("parquet");
  });

  it.each(["JSON", "csv", "j son", 1, ["parquet"]])("refuses format %j", (format) => {
    expect(ask({ format })).toMatchObject({ reason: "param_invalid", parameter: "format" });
  });

  it.each([7, true, {}, ["v3.x"]])("refuses cursor %j as invalid", (cursor) => {
    expect(ask({ cursor })).toEqual({ reason: "cursor_invalid" });
  });

  it("refuses unknown fields", () => {
    expect(parse({ symbol: "600519" }, "time,sie")).toMatchObject({
      reason: "field_unknown",
      nearest: "side",
    });
  });

  it("throws for none of 20,000 random parameter objects", () => {
    const random = printedRandom("order queries");
    const names = [
      "symbol",
      "tradedate",
      "format",
      "start_time",
      "end_time",
      "page_size",
      "limit",
      "cursor",
      "x",
    ];
    const deep = JSON.parse(`${"[".repeat(30_000)}${"]".repeat(30_000)}`) as unknown;
    const values = [
      "600519",
      "000001.SZ",
      "20240102",
      "json",
      "parquet",
      "09:30",
      "100000",
      "v1.1",
      "v3.",
      "",
      null,
    ];
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
