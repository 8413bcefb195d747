/** One denial of every reason, and of every kind of words within a reason. */
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import type { Denial } from "../../../src/http/denial.ts";
import type { ParamProblem } from "../../../src/orders/denial.ts";

const tradedate = "20260311" as BeijingDate;
const newestLoaded = "20260310" as BeijingDate;

/** Every problem of a parameter, with the parameter it is told of. */
const PROBLEMS: Record<
  ParamProblem,
  "symbol" | "tradedate" | "format" | "start_time" | "page_size" | "fields"
> = {
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
  time_out_of_day: "start_time",
  empty_window: "start_time",
  fields_form: "fields",
};

export const EVERY_DENIAL: readonly Denial[] = [
  { reason: "envelope_invalid", problem: "not_utf8" },
  { reason: "envelope_invalid", problem: "not_json" },
  { reason: "envelope_invalid", problem: "not_object" },
  { reason: "envelope_invalid", problem: "members", members: ["apikey", "params"] },
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
  { reason: "key_unknown" },
  { reason: "key_revoked" },
  { reason: "account_disabled" },
  { reason: "rate_limited", retryAfterSeconds: 10 },
  { reason: "plan_missing", service: "order_history", plan: null },
  { reason: "plan_missing", service: "level2", plan: "trial" },
  { reason: "plan_expired", plan: "weekly", endedMs: Date.parse("2026-03-01T00:00:00+08:00") },
  {
    reason: "outside_window",
    service: "order_history",
    plan: "professional",
    asked: "20250101",
    from: "20260211" as BeijingDate,
    days: 30,
  },
  {
    reason: "outside_window",
    service: "level2",
    plan: "weekly",
    asked: "2024",
    from: "20260211" as BeijingDate,
    days: 30,
  },
  ...Object.entries(PROBLEMS).map(
    ([problem, parameter]): Denial => ({
      reason: "param_invalid",
      parameter,
      problem: problem as ParamProblem,
      given: problem === "missing" ? "" : "given value",
    }),
  ),
  { reason: "param_unknown", parameter: "offset", hint: null, known: ["symbol", "cursor"] },
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
  { reason: "cursor_old_format" },
  { reason: "cursor_invalid" },
  { reason: "cursor_mismatch", parameter: "end_time" },
  { reason: "data_rebuilt", tradedate },
  { reason: "not_loaded", tradedate, newestLoaded },
  { reason: "not_loaded", tradedate, newestLoaded: null },
  { reason: "not_trading_day", tradedate, newestLoaded },
  { reason: "future_day", tradedate, today: newestLoaded, newestLoaded },
  { reason: "before_history", tradedate, earliestLoaded: newestLoaded },
  { reason: "security_unknown", tradedate, symbol: "000001", market: "SH", carriedOn: "SZ" },
  { reason: "security_unknown", tradedate, symbol: "999999", market: null, carriedOn: null },
  { reason: "security_unknown", tradedate, symbol: "430047", market: "BJ", carriedOn: null },
  { reason: "no_orders", tradedate, symbol: "688111", market: "SH" },
  { reason: "withdrawn", tradedate },
  { reason: "nothing_published", dataType: "level2", year: 2026 },
  { reason: "slot_busy" },
  { reason: "quota_used", unit: "requests", limit: 100, resetSeconds: 11_521 },
  { reason: "quota_used", unit: "files", limit: 30, resetSeconds: 1 },
  { reason: "unavailable" },
  { reason: "day_damaged", tradedate },
];
