/** One example of every refusal with its code, statuses and message. */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { Denial, Reason } from "../../http/denial.ts";
import { type Outcome, outcomeOf } from "../../http/outcome.ts";
import { HISTORY_PARAMETERS } from "../../orders/query/query-denial.ts";
import { EXAMPLE } from "../example-day.ts";

const tradedate = EXAMPLE.tradedate as BeijingDate;
const newestLoaded = tradedate;
const today = "20260312" as BeijingDate;

/** Exhaustive: a new reason does not compile until it has an example here. */
const EXAMPLES: { readonly [R in Reason]: Extract<Denial, { reason: R }> } = {
  envelope_invalid: { reason: "envelope_invalid", problem: "not_json" },
  method_not_allowed: { reason: "method_not_allowed", method: "GET" },
  body_too_large: { reason: "body_too_large", limitBytes: 65_536 },
  not_found: { reason: "not_found", path: "/api2" },
  apiname_unknown: {
    reason: "apiname_unknown",
    apiname: "level2_orders",
    nearest: "level2_order_history",
    known: ["level2_order_history"],
  },
  key_unknown: { reason: "key_unknown" },
  key_revoked: { reason: "key_revoked" },
  account_disabled: { reason: "account_disabled" },
  plan_missing: { reason: "plan_missing", service: "order_history", plan: "standard" },
  plan_expired: {
    reason: "plan_expired",
    plan: "professional",
    endedMs: Date.parse("2026-03-01T00:00:00+08:00"),
  },
  outside_window: {
    reason: "outside_window",
    service: "order_history",
    plan: "professional",
    asked: "20250106",
    from: "20260211" as BeijingDate,
    days: 30,
  },
  rate_limited: { reason: "rate_limited", retryAfterSeconds: 10 },
  param_invalid: {
    reason: "param_invalid",
    parameter: "start_time",
    problem: "time_form",
    given: "9:30",
    accepted: "09:30",
  },
  param_unknown: {
    reason: "param_unknown",
    parameter: "star_time",
    hint: { kind: "nearest", name: "start_time" },
    known: HISTORY_PARAMETERS,
  },
  param_excluded: { reason: "param_excluded", parameters: ["page_size"] },
  field_unknown: { reason: "field_unknown", field: "pric", nearest: "price" },
  cursor_old_format: { reason: "cursor_old_format" },
  cursor_invalid: { reason: "cursor_invalid" },
  cursor_mismatch: { reason: "cursor_mismatch", parameter: "symbol" },
  data_rebuilt: { reason: "data_rebuilt", tradedate },
  not_loaded: { reason: "not_loaded", tradedate: today, recent: true, newestLoaded },
  not_trading_day: { reason: "not_trading_day", tradedate: "20260307" as BeijingDate, newestLoaded },
  future_day: { reason: "future_day", tradedate: "20260313" as BeijingDate, today, newestLoaded },
  before_history: {
    reason: "before_history",
    tradedate: "20200102" as BeijingDate,
    earliestLoaded: "20250106" as BeijingDate,
  },
  security_unknown: {
    reason: "security_unknown",
    tradedate,
    symbol: "300750",
    market: "SH",
    carriedOn: "SZ",
  },
  no_orders: { reason: "no_orders", tradedate, symbol: "688111", market: "SH" },
  withdrawn: { reason: "withdrawn", tradedate },
  nothing_published: { reason: "nothing_published", dataType: "level2", year: 2026 },
  slot_busy: { reason: "slot_busy" },
  quota_used: {
    reason: "quota_used",
    interface: "level2_order_history",
    unit: "files",
    limit: 30,
    resetSeconds: 13 * 3600 + 20 * 60,
  },
  unavailable: { reason: "unavailable" },
  day_damaged: { reason: "day_damaged", tradedate },
};

/** The outcomes of all examples, in the order of contract 1.7. */
export const REFUSALS: readonly Outcome[] = Object.values(EXAMPLES).map(outcomeOf);
