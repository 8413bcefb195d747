/** Fields shared by admin bodies. */
import * as z from "zod";
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import { isStorable, parseInstant, STORABLE_INSTANTS } from "../calendar/instant.ts";
import { DATASET_NAMES } from "../datasets/registry.ts";

/** A real calendar day as `YYYYMMDD`. */
export const beijingDateSchema = z.string().transform((text, context): BeijingDate => {
  const date = parseBeijingDate(text);
  if (date === null) {
    context.addIssue({ code: "custom", message: "expected a real calendar day as YYYYMMDD" });
    return z.NEVER;
  }
  return date;
});

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
export const instantTextSchema = z.string().transform((text, context): number => {
  const instant = parseInstant(text);
  if (instant !== null) return instant;
  context.addIssue({ code: "custom", message: "expected a day (YYYYMMDD) or RFC 3339 with an offset" });
  return z.NEVER;
});

/** A count, 0 or more. */
export const countSchema = z.int().min(0);

/** A month as `YYYYMM`. */
export const monthSchema = z.string("expected YYYYMM").regex(/^\d{4}(0[1-9]|1[0-2])$/, "expected YYYYMM");

/** A year as four digits in a URL. */
export const yearSchema = z
  .string("expected YYYY")
  .regex(/^\d{4}$/, "expected YYYY")
  .transform(Number);

/** A version of the pack builder. */
export const builderVersionSchema = z
  .string("expected three numbers such as 0.2.0")
  .regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, "expected three numbers such as 0.2.0");
