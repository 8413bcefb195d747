/**
 * Why a query is not served: tagged values that carry facts. Messages, codes and HTTP statuses live in `http/`. A
 * denial without a `dataset` was kept before there were others than orders.
 */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import type { Market } from "../record.ts";

/** Parameters of the history of any dataset, in the order of contract 3; `limit` is another name of `page_size`. */
export const ORDER_PARAMETERS = [
  "symbol",
  "tradedate",
  "format",
  "start_time",
  "end_time",
  "page_size",
  "limit",
  "cursor",
] as const;

export type OrderParameter = (typeof ORDER_PARAMETERS)[number];

/** What is wrong with a known parameter's value. */
export type ParamProblem =
  | "missing"
  | "not_string"
  | "not_integer"
  | "below_one"
  | "differs_from_limit"
  | "symbol_form"
  | "one_symbol_only"
  | "symbol_on_both_exchanges"
  | "not_a_date"
  | "needed_by_undated_cursor"
  | "format_form"
  | "time_form"
  | "time_eight_digits"
  | "time_fraction"
  | "time_out_of_day"
  | "empty_window"
  | "fields_form"
  | "value_form"
  | "value_unknown"
  | "out_of_range";

/** A parameter with a wrong value. `given` is a short printable excerpt of it, or `""`. */
export interface ParamInvalid {
  reason: "param_invalid";
  parameter: string;
  problem: ParamProblem;
  given: string;
  /**
   * What is accepted, where the problem alone does not say: `2017-2026`, `auction_tick, level2`; or what was probably
   * meant: `09:30` of 9:30; or the value of the other parameter: `end_time`, `limit`.
   */
  accepted?: string;
}

/** Where the caller probably wanted to go: a parameter of a similar name, or the envelope beside `params`. */
export type NameHint =
  | { kind: "nearest"; name: string }
  | { kind: "envelope"; name: string }
  /** Paging by numbers: here a page is asked for by the cursor of the one before. */
  | { kind: "paging" };

export type QueryDenial =
  | ParamInvalid
  | { reason: "param_unknown"; parameter: string; hint: NameHint | null; known: readonly string[] }
  | { reason: "param_excluded"; parameters: readonly OrderParameter[] }
  /** `separated`: several names with something else than a comma between them, as they should be written. */
  | {
      reason: "field_unknown";
      dataset?: DatasetName;
      field: string;
      nearest: string | null;
      separated?: string;
    }
  | CursorDenial;

export type CursorDenial =
  /** Of the first, order-number format. */
  | { reason: "cursor_old_format" }
  /** `offset`: an undated cursor names more rows of its millisecond than there are. */
  | { reason: "cursor_invalid"; problem?: "offset" }
  | {
      reason: "cursor_mismatch";
      /** `apiname`: the cursor is of another interface. */
      parameter: "apiname" | "symbol" | "tradedate" | "start_time" | "end_time";
    }
  /** The day has another revision than the cursor's. */
  | { reason: "data_rebuilt"; tradedate: BeijingDate };

/** The exchange a caller asked for; Beijing's is recognised, not carried (contract 3.4). */
export type AskedMarket = Market | "BJ";

/** Why a day, or a security of it, cannot be served: all are code 1002 but `day_damaged`, which is 503. */
export type DayDenial =
  /** A trading day, or one the calendar does not know; `recent`: of the last days, so that it may still come. */
  | { reason: "not_loaded"; tradedate: BeijingDate; recent: boolean; newestLoaded: BeijingDate | null }
  | { reason: "not_trading_day"; tradedate: BeijingDate; newestLoaded: BeijingDate | null }
  | { reason: "future_day"; tradedate: BeijingDate; today: BeijingDate; newestLoaded: BeijingDate | null }
  | { reason: "before_history"; tradedate: BeijingDate; earliestLoaded: BeijingDate }
  | { reason: "withdrawn"; tradedate: BeijingDate }
  | { reason: "day_damaged"; tradedate: BeijingDate }
  | {
      reason: "security_unknown";
      tradedate: BeijingDate;
      symbol: string;
      /** `null` when the caller named no exchange; `BJ` is never carried. */
      market: AskedMarket | null;
      /** The exchange that does hold the code that day, for "did you mean". */
      carriedOn: Market | null;
    }
  /** Delivered, but without a single row of the dataset that day. */
  | {
      reason: "no_orders";
      dataset?: DatasetName;
      tradedate: BeijingDate;
      symbol: string;
      market: Market;
    };

/** Characters of a caller's value that a message repeats. */
const EXCERPT_CHARACTERS = 40;

/**
 * A short printable form of a caller's value for a message: text and numbers cut at 40 characters,
 * nothing of arrays and objects (they may be nested deeper than the stack), control and direction
 * characters replaced, and anything that looks like one of our keys masked.
 */
export function excerptOf(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return "";
  const text = String(value)
    .slice(0, 4 * EXCERPT_CHARACTERS)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "\u00b7")
    .replaceAll(/(eta?_)[0-9A-Za-z]+/g, "$1\u2026");
  const characters = [...text];
  return characters.length <= EXCERPT_CHARACTERS
    ? text
    : `${characters.slice(0, EXCERPT_CHARACTERS).join("")}\u2026`;
}

/** A `param_invalid` denial of `parameter`, quoting `value` where it can be quoted. */
export function invalid(
  parameter: ParamInvalid["parameter"],
  problem: ParamProblem,
  value?: unknown,
): ParamInvalid {
  return { reason: "param_invalid", parameter, problem, given: excerptOf(value) };
}
