/** `params` and `fields` of an order-history request as one checked value (spec 4.3, decisions 3). */
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import {
  excerptOf,
  invalid,
  type NameHint,
  ORDER_PARAMETERS,
  type OrderParameter,
  type ParamInvalid,
  type QueryDenial,
} from "./denial.ts";
import { type AskedColumn, parseFields } from "./fields.ts";
import { nearestName } from "./nearest-name.ts";
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

export interface QueryOptions {
  /** `warn` lets unknown parameters pass and lists them in the query. */
  unknownParameters: "refuse" | "warn";
}

/** Parameters that make no sense with a whole file (spec 4.3). */
const EXCLUDED_WITH_PARQUET: readonly OrderParameter[] = [
  "cursor",
  "page_size",
  "limit",
  "start_time",
  "end_time",
];

/** Members of the envelope that callers put into `params` by mistake. */
const ENVELOPE_MEMBERS: readonly string[] = ["apiname", "apikey", "fields", "params"];

/**
 * Reads the parameters of an order query. `null`, `""` and blanks are the same as leaving a parameter out.
 * Refuses unknown names first, so that a misspelt `symbl` is told of, not a missing `symbol`.
 */
export function parseOrderQuery(
  request: { params: Readonly<Record<string, unknown>>; fields?: unknown },
  { unknownParameters }: QueryOptions,
): OrderQuery | QueryDenial {
  const given = new Map(Object.entries(request.params).filter(([, value]) => !isBlank(value)));
  const unknown = [...given.keys()].filter((name) => !isOrderParameter(name));
  if (unknown[0] !== undefined && unknownParameters === "refuse") return unknownParameter(unknown[0]);

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

  const unknownNames = unknown.map(excerptOf);
  return {
    ...security,
    ...window,
    tradedate,
    format,
    pageSize,
    cursor,
    columns,
    unknownParameters: unknownNames,
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

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

function isOrderParameter(name: string): boolean {
  return ORDER_PARAMETERS.some((known) => known === name);
}

function unknownParameter(name: string): QueryDenial {
  return {
    reason: "param_unknown",
    parameter: excerptOf(name),
    hint: hintFor(name),
    known: ORDER_PARAMETERS,
  };
}

function hintFor(name: string): NameHint | null {
  if (ENVELOPE_MEMBERS.includes(name)) return { kind: "envelope", name };
  const nearest = nearestName(name, ORDER_PARAMETERS);
  return nearest === null ? null : { kind: "nearest", name: nearest };
}

function parseTradedate(value: unknown): BeijingDate | null | ParamInvalid {
  if (value === undefined) return null;
  if (typeof value !== "string") return invalid("tradedate", "not_string", value);
  return parseBeijingDate(value) ?? invalid("tradedate", "not_a_date", value);
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
