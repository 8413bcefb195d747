/** One example of every refusal with its code, statuses and message. */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { Denial, Reason } from "../../http/denial.ts";
import { type Outcome, outcomeOf } from "../../http/outcome.ts";
import { HISTORY_PARAMETERS } from "../../orders/query/query-denial.ts";
import { EXAMPLE } from "../example-day.ts";

const tradedate = EXAMPLE.tradedate as BeijingDate;
const newestLoaded = tradedate;
const today = "20260312" as BeijingDate;

/** The facts of an example of each reason. A new reason does not compile until it has an example here. */
const EXAMPLES: { readonly [R in Reason]: Omit<Extract<Denial, { reason: R }>, "reason"> } = {
  envelope_invalid: { problem: "not_json" },
  method_not_allowed: { method: "GET" },
  body_too_large: { limitBytes: 65_536 },
  not_found: { path: "/api2" },
  apiname_unknown: {
    apiname: "level2_orders",
    nearest: "level2_order_history",
    known: ["level2_order_history"],
  },
  key_unknown: {},
  key_revoked: {},
  account_disabled: {},
  plan_missing: { service: "order_history", plan: "standard" },
  plan_expired: { plan: "professional", endedMs: Date.parse("2026-03-01T00:00:00+08:00") },
  outside_window: {
    service: "order_history",
    plan: "professional",
    asked: "20250106",
    from: "20260211" as BeijingDate,
    days: 30,
  },
  rate_limited: { retryAfterSeconds: 10 },
  param_invalid: { parameter: "start_time", problem: "time_form", given: "9:30", accepted: "09:30" },
  param_unknown: {
    parameter: "star_time",
    hint: { kind: "nearest", name: "start_time" },
    known: HISTORY_PARAMETERS,
  },
  param_excluded: { parameters: ["page_size"] },
  field_unknown: { field: "pric", nearest: "price" },
  cursor_old_format: {},
  cursor_invalid: {},
  cursor_mismatch: { parameter: "symbol" },
  data_rebuilt: { tradedate },
  not_loaded: { tradedate: today, recent: true, newestLoaded },
  not_trading_day: { tradedate: "20260307" as BeijingDate, newestLoaded },
  future_day: { tradedate: "20260313" as BeijingDate, today, newestLoaded },
  before_history: { tradedate: "20200102" as BeijingDate, earliestLoaded: "20250106" as BeijingDate },
  security_unknown: { tradedate, symbol: "300750", market: "SH", carriedOn: "SZ" },
  no_orders: { tradedate, symbol: "688111", market: "SH" },
  withdrawn: { tradedate },
  nothing_published: { dataType: "level2", year: 2026 },
  slot_busy: {},
  quota_used: {
    interface: "level2_order_history",
    unit: "files",
    limit: 30,
    resetSeconds: 13 * 3600 + 20 * 60,
  },
  unavailable: {},
  day_damaged: { tradedate },
};

/** The outcomes of all examples, in the order of contract 1.7. */
export const REFUSALS: readonly Outcome[] = Object.entries(EXAMPLES).map(([reason, facts]) =>
  outcomeOf({ reason, ...facts } as Denial),
);
