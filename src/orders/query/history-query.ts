/** Parses `params` and `fields` of a history request into one validated value (contract 3). */
import { ok, type Result, refused } from "../../base/result.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import { type AskedColumn, parseFields } from "./fields.ts";
import { EXCLUDED_WITH_PARQUET, type HISTORY_FORMATS, historyParameters } from "./history-parameters.ts";
import { givenParameters, type ParameterOptions, readParameters } from "./parameters.ts";
import {
  HISTORY_PARAMETERS,
  type HistoryParameter,
  invalid,
  type ParamInvalid,
  type QueryDenial,
} from "./query-denial.ts";
import type { AskedSecurity } from "./symbol.ts";
import { type TimeWindow, timeWindowOf } from "./time-window.ts";

/** The default and maximum number of rows per page (contract 3.8). */
const MAX_PAGE_SIZE = 10_000;

export type HistoryFormat = (typeof HISTORY_FORMATS)[number];

/** A validated query. `start` and `end` are always set; without parameters they span the whole day. */
export interface HistoryQuery extends AskedSecurity, TimeWindow {
  /** `null` when omitted, which means the cursor's date, or without a cursor the newest trading day of the calendar. */
  tradedate: BeijingDate | null;
  format: HistoryFormat;
  pageSize: number;
  /** The unparsed cursor; `null` on the first page. */
  cursor: string | null;
  columns: AskedColumn[];
  /** Unknown parameters that the deployment accepted; empty when it refuses them. */
  unknownParameters: string[];
}

/**
 * Parses the parameters of a query of `dataset`. `null`, `""` and blanks mean that a parameter is absent. Refuses
 * unknown names first, so that a misspelt `symbl` is reported instead of a missing `symbol`.
 */
export function parseHistoryQuery(
  request: { params: Readonly<Record<string, unknown>>; fields?: unknown },
  options: ParameterOptions,
  dataset: DatasetName,
): Result<HistoryQuery, QueryDenial> {
  const parameters = givenParameters(request.params, HISTORY_PARAMETERS, options);
  if (!parameters.ok) return parameters;
  const { given, unknown } = parameters.value;
  const read = <N extends HistoryParameter>(...names: N[]) =>
    readParameters(historyParameters(), names, given);

  const asked = read("symbol", "tradedate", "format");
  if (!asked.ok) return asked;
  const { symbol: security, tradedate, format } = asked.value;
  const excluded = EXCLUDED_WITH_PARQUET.filter((name) => given.has(name));
  if (format === "parquet" && excluded.length > 0) {
    return refused({ reason: "param_excluded", parameters: excluded });
  }
  const times = read("start_time", "end_time");
  if (!times.ok) return times;
  const window = timeWindowOf(times.value, given);
  if (!window.ok) return window;
  const sizes = read("page_size", "limit");
  if (!sizes.ok) return sizes;
  const pageSize = pageSizeOf(sizes.value);
  if (!pageSize.ok) return pageSize;
  const place = read("cursor");
  if (!place.ok) return refused({ reason: "cursor_invalid" });
  const columns = parseFields(request.fields, dataset);
  if (!columns.ok) return columns;

  return ok({
    ...security,
    ...window.value,
    tradedate: tradedate ?? null,
    format: format ?? "json",
    pageSize: pageSize.value,
    cursor: place.value.cursor ?? null,
    columns: columns.value,
    unknownParameters: unknown,
  });
}

/**
 * Returns whether the body requests a Parquet file, even if it is invalid otherwise. This determines the HTTP status of
 * errors, so that a script never saves an error as a file (contract 1.4).
 */
export function wantsParquet(body: unknown): boolean {
  if (typeof body !== "object" || body === null || !("params" in body)) return false;
  const { params } = body;
  if (typeof params !== "object" || params === null || !("format" in params)) return false;
  return typeof params.format === "string" && params.format.trim().toLowerCase() === "parquet";
}

/** Returns the rows per page from `page_size` or its alias `limit`. Refuses two different values. */
function pageSizeOf({ page_size, limit }: Sizes): Result<number, ParamInvalid> {
  if (page_size && limit && page_size !== limit) {
    return refused({ ...invalid("page_size", "differs_from_limit", page_size), accepted: String(limit) });
  }
  return ok(Math.min(page_size ?? limit ?? MAX_PAGE_SIZE, MAX_PAGE_SIZE));
}

/** The given numbers of rows per page, each at least 1; `null` or `undefined` when absent. */
interface Sizes {
  page_size?: number | null | undefined;
  limit?: number | null | undefined;
}
