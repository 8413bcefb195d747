/**
 * The reasons for which a query is refused. Messages, codes and HTTP statuses are in `http/`. A stored denial without
 * `dataset` is about orders.
 */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import type { Market } from "../record.ts";

/** Parameters of history in the order of contract 3; `limit` is an alias of `page_size`. */
export const HISTORY_PARAMETERS = [
  "symbol",
  "tradedate",
  "format",
  "start_time",
  "end_time",
  "page_size",
  "limit",
  "cursor",
] as const;

export type HistoryParameter = (typeof HISTORY_PARAMETERS)[number];

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

/** A parameter with an invalid value. `given` is a short printable excerpt of the value, or `""`. */
export interface ParamInvalid {
  reason: "param_invalid";
  parameter: string;
  problem: ParamProblem;
  given: string;
  /**
   * What is accepted (`2017-2026`, `auction_tick, level2`), what was probably meant (`09:30` for 9:30), or the value of
   * the other parameter (`end_time` or `limit`). Absent when the problem says enough.
   */
  accepted?: string;
}

/** What the caller probably meant: a parameter with a similar name, or a member of the envelope. */
export type NameHint =
  | { kind: "nearest"; name: string }
  | { kind: "envelope"; name: string }
  /** Paging by numbers, which is not supported: a page is requested with the cursor of the previous one. */
  | { kind: "paging" };

export type QueryDenial =
  | ParamInvalid
  | { reason: "param_unknown"; parameter: string; hint: NameHint | null; known: readonly string[] }
  | { reason: "param_excluded"; parameters: readonly HistoryParameter[] }
  /** `separated` lists the names with commas. It is set when `field` has several names and another separator. */
  | {
      reason: "field_unknown";
      dataset?: DatasetName;
      field: string;
      nearest: string | null;
      separated?: string;
    }
  | CursorDenial;

export type CursorDenial =
  /** The cursor has one of two old formats: the format with order numbers, or the format without a pack mark. */
  | { reason: "cursor_old_format" }
  /** `offset`: an undated cursor skips more rows than its millisecond has. */
  | { reason: "cursor_invalid"; problem?: "offset" }
  | {
      reason: "cursor_mismatch";
      /** `apiname`: the cursor belongs to another interface. */
      parameter: "apiname" | "symbol" | "tradedate" | "start_time" | "end_time";
    }
  /** The day has a different revision or pack from the one on which paging began. */
  | { reason: "data_rebuilt"; tradedate: BeijingDate };

/**
 * The exchange that a caller asked for. The Beijing exchange is recognised, but the service has none of its data
 * (contract 3.4).
 */
export type AskedMarket = Market | "BJ";

/** The day of a dataset. `dataset` is absent from refusals that an earlier version stored for `explain`. */
interface DatasetDay {
  dataset?: DatasetName;
  tradedate: BeijingDate;
}

/**
 * Why a dataset's day, or a security on it, cannot be served: code 1002, except `day_damaged`, which is 503.
 * `newestLoaded` and `earliestLoaded` are days of the same dataset.
 */
export type DayDenial =
  /**
   * The day is a trading day or is missing from the calendar. `recent`: the day is one of the last days and can still
   * be loaded.
   */
  | (DatasetDay & { reason: "not_loaded"; recent: boolean; newestLoaded: BeijingDate | null })
  | (DatasetDay & { reason: "not_trading_day"; newestLoaded: BeijingDate | null })
  | (DatasetDay & { reason: "future_day"; today: BeijingDate; newestLoaded: BeijingDate | null })
  | (DatasetDay & { reason: "before_history"; earliestLoaded: BeijingDate })
  | (DatasetDay & { reason: "withdrawn" })
  | (DatasetDay & { reason: "day_damaged" })
  | {
      reason: "security_unknown";
      tradedate: BeijingDate;
      symbol: string;
      /** `null` when the caller named no exchange; `BJ` is never carried. */
      market: AskedMarket | null;
      /** The exchange that has the code that day, for the suggestion "did you mean". */
      carriedOn: Market | null;
    }
  /** The security was delivered, but has no row in the dataset that day. */
  | (DatasetDay & { reason: "no_orders"; symbol: string; market: Market });

/** The maximum number of characters of a caller's value that a message quotes. */
const EXCERPT_CHARACTERS = 40;

/**
 * Returns a short printable excerpt of a caller's value for a message. Text and numbers are cut at 40 characters,
 * control and direction characters are replaced, and anything that looks like a key is masked. Returns `""` for arrays
 * and objects, which can be nested deeply.
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

/** Returns a `param_invalid` denial of `parameter` that quotes `value` if possible. */
export function invalid(
  parameter: ParamInvalid["parameter"],
  problem: ParamProblem,
  value?: unknown,
): ParamInvalid {
  return { reason: "param_invalid", parameter, problem, given: excerptOf(value) };
}
