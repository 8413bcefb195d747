import { describe, expect, it } from "vitest";
import type { Denial } from "../../../src/http/denial.ts";
import { messageOf, outcomeOf } from "../../../src/http/outcome.ts";
import { EVERY_DENIAL } from "./every-denial.ts";

/** The reasons of each code (contract 1.4, 1.7). */
const REASONS = {
  422: `envelope_invalid method_not_allowed body_too_large not_found apiname_unknown param_invalid param_unknown
    param_excluded field_unknown cursor_old_format cursor_invalid cursor_mismatch data_rebuilt`,
  403: "key_unknown key_revoked account_disabled plan_missing plan_expired outside_window",
  429: "rate_limited quota_used",
  1002: `not_loaded not_trading_day future_day before_history security_unknown no_orders withdrawn
    nothing_published`,
  503: "slot_busy unavailable day_damaged",
};
const CODES = Object.entries(REASONS).flatMap(([code, reasons]) =>
  reasons.split(/\s+/).map((reason) => [reason, Number(code)] as const),
);

/** The HTTP status of a Parquet request for each code (contract 1.4); that of a JSON request is 200, except for 503. */
const PARQUET: Record<number, number> = { 422: 422, 403: 403, 429: 429, 1002: 404, 503: 503 };

/** The HTTP statuses that do not follow from the code (contract 1.1, 1.2, 1.4). */
const STATUSES: Record<string, number> = {
  header_length: 431,
  method_not_allowed: 405,
  body_too_large: 413,
  not_found: 404,
  rate_limited: 429,
};

/** `Retry-After` in seconds (contract 1.5). */
const RETRY_AFTER: Record<string, number> = { rate_limited: 10, slot_busy: 1, unavailable: 5 };

/** The reasons that concern a dataset's day. */
const DAY_REASONS = "not_loaded not_trading_day future_day before_history withdrawn day_damaged".split(" ");

const HAN = /\p{Script=Han}/u;
const say = (denial: Denial, language: "zh" | "en" | "both" = "en") =>
  messageOf(outcomeOf(denial), language, "0123456789abcdef");
const the = <R extends Denial["reason"]>(reason: R) => EVERY_DENIAL.filter((each) => each.reason === reason);

describe("outcomes (contract 1.4, 1.5)", () => {
  it("exist for exactly the reasons of the contract", () => {
    expect(new Set(EVERY_DENIAL.map(({ reason }) => reason))).toEqual(
      new Set(CODES.map(([reason]) => reason)),
    );
  });

  it.each(EVERY_DENIAL)("give $reason its code, statuses and Retry-After", (denial) => {
    const { reason } = denial;
    const code = new Map(CODES).get(reason) ?? 0;
    const known = STATUSES["problem" in denial ? (denial.problem ?? "") : ""] ?? STATUSES[reason];
    const [json, parquet] = [known ?? (code === 503 ? 503 : 200), known ?? PARQUET[code]];
    const retryAfterSeconds = RETRY_AFTER[reason] ?? null;
    expect(outcomeOf(denial)).toMatchObject({ code, reason, status: { json, parquet }, retryAfterSeconds });
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
