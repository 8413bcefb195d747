/** The `start_time` and `end_time` parameters: a window of the day, start inclusive, end exclusive. */
import * as z from "zod";
import { ok, type Result, refused } from "../../base/result.ts";
import type { Problem } from "./parameters.ts";
import { excerptOf, invalid, type ParamInvalid } from "./query-denial.ts";

/** A time of day in Beijing as the number HHMMSSmmm: 93000010 is 09:30:00.010. */
export type TimeOfDay = number;

/** A window from `start` (inclusive) to `end` (exclusive). */
export interface TimeWindow {
  start: TimeOfDay;
  end: TimeOfDay;
}

/** The default bounds of the window. `END_OF_DAY` is not a time of day, only a bound. */
const START_OF_DAY: TimeOfDay = 0;
const END_OF_DAY: TimeOfDay = 240_000_000;

const HOUR = String.raw`([01]\d|2[0-3])`;
const SIXTY = String.raw`([0-5]\d)`;

/** Matches a time of day as HH:MM, HH:MM:SS, HHMMSS or HHMMSSmmm (contract 3.7), from 00:00 to 23:59:59.999. */
const FORM = new RegExp(`^(${HOUR}:${SIXTY}(:${SIXTY})?|${HOUR}${SIXTY}${SIXTY}(\\d{3})?)$`);

/** The forms of `FORM` with any digits, so that times such as 25:00 match too. */
const ANY_DIGITS = /^(\d\d:\d\d(:\d\d)?|\d{6}(\d{3})?)$/;

/** Returns `text` as a time of day, or `null` if it has none of the accepted forms (`FORM`). */
export function parseTimeOfDay(text: string): TimeOfDay | null {
  return FORM.test(text) ? Number(text.replaceAll(":", "").padEnd(9, "0")) : null;
}

/**
 * Returns the parameter of a time of day. A short form means the first millisecond of its minute or second. The latest
 * time is 23:59:59.999. A window that lasts to the end of the day has no `end_time`.
 *
 * @example timeOfDayParameter().schema.parse("09:30") // 93000000
 */
export function timeOfDayParameter() {
  const schema = z
    .string()
    .regex(FORM)
    .meta({ examples: ["09:30", "093000500"] })
    .transform((text): TimeOfDay => parseTimeOfDay(text) ?? 0);
  return { schema, problemOf };
}

function problemOf(value: unknown): Problem {
  if (typeof value !== "string") return ["not_string", timeMeant(value)];
  if (/^\d{8}$/.test(value)) return ["time_eight_digits", timeMeant(value)];
  if (/^\d\d:\d\d:\d\d\.\d{1,3}$/.test(value)) {
    return ["time_fraction", value.replaceAll(/[:.]/g, "").padEnd(9, "0")];
  }
  return ANY_DIGITS.test(value) ? ["time_out_of_day"] : ["time_form", timeMeant(value)];
}

/** Returns the accepted form of a time without leading zero, colons or quotes: `09:30` for `9:30`, `0930` or 930. */
function timeMeant(input: unknown): string | undefined {
  if (typeof input !== "string" && typeof input !== "number") return undefined;
  const text = String(input);
  const [, hour = "", rest = ""] = /^(\d{1,2})[:：](\d\d(?:[:：]\d\d)?)$/.exec(text) ?? [];
  const digits = /^\d{3,9}$/.test(text) ? text : "";
  const meant =
    hour !== ""
      ? `${hour.padStart(2, "0")}:${rest.replaceAll("：", ":")}`
      : digits.length <= 4
        ? digits.padStart(4, "0").replace(/^(\d\d)/, "$1:")
        : digits.padStart(digits.length <= 6 ? 6 : 9, "0");
  return parseTimeOfDay(meant) === null ? undefined : meant;
}

interface Bounds {
  start_time?: TimeOfDay | null | undefined;
  end_time?: TimeOfDay | null | undefined;
}

/**
 * Returns the window between two bounds. The start or end of the day replaces an absent bound. Refuses an empty window
 * (start ≥ end), quoting the `given` texts. The refusal names `end_time` when no start was given, else `start_time`.
 */
export function timeWindowOf(
  { start_time, end_time }: Bounds,
  given: ReadonlyMap<string, unknown>,
): Result<TimeWindow, ParamInvalid> {
  const [start, end] = [start_time ?? START_OF_DAY, end_time ?? END_OF_DAY];
  if (start < end) return ok({ start, end });
  if (start_time === undefined || start_time === null) {
    return refused(invalid("end_time", "empty_window", given.get("end_time")));
  }
  const accepted = excerptOf(given.get("end_time"));
  return refused({ ...invalid("start_time", "empty_window", given.get("start_time")), accepted });
}

/** Formats `time` as nine digits. */
export function formatTimeOfDay(time: TimeOfDay): string {
  return String(time).padStart(9, "0");
}

/** Formats a window as `HHMMSSmmm-HHMMSSmmm` with an exclusive end, the value of `X-Window`. */
export function formatWindow({ start, end }: TimeWindow): string {
  return `${formatTimeOfDay(start)}-${formatTimeOfDay(end)}`;
}
