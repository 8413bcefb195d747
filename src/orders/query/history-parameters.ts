/** The parameters of a history query (contract 3), each with one schema that parses and documents it. */
import * as z from "zod";
import { lazily, optional, type Parameter, type Problem, tradedateParameter } from "./parameters.ts";
import type { HistoryParameter } from "./query-denial.ts";
import { symbolParameter } from "./symbol.ts";
import { timeOfDayParameter } from "./time-window.ts";

export const HISTORY_FORMATS = ["json", "parquet"] as const;

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

/** Returns whether the value is a text of zeros or an integer below 1. A text with a sign has a wrong form instead. */
const isBelowOne = (value: unknown) =>
  typeof value === "string" ? /^0+$/.test(value) : Number.isInteger(value) && Number(value) < 1;
