/** One denial for every reason and every kind of message. */
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../../src/datasets/registry.ts";
import type { Denial } from "../../../src/http/denial.ts";
import type { ParamProblem } from "../../../src/orders/query/query-denial.ts";

const tradedate = "20260311" as BeijingDate;
const newestLoaded = "20260310" as BeijingDate;

/** Every problem that a parameter can have, each with the name of a parameter that can have this problem. */
const PROBLEMS: Record<ParamProblem, string> = {
  missing: "symbol",
  not_string: "tradedate",
  not_integer: "page_size",
  below_one: "page_size",
  differs_from_limit: "page_size",
  symbol_form: "symbol",
  one_symbol_only: "symbol",
  symbol_on_both_exchanges: "symbol",
  not_a_date: "tradedate",
  needed_by_undated_cursor: "tradedate",
  format_form: "format",
  time_form: "start_time",
  time_eight_digits: "start_time",
  time_fraction: "start_time",
  time_out_of_day: "start_time",
  empty_window: "start_time",
  fields_form: "fields",
  value_form: "month",
  value_unknown: "data_type",
  out_of_range: "year",
};

const OUTSIDE_WINDOW = {
  reason: "outside_window",
  service: "order_history",
  plan: "professional",
  from: "20260211" as BeijingDate,
  days: 30,
} as const;

export const EVERY_DENIAL: readonly Denial[] = [
  { reason: "envelope_invalid", problem: "not_utf8" },
  { reason: "envelope_invalid", problem: "not_json" },
  { reason: "envelope_invalid", problem: "not_object" },
  { reason: "envelope_invalid", problem: "header_length", name: "accept-language" },
  {
    reason: "envelope_invalid",
    problem: "members",
    members: ["apikey", "params"],
    wrong: ["params"],
    flat: "symbol",
  },
  { reason: "method_not_allowed", method: "GET" },
  { reason: "body_too_large", limitBytes: 65_536 },
  { reason: "not_found", path: "/nowhere" },
  { reason: "apiname_unknown", apiname: "level3", nearest: null, known: ["level2_order_history"] },
  {
    reason: "apiname_unknown",
    apiname: "level2_order",
    nearest: "level2_order_history",
    known: ["level2_order_history"],
  },
  {
    reason: "envelope_invalid",
    problem: "members",
    members: ["apikey"],
    wrong: ["apikey"],
    flat: null,
  },
  { reason: "cursor_invalid", problem: "offset" },
  { reason: "key_unknown" },
  { reason: "key_unknown", empty: true },
  { reason: "key_revoked" },
  { reason: "account_disabled" },
  { reason: "rate_limited", retryAfterSeconds: 10 },
  { reason: "plan_missing", service: "order_history", plan: null },
  { reason: "plan_missing", service: "level2", plan: "trial" },
  { reason: "plan_expired", plan: "weekly", endedMs: Date.parse("2026-03-01T00:00:00+08:00") },
  { ...OUTSIDE_WINDOW, asked: "20250101" },
  { ...OUTSIDE_WINDOW, service: "level2", plan: "weekly", asked: "2024" },
  { ...OUTSIDE_WINDOW, asked: "202501", parameter: "month" },
  ...Object.entries(PROBLEMS).map(
    ([problem, parameter]): Denial => ({
      reason: "param_invalid",
      parameter,
      problem: problem as ParamProblem,
      given: problem === "missing" ? "" : "given value",
      ...(["value_form", "value_unknown", "differs_from_limit", "out_of_range"].includes(problem)
        ? { accepted: "2017-2026" }
        : {}),
    }),
  ),
  { reason: "param_unknown", parameter: "offset", hint: null, known: ["symbol", "cursor"] },
  { reason: "param_unknown", parameter: "offset", hint: { kind: "paging" }, known: ["symbol", "cursor"] },
  { reason: "param_unknown", parameter: "symbol", hint: null, known: [] },
  {
    reason: "param_unknown",
    parameter: "cusror",
    hint: { kind: "nearest", name: "cursor" },
    known: ["cursor"],
  },
  {
    reason: "param_unknown",
    parameter: "fields",
    hint: { kind: "envelope", name: "fields" },
    known: ["cursor"],
  },
  { reason: "param_excluded", parameters: ["cursor", "end_time"] },
  { reason: "field_unknown", field: "pric", nearest: "price" },
  { reason: "field_unknown", field: "xyzzy", nearest: null },
  { reason: "field_unknown", dataset: "trades", field: "side", nearest: null },
  { reason: "field_unknown", field: "time price", nearest: null, separated: "time,price" },
  { reason: "cursor_old_format" },
  { reason: "cursor_invalid" },
  { reason: "cursor_mismatch", parameter: "end_time" },
  { reason: "cursor_mismatch", parameter: "apiname" },
  { reason: "data_rebuilt", tradedate },
  { reason: "not_loaded", tradedate, recent: true, newestLoaded: null },
  { reason: "not_loaded", tradedate, recent: false, newestLoaded: null },
  ...[undefined, ...DATASET_NAMES].flatMap((name): Denial[] => {
    const dataset = name === undefined ? {} : { dataset: name };
    return [
      { reason: "not_loaded", ...dataset, tradedate, recent: true, newestLoaded },
      { reason: "not_loaded", ...dataset, tradedate, recent: false, newestLoaded },
      { reason: "not_trading_day", ...dataset, tradedate, newestLoaded },
      { reason: "future_day", ...dataset, tradedate, today: newestLoaded, newestLoaded },
      { reason: "before_history", ...dataset, tradedate, earliestLoaded: newestLoaded },
      { reason: "withdrawn", ...dataset, tradedate },
      { reason: "day_damaged", ...dataset, tradedate },
    ];
  }),
  { reason: "security_unknown", tradedate, symbol: "000001", market: "SH", carriedOn: "SZ" },
  { reason: "security_unknown", tradedate, symbol: "999999", market: null, carriedOn: null },
  { reason: "security_unknown", tradedate, symbol: "430047", market: "BJ", carriedOn: null },
  { reason: "no_orders", tradedate, symbol: "688111", market: "SH" },
  { reason: "no_orders", dataset: "trades", tradedate, symbol: "688111", market: "SH" },
  { reason: "nothing_published", dataType: "level2", year: 2026 },
  { reason: "slot_busy" },
  { reason: "slot_busy", lacks: "memory" },
  { reason: "quota_used", unit: "requests", limit: 100, resetSeconds: 11_521 },
  { reason: "quota_used", unit: "files", limit: 30, resetSeconds: 1 },
  { reason: "quota_used", unit: "files", limit: 0, resetSeconds: 1 },
  { reason: "unavailable" },
  { reason: "unavailable", unread: true },
];
