/** The parameters of a history request, and its `params` and `fields` as one validated value (contract 3). */
import * as z from "zod";
import { ok, type Result, refused } from "../../base/result.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import { type AskedColumn, parseFields } from "./fields.ts";
import {
  givenParameters,
  lazily,
  type OnUnknown,
  optional,
  type Parameter,
  type Problem,
  readParameters,
  tradedateParameter,
} from "./parameters.ts";
import { HISTORY_PARAMETERS, type HistoryParameter, invalid, type QueryDenial } from "./query-denial.ts";
import { type AskedSecurity, symbolParameter } from "./symbol.ts";
import { type TimeWindow, timeOfDayParameter, timeWindowOf } from "./time-window.ts";

const HISTORY_FORMATS = ["json", "parquet"] as const;

/** Parameters that are refused when a whole file is requested (contract 3.9). */
export const EXCLUDED_WITH_PARQUET = [
  "cursor",
  "page_size",
  "limit",
  "start_time",
  "end_time",
] as const satisfies readonly HistoryParameter[];

/** The parameters by name. The descriptions state what a schema cannot express (start before end). */
export const historyParameters = lazily(
  () =>
    ({
      symbol: symbolParameter(),
      tradedate: optional(tradedateParameter(), {
        description:
          "The day in Beijing, YYYYMMDD, a real date. When omitted, the cursor's day, or without a cursor the newest trading day of the calendar, loaded or not.",
      }),
      format: optional(
        { schema: z.enum(HISTORY_FORMATS), problemOf: (): Problem => ["format_form"] },
        { description: "json is the default; parquet returns the security's whole day as one file." },
      ),
      start_time: optional(timeOfDayParameter(), {
        description: "Inclusive. HH:MM, HH:MM:SS, HHMMSS or HHMMSSmmm, Beijing time; before end_time.",
      }),
      end_time: optional(timeOfDayParameter(), {
        description: "Exclusive; accepts the same forms as start_time.",
      }),
      page_size: optional(rowsParameter(), {
        description: "Rows per page, 10000 by default; a larger value counts as 10000.",
      }),
      limit: optional(rowsParameter(), {
        description: "Another name for page_size. Two different values are refused.",
      }),
      // A cursor that is not a string is always `cursor_invalid`.
      cursor: optional(
        { schema: z.string(), problemOf: (): Problem => ["not_string"] },
        { description: "next_cursor of the previous page, unchanged. Omit it for the first page." },
      ),
    }) satisfies Record<HistoryParameter, Parameter>,
);

/**
 * Returns a parameter that is a JSON integer or decimal string of at least 1. Values above the maximum count as the
 * maximum.
 */
function rowsParameter() {
  const digits = z.string().regex(/^0*[1-9]\d*$/);
  const schema = z.union([
    // The schema is not `z.int`, because that refuses values above 2^53.
    z
      .number()
      .refine(Number.isInteger)
      .min(1)
      .meta({ type: "integer", examples: [10_000] })
      .transform((size) => Math.min(size, Number.MAX_SAFE_INTEGER)),
    digits.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)),
  ]);
  return {
    schema,
    problemOf: (value: unknown): Problem => [isBelowOne(value) ? "below_one" : "not_integer"],
  };
}

/** Returns whether the value is a text of zeros or an integer below 1. A text with a sign is `not_integer` instead. */
const isBelowOne = (value: unknown) =>
  typeof value === "string" ? /^0+$/.test(value) : Number.isInteger(value) && Number(value) < 1;

/** The default and maximum number of rows per page (contract 3.8). */
const MAX_PAGE_SIZE = 10_000;

/** A validated query. `start` and `end` are always set; without parameters they span the whole day. */
export interface HistoryQuery extends AskedSecurity, TimeWindow {
  /** `null` when omitted. The day is then the cursor's or, without a cursor, the newest trading day of the calendar. */
  tradedate: BeijingDate | null;
  format: (typeof HISTORY_FORMATS)[number];
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
  onUnknown: OnUnknown,
  dataset: DatasetName,
): Result<HistoryQuery, QueryDenial> {
  const parameters = givenParameters(request.params, HISTORY_PARAMETERS, onUnknown);
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
  const { page_size, limit } = sizes.value;
  if (page_size && limit && page_size !== limit) {
    return refused({ ...invalid("page_size", "differs_from_limit", page_size), accepted: String(limit) });
  }
  const place = read("cursor");
  if (!place.ok) return refused({ reason: "cursor_invalid" });
  const columns = parseFields(request.fields, dataset);
  if (!columns.ok) return columns;

  return ok({
    ...security,
    ...window.value,
    tradedate: tradedate ?? null,
    format: format ?? "json",
    pageSize: Math.min(page_size ?? limit ?? MAX_PAGE_SIZE, MAX_PAGE_SIZE),
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
