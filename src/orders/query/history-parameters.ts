/** The parameters of a history query (contract 3), each with one schema that parses and documents it. */
import * as z from "zod";
import { lazily, says, tradedateSchema } from "./parameters.ts";
import type { HistoryParameter } from "./query-denial.ts";
import { symbolSchema } from "./symbol.ts";
import { timeOfDaySchema } from "./time-window.ts";

export const HISTORY_FORMATS = ["json", "parquet"] as const;

/** Parameters that are refused with a whole file (contract 3.9). */
export const EXCLUDED_WITH_PARQUET = [
  "cursor",
  "page_size",
  "limit",
  "start_time",
  "end_time",
] as const satisfies readonly HistoryParameter[];

/** Schemas by name. What a schema cannot express (start before end) is in the message. */
export const historyParameters = lazily(
  () =>
    ({
      symbol: symbolSchema().meta({
        description:
          "One security: six digits, with a suffix (.SH .SS .SSE .XSHG, .SZ .SZSE .XSHE) or a prefix (sh, sz), in any case. Bare digits are looked up in the day. The Beijing exchange (.BJ) is understood but not carried.",
      }),
      tradedate: tradedateSchema().nullish().meta({
        description:
          "The day in Beijing, YYYYMMDD, a real date. Left out: the newest trading day of the calendar, loaded or not; with a cursor, the cursor's day.",
      }),
      format: z
        .enum(HISTORY_FORMATS, says("format_form"))
        .nullish()
        .meta({ description: "json is the default; parquet is the whole day of the security as one file." }),
      start_time: timeOfDaySchema().nullish().meta({
        description: "Inclusive. HH:MM, HH:MM:SS, HHMMSS or HHMMSSmmm, Beijing time; before end_time.",
      }),
      end_time: timeOfDaySchema().nullish().meta({ description: "Exclusive; the forms of start_time." }),
      page_size: rowsSchema().nullish().meta({
        description: "Rows of a page; 10000 by default, a larger value is served as 10000.",
      }),
      limit: rowsSchema()
        .nullish()
        .meta({ description: "Another name of page_size; both and different is refused." }),
      cursor: z
        .string()
        .nullish()
        .meta({ description: "next_cursor of the page before, unchanged. Left out on the first page." }),
    }) satisfies Record<HistoryParameter, z.ZodType>,
);

/**
 * Returns the schema of a JSON integer or decimal string of at least 1; larger values than the maximum are served as
 * the maximum.
 */
function rowsSchema() {
  const digits = z.string().regex(/^0*[1-9]\d*$/);
  return z.union(
    [
      // Not `z.int`, which refuses values above 2^53.
      z
        .number(says("not_integer"))
        .refine(Number.isInteger, says("not_integer"))
        .min(1, says("below_one"))
        .meta({ type: "integer", examples: [10_000] })
        .transform((size) => Math.min(size, Number.MAX_SAFE_INTEGER)),
      digits.transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER)),
    ],
    { error: ({ input }) => says(isBelowOne(input) ? "below_one" : "not_integer") },
  );
}

/** Returns whether the input is zero as text or an integer below 1; a text with a sign has no valid form. */
const isBelowOne = (input: unknown) =>
  typeof input === "string" ? /^0+$/.test(input) : Number.isInteger(input) && Number(input) < 1;
