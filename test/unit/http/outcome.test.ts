import { describe, expect, it } from "vitest";
import type { Denial } from "../../../src/http/denial.ts";
import { type AnswerFormat, messageOf, outcomeOf } from "../../../src/http/outcome.ts";
import { EVERY_DENIAL } from "./every-denial.ts";

/** By reason (contract 1.4, 1.7): the code, the HTTP status for JSON and for Parquet, `Retry-After` in seconds. */
const TABLE: Record<string, [code: number, json: number, parquet: number, retryAfter?: number]> = {
  envelope_invalid: [422, 200, 422],
  "envelope_invalid: header": [422, 431, 431],
  method_not_allowed: [422, 405, 405],
  body_too_large: [422, 413, 413],
  not_found: [422, 404, 404],
  apiname_unknown: [422, 200, 422],
  key_unknown: [403, 200, 403],
  key_revoked: [403, 200, 403],
  account_disabled: [403, 200, 403],
  plan_missing: [403, 200, 403],
  plan_expired: [403, 200, 403],
  outside_window: [403, 200, 403],
  rate_limited: [429, 429, 429, 10],
  param_invalid: [422, 200, 422],
  param_unknown: [422, 200, 422],
  param_excluded: [422, 200, 422],
  field_unknown: [422, 200, 422],
  cursor_old_format: [422, 200, 422],
  cursor_invalid: [422, 200, 422],
  cursor_mismatch: [422, 200, 422],
  data_rebuilt: [422, 200, 422],
  not_loaded: [1002, 200, 404],
  not_trading_day: [1002, 200, 404],
  future_day: [1002, 200, 404],
  before_history: [1002, 200, 404],
  security_unknown: [1002, 200, 404],
  no_orders: [1002, 200, 404],
  withdrawn: [1002, 200, 404],
  nothing_published: [1002, 200, 404],
  slot_busy: [503, 503, 503, 1],
  quota_used: [429, 200, 429],
  unavailable: [503, 503, 503, 5],
  day_damaged: [503, 503, 503],
};

/** The reasons that concern a dataset's day. */
const DAY_REASONS = [
  "not_loaded",
  "not_trading_day",
  "future_day",
  "before_history",
  "withdrawn",
  "day_damaged",
];

const HAN = /\p{Script=Han}/u;
const say = (denial: Denial, language: "zh" | "en" | "both" = "en") =>
  messageOf(outcomeOf(denial), language, "0123456789abcdef");
const the = <R extends Denial["reason"]>(reason: R) => EVERY_DENIAL.filter((each) => each.reason === reason);

describe("outcomes (contract 1.4, 1.5)", () => {
  it("exist for exactly the reasons of the contract", () => {
    expect(new Set(EVERY_DENIAL.map(({ reason }) => reason))).toEqual(
      new Set(Object.keys(TABLE).map((key) => key.split(":")[0])),
    );
  });

  it.each(EVERY_DENIAL)("give $reason its code, statuses and Retry-After", (denial) => {
    const { code, reason, status, retryAfterSeconds } = outcomeOf(denial);
    const isHeader = "problem" in denial && denial.problem === "header_length";
    const key = isHeader ? "envelope_invalid: header" : denial.reason;
    const [expectedCode, json, parquet, retryAfter = null] = TABLE[key] ?? [];
    expect({ code, reason, status, retryAfterSeconds }).toEqual({
      code: expectedCode,
      reason: denial.reason,
      status: { json, parquet } satisfies Partial<Record<AnswerFormat, number | undefined>>,
      retryAfterSeconds: retryAfter,
    });
  });
});

