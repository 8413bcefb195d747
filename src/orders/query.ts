/** `params` and `fields` of an order-history request as one checked value (spec 4.3, decisions 3). */
import type { BeijingDate } from "../calendar/beijing.ts";
import {
  invalid,
  ORDER_PARAMETERS,
  type OrderParameter,
  type ParamInvalid,
  type QueryDenial,
} from "./denial.ts";
import { type AskedColumn, parseFields } from "./fields.ts";
import { givenParameters, type ParameterOptions, parseTradedate } from "./parameters.ts";
import { type AskedSecurity, parseSymbol } from "./symbol.ts";
import { parseTimeWindow, type TimeWindow } from "./time-window.ts";

/** Rows of a page: the default, and the most that is served (spec 8). */
export const MAX_PAGE_SIZE = 10_000;

export type OrderFormat = "json" | "parquet";

/** A checked order query. `start` and `end` are always set: without parameters, the whole day. */
export interface OrderQuery extends AskedSecurity, TimeWindow {
  /** `null` when left out: the cursor's date, or the newest trading day of the calendar. */
  tradedate: BeijingDate | null;
  format: OrderFormat;
  pageSize: number;
  /** The cursor's text, not yet read; `null` on the first page. */
  cursor: string | null;
  columns: AskedColumn[];
  /** Unknown parameters that the deployment lets pass; empty when it refuses them. */
  unknownParameters: string[];
}

/** Parameters that make no sense with a whole file (spec 4.3). */
const EXCLUDED_WITH_PARQUET: readonly OrderParameter[] = [
  "cursor",
  "page_size",
  "limit",
  "start_time",
  "end_time",
];

/**
 * Reads the parameters of an order query. `null`, `""` and blanks are the same as leaving a parameter out.
 * Refuses unknown names first, so that a misspelt `symbl` is told of, not a missing `symbol`.
 */
export function parseOrderQuery(
  request: { params: Readonly<Record<string, unknown>>; fields?: unknown },
  options: ParameterOptions,
): OrderQuery | QueryDenial {
  const parameters = givenParameters(request.params, ORDER_PARAMETERS, options);
  if ("reason" in parameters) return parameters;
  const { given, unknown } = parameters;

  const security = given.has("symbol") ? parseSymbol(given.get("symbol")) : invalid("symbol", "missing");
  if ("reason" in security) return security;
  const tradedate = parseTradedate(given.get("tradedate"));
  if (tradedate !== null && typeof tradedate === "object") return tradedate;
  const format = given.get("format") ?? "json";
  if (format !== "json" && format !== "parquet") return invalid("format", "format_form", format);
  if (format === "parquet") {
    const excluded = EXCLUDED_WITH_PARQUET.filter((name) => given.has(name));
    if (excluded.length > 0) return { reason: "param_excluded", parameters: excluded };
  }
  const window = parseTimeWindow(given.get("start_time"), given.get("end_time"));
  if ("reason" in window) return window;
  const pageSize = parsePageSize(given.get("page_size"), given.get("limit"));
  if (typeof pageSize !== "number") return pageSize;
  const cursor = given.get("cursor") ?? null;
  if (cursor !== null && typeof cursor !== "string") return { reason: "cursor_invalid" };
  const columns = parseFields(request.fields);
  if ("reason" in columns) return columns;

  return {
    ...security,
    ...window,
    tradedate,
    format,
    pageSize,
    cursor,
    columns,
    unknownParameters: unknown,
  };
}

/**
 * Whether the caller wants a file, judged leniently from a body that may not be valid otherwise: it decides
 * the HTTP status of errors, so that a script never saves an error as a file (decisions 1).
 */
export function wantsParquet(body: unknown): boolean {
  if (typeof body !== "object" || body === null || !("params" in body)) return false;
  const { params } = body;
  if (typeof params !== "object" || params === null || !("format" in params)) return false;
  return typeof params.format === "string" && params.format.trim().toLowerCase() === "parquet";
}

/** Rows per page: `page_size`, or `limit` as another name of it; both and different is refused. */
function parsePageSize(pageSize: unknown, limit: unknown): number | ParamInvalid {
  const asked = parseCount("page_size", pageSize);
  if (typeof asked === "object" && asked !== null) return asked;
  const alias = parseCount("limit", limit);
  if (typeof alias === "object" && alias !== null) return alias;
  if (asked !== null && alias !== null && asked !== alias) {
    return invalid("page_size", "differs_from_limit", `${asked}, limit ${alias}`);
  }
  return Math.min(asked ?? alias ?? MAX_PAGE_SIZE, MAX_PAGE_SIZE);
}

/** A JSON integer or a string of decimal digits, at least 1; `null` when left out. */
function parseCount(parameter: "page_size" | "limit", value: unknown): number | null | ParamInvalid {
  if (value === undefined) return null;
  // Digits in a string may be as many as they like: whatever is above the cap is served as the cap.
  const count =
    typeof value === "string" && /^\d+$/.test(value) ? Math.min(Number(value), 2 ** 53 - 1) : value;
  if (typeof count !== "number" || !Number.isSafeInteger(count)) {
    return invalid(parameter, "not_integer", value);
  }
  return count < 1 ? invalid(parameter, "below_one", value) : count;
}
