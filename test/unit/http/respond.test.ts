import { describe, expect, it } from "vitest";
import {
  type AnswerContext,
  jsonHeaders,
  pageBody,
  parquetHeaders,
  refuse,
} from "../../../src/http/respond.ts";
import { EVERY_DENIAL } from "./every-denial.ts";

const REQUEST: AnswerContext = { requestId: "0123456789abcdef", language: "en", format: "json" };
const { requestId } = REQUEST;

describe("refuse (contract 1.3, 1.4)", () => {
  it.each(EVERY_DENIAL)(
    "encodes $reason as an envelope of three properties with the headers of a refusal",
    async (denial) => {
      for (const format of ["json", "parquet"] as const) {
        const response = refuse(denial, { ...REQUEST, format });
        const text = await response.text();
        expect(Object.keys(JSON.parse(text))).toEqual(["code", "message", "data"]);
        expect(JSON.parse(text)).toMatchObject({ data: null });
        expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
        expect(response.headers.get("x-reason")).toBe(denial.reason);
        expect(response.headers.get("x-request-id")).toBe(requestId);
        expect(response.headers.get("cache-control")).toBe("private, no-store");
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
        expect(response.headers.get("content-disposition")).toBeNull();
      }
    },
  );

  it("sends Retry-After for temporary refusals, and quota headers instead for a used-up quota", () => {
    const retryAfter = (response: Response) => response.headers.get("retry-after");
    expect(retryAfter(refuse({ reason: "slot_busy" }, REQUEST))).toBe("1");
    expect(retryAfter(refuse({ reason: "rate_limited", retryAfterSeconds: 10 }, REQUEST))).toBe("10");
    expect(retryAfter(refuse({ reason: "unavailable" }, REQUEST))).toBe("5");
    const quota = refuse({ reason: "quota_used", unit: "files", limit: 30, resetSeconds: 77 }, REQUEST);
    expect(retryAfter(quota)).toBeNull();
    expect(quota.headers.get("ratelimit-policy")).toBe('"files";q=30;w=86400');
    expect(quota.headers.get("ratelimit")).toBe('"files";r=0;t=77');
  });
});

describe("the headers of served answers (contract 1.10, 1.11)", () => {
  const use = { requests: 7, files: 3, resetSeconds: 3600 };
  const quotaHeaders = (kind: "json" | "parquet", requests: number | null, files: number | null) => {
    const headers = jsonHeaders({ requestId, quota: { kind, limits: { requests, files }, use } });
    return [headers.get("ratelimit-policy"), headers.get("ratelimit")];
  };

  it("state the daily quotas that apply, what is left of them and the seconds until the reset", () => {
    expect(quotaHeaders("json", 100, null)).toEqual(['"requests";q=100;w=86400', '"requests";r=93;t=3600']);
    expect(quotaHeaders("parquet", 100, 30)).toEqual([
      '"requests";q=100;w=86400, "files";q=30;w=86400',
      '"requests";r=93;t=3600, "files";r=27;t=3600',
    ]);
    expect(quotaHeaders("parquet", null, 2)).toEqual(['"files";q=2;w=86400', '"files";r=0;t=3600']);
  });

  it("state no quotas if none applies", () => {
    expect(quotaHeaders("json", null, 30)).toEqual([null, null]);
    expect(quotaHeaders("parquet", null, null)).toEqual([null, null]);
  });

  it("state the window, the revision and the ignored parameters, safely encoded", () => {
    const headers = jsonHeaders({
      requestId,
      window: { start: 93_000_000, end: 240_000_000 },
      revision: 4,
      unknownParameters: ["offset", "参数\r\nX: y"],
    });
    expect(headers.get("x-window")).toBe("093000000-240000000");
    expect(headers.get("x-revision")).toBe("4");
    expect(headers.get("x-warning")).toBe(
      "unknown parameters ignored: offset, %E5%8F%82%E6%95%B0%0D%0AX%3A%20y",
    );
    const many = Array.from({ length: 5_000 }, () => "参".repeat(40));
    const bounded = jsonHeaders({ requestId, unknownParameters: many }).get("x-warning") ?? "";
    expect(bounded.length).toBeLessThan(4_096);
    expect(bounded).toMatch(/, and 4990 more$/);
    expect(jsonHeaders({ requestId, unknownParameters: [] }).has("x-warning")).toBe(false);
    expect(headers.has("x-reason")).toBe(false);
  });

  it("expose every header of the service to browsers", () => {
    const facts = { requestId, reason: "x", retryAfterSeconds: 1, revision: 1, rows: 1 };
    const window = { start: 0, end: 1 };
    const quota = { kind: "parquet" as const, limits: { requests: 1, files: 1 }, use };
    const headers = parquetHeaders({ ...facts, window, quota, unknownParameters: ["a"] }, "f.parquet");
    const exposed = String(headers.get("access-control-expose-headers")).toLowerCase().split(", ");
    const ours = [...headers.keys()].filter((name) =>
      /^x-(?!content-type)|^ratelimit|^retry|^content-d/.test(name),
    );
    expect(ours.length).toBeGreaterThan(8);
    expect(ours.filter((name) => !exposed.includes(name))).toEqual([]);
  });

  it("state a Parquet answer's file name and number of rows, and refuse ranges (contract 6.2)", () => {
    const headers = parquetHeaders({ requestId, rows: 12 }, "600519.SH_20240102_orders.parquet");
    expect(headers.get("content-type")).toBe("application/vnd.apache.parquet");
    expect(headers.get("content-disposition")).toBe(
      'attachment; filename="600519.SH_20240102_orders.parquet"',
    );
    expect(headers.get("accept-ranges")).toBe("none");
    expect(headers.get("x-row-count")).toBe("12");
  });
});

describe("the bodies of served answers (contract 1.3, 5.1)", () => {
  it("contain a page's items as unchanged bytes", () => {
    const items = ['[["600519",12.', "34]]"].map((text) => new TextEncoder().encode(text));
    const page = { fields: ["symbol", "price"], items, tradedate: "20240102", pageSize: 1 };
    const text = (nextCursor: string | null) =>
      new TextDecoder().decode(Buffer.concat(pageBody({ ...page, nextCursor })));
    expect(text("v3.x")).toBe(
      '{"code":200,"message":"success","data":{"fields":["symbol","price"],"items":[["600519",12.34]],' +
        '"tradedate":"20240102","page_size":1,"next_cursor":"v3.x","has_more":true}}',
    );
    expect(JSON.parse(text(null))).toMatchObject({ data: { next_cursor: null, has_more: false } });
  });
});
