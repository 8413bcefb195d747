/** Fields shared by admin bodies. */
import * as z from "zod";
import { parseBeijingDate } from "../calendar/beijing.ts";
import { isStorable, parseInstant, STORABLE_INSTANTS } from "../calendar/instant.ts";
import { DATASET_NAMES } from "../datasets/registry.ts";

/** Returns the schema of a text that `parse` converts. `parse` returns null for a text that is not as `expected`. */
export function textOf<Value>(parse: (text: string) => Value | null, expected: string) {
  return z.string().transform((text, context): Value => {
    const value = parse(text);
    if (value !== null) return value;
    context.addIssue({ code: "custom", message: `expected ${expected}` });
    return z.NEVER;
  });
}

/** A real calendar day as `YYYYMMDD`. */
export const beijingDateSchema = textOf(parseBeijingDate, "a real calendar day as YYYYMMDD");

/** The name of a dataset. */
export const datasetSchema = z.enum(DATASET_NAMES, `expected ${DATASET_NAMES.join(" or ")}`);

/** SHA-256 as 64 hex digits; upper case is accepted and converted. */
export const sha256Schema = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, "expected SHA-256 as 64 hex digits")
  .transform((hex) => hex.toLowerCase());

/** An instant in the years 2000 to 9999: Unix milliseconds or RFC 3339 with an offset. Parsed to milliseconds. */
export const instantSchema = z
  .union([z.int(), z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))])
  .refine(isStorable, `expected ${STORABLE_INSTANTS}`);

/** An instant in a URL's query: a day (its start in Beijing) or RFC 3339. Parsed to Unix milliseconds. */
export const instantTextSchema = textOf(parseInstant, "a day (YYYYMMDD) or RFC 3339 with an offset");

/** A count, 0 or more. */
export const countSchema = z.int().min(0);

/** Returns the schema of a text that matches `form`. */
function formed(form: RegExp, expected: string) {
  return z.string(`expected ${expected}`).regex(form, `expected ${expected}`);
}

/** A month as `YYYYMM`. */
export const monthSchema = formed(/^\d{4}(0[1-9]|1[0-2])$/, "YYYYMM");

/** A year as four digits in a URL. */
export const yearSchema = formed(/^\d{4}$/, "YYYY").transform(Number);

/** A version of the pack builder. */
export const builderVersionSchema = formed(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, "three numbers such as 0.2.0");