describe("messages (contract 1.8)", () => {
  it.each(EVERY_DENIAL)("explain $reason in Chinese, in English, and in both languages", (denial) => {
    const end = ` [${denial.reason} · 0123456789abcdef]`;
    const [zh, en, both] = [say(denial, "zh"), say(denial, "en"), say(denial, "both")];
    for (const message of [zh, en, both]) {
      expect(message.endsWith(end)).toBe(true);
      expect(message).not.toMatch(/undefined|null|NaN|\[object|。。|\.\.|\s\s/);
      expect(message.length).toBeLessThan(700);
    }
    expect(zh).toMatch(HAN);
    expect(zh.slice(0, -end.length)).toMatch(/[。？]$/);
    if (denial.reason !== "quota_used") expect(en).not.toMatch(HAN);
    expect(en.slice(0, -end.length)).toMatch(/[.?]$/);
    expect(en).toMatch(/^([A-Z]|invalid api key|tradedate |year |month )/);
    expect(both).toBe(`${zh.slice(0, -end.length)} ${en}`);
  });

  it("contain the markers that existing clients look for, in every language", () => {
    for (const language of ["zh", "en", "both"] as const) {
      for (const denial of the("quota_used")) expect(say(denial, language)).toContain("额度");
      for (const denial of the("key_unknown")) expect(say(denial, language)).toContain("invalid api key");
    }
  });

  it.each(the("param_invalid"))("name the parameter $parameter when its problem is $problem", (denial) => {
    const parameter = denial.reason === "param_invalid" ? denial.parameter : "";
    expect(say(denial, "zh")).toContain(parameter);
    expect(say(denial, "en")).toContain(parameter);
  });

  it("state limits and windows, and give times in Beijing time", () => {
    expect(the("quota_used").map((denial) => say(denial))).toEqual([
      expect.stringMatching(/100 requests.*00:00 Beijing time, in 3 h 13 min/),
      expect.stringMatching(/30 Parquet files.*in 0 h 1 min/),
      expect.stringMatching(/is 0 \(Parquet files\): ask the service's operator/),
    ]);
    const anHour = { reason: "quota_used", unit: "files", limit: 30, resetSeconds: 3599 } as const;
    expect(say(anHour)).toContain("in 1 h 0 min");
    expect(the("outside_window").map((denial) => say(denial))).toEqual([
      expect.stringMatching(/^tradedate 20250101 .*professional.*30 calendar days.*20260211/),
      expect.stringMatching(/^year 2024 .*weekly.*30 calendar days.*20260211/),
      expect.stringMatching(/^month 202501 .*professional.*30 calendar days.*20260211/),
    ]);
    expect(the("plan_expired").map((denial) => say(denial, "zh"))).toEqual([
      expect.stringContaining("周卡已于北京时间 2026-03-01 00:00 到期"),
    ]);
  });

  it("name the plans that include what was refused", () => {
    const [orders, share] = the("plan_missing").map((denial) => say(denial));
    expect(orders).toMatch(/level2_order_history.*trial, weekly, professional, flagship/);
    expect(share).toMatch(/file_download level2.*weekly, professional, flagship/);
    expect(share).not.toContain("these: trial");
  });

  it("about a day of trades or quotes name the dataset, and for a withdrawn or damaged day also the member of data_status", () => {
    const states = ["withdrawn", "day_damaged"];
    for (const denial of EVERY_DENIAL) {
      if (!("dataset" in denial) || denial.dataset === "orders" || !DAY_REASONS.includes(denial.reason))
        continue;
      expect(say(denial)).toContain(denial.dataset);
      expect(say(denial, "zh")).toContain(denial.dataset === "trades" ? "逐笔成交" : "行情快照");
      if (!states.includes(denial.reason)) continue;
      expect(say(denial)).toContain(`datasets.${denial.dataset} of data_status`);
      expect(say(denial, "zh")).toContain(`data_status 的 datasets.${denial.dataset}`);
    }
  });

  it("about a day of orders are the same whether or not the refusal names the dataset", () => {
    const ofOrders = EVERY_DENIAL.flatMap((each) =>
      "dataset" in each && each.dataset === "orders" && DAY_REASONS.includes(each.reason) ? [each] : [],
    );
    expect(new Set(ofOrders.map(({ reason }) => reason))).toEqual(new Set(DAY_REASONS));
    for (const { dataset: _, ...stored } of ofOrders) {
      expect(say(stored as Denial, "both")).toBe(say({ ...stored, dataset: "orders" } as Denial, "both"));
      expect(say(stored as Denial)).not.toMatch(/orders|datasets\./);
    }
  });

  it("about an unknown security suggest the other exchange or say that Beijing is not carried", () => {
    const [other, nowhere, beijing] = the("security_unknown").map((denial) => say(denial));
    expect(other).toContain("did you mean 000001.SZ?");
    expect(nowhere).not.toContain("did you mean");
    expect(beijing).toMatch(/Beijing exchange.*430047\.BJ.*not carried/);
  });
});
