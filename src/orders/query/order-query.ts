/** `params` and `fields` of a request for the ticks of a dataset as one checked value (contract 3). */
import { ok, type Result, refused } from "../../base/result.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import { type AskedColumn, parseFields } from "./fields.ts";
import { EXCLUDED_WITH_PARQUET, type ORDER_FORMATS, orderParameters } from "./order-parameters.ts";
import { givenParameters, type ParameterOptions, readParameters } from "./parameters.ts";
import {
  invalid,
  ORDER_PARAMETERS,
  type OrderParameter,
  type ParamInvalid,
  type QueryDenial,
} from "./query-denial.ts";
import type { AskedSecurity } from "./symbol.ts";
import { type TimeWindow, timeWindowOf } from "./time-window.ts";

/** Rows of a page: the default and the maximum (contract 3.8). */
const MAX_PAGE_SIZE = 10_000;

export type OrderFormat = (typeof ORDER_FORMATS)[number];

/** A checked query. `start` and `end` are always set: without parameters, the whole day. */
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

/**
 * Reads the parameters of a query for `dataset`. `null`, `""` and blanks are the same as leaving a parameter out.
 * Refuses unknown names first, so that a misspelt `symbl` is told of, not a missing `symbol`.
 */
export function parseOrderQuery(
  request: { params: Readonly<Record<string, unknown>>; fields?: unknown },
  options: ParameterOptions,
  dataset: DatasetName = "orders",
): Result<OrderQuery, QueryDenial> {
  const parameters = givenParameters(request.params, ORDER_PARAMETERS, options);
  if (!parameters.ok) return parameters;
  const { given, unknown } = parameters.value;
  const read = <N extends OrderParameter>(...names: N[]) => readParameters(orderParameters(), names, given);

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
 * Whether the caller wants a file, judged leniently from a body that may not be valid otherwise: it decides
 * the HTTP status of errors, so that a script never saves an error as a file (contract 1.4).
 */
export function wantsParquet(body: unknown): boolean {
  if (typeof body !== "object" || body === null || !("params" in body)) return false;
  const { params } = body;
  if (typeof params !== "object" || params === null || !("format" in params)) return false;
  return typeof params.format === "string" && params.format.trim().toLowerCase() === "parquet";
}

/** Rows per page: `page_size`, or `limit` as another name of it; both and different is refused. */
function pageSizeOf({ page_size, limit }: Sizes): Result<number, ParamInvalid> {
  if (page_size && limit && page_size !== limit) {
    return refused({ ...invalid("page_size", "differs_from_limit", page_size), accepted: String(limit) });
  }
  return ok(Math.min(page_size ?? limit ?? MAX_PAGE_SIZE, MAX_PAGE_SIZE));
}

/** At least 1; `null` or `undefined` when left out. */
interface Sizes {
  page_size?: number | null | undefined;
  limit?: number | null | undefined;
}
