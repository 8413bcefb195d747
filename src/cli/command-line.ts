/** Parses the values of arguments and options, and formats output. */
import { InvalidArgumentError } from "commander";
import { addDays, type BeijingDate, beijingDate, parseBeijingDate, startOfDay } from "../calendar/beijing.ts";
import { isStorable, parseInstant, STORABLE_INSTANTS } from "../calendar/instant.ts";

/** Returns rows as aligned columns with headings, or `none` if it is given and there are no rows. */
export function table(headings: string[], rows: string[][], none?: string): string[] {
  if (rows.length === 0 && none !== undefined) return [none];
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  return [headings, ...rows].map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  "),
  );
}

/** Names of days, with their distance from today in days. */
const NAMED_DAYS = new Map(Object.entries({ yesterday: -1, today: 0, tomorrow: 1 }));

/** Parses a day as `YYYYMMDD`. */
export function dateArgument(text: string): BeijingDate {
  const date = parseBeijingDate(text);
  if (date === null) throw new InvalidArgumentError("expected a real calendar day as YYYYMMDD.");
  return date;
}

/** Returns a parser that accepts texts that match `form`. `expected` describes them in the error message. */
function textArgument(form: RegExp, expected: string): (text: string) => string {
  return (text) => {
    if (!form.test(text)) throw new InvalidArgumentError(`expected ${expected}.`);
    return text;
  };
}

/** Returns a parser for numbers whose text matches `form`. `expected` describes them in the error message. */
export function numberArgument(form: RegExp, expected: string): (text: string) => number {
  const parse = textArgument(form, expected);
  return (text) => Number(parse(text));
}

/** Returns a parser for whole numbers from 1 to `most`. `expected` names them in the error message. */
export function upTo(most: number, expected = "a whole number"): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`expected ${expected} from 1 to ${most}.`);
  };
}

/** Parses a month as `YYYYMM`. */
export const monthArgument = textArgument(/^\d{4}(0[1-9]|1[0-2])$/, "a month as YYYYMM");
/** Parses a version of the pack builder: three numbers. */
export const versionArgument = textArgument(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, "three numbers such as 0.2.0");
/** Parses a whole number of 0 or more. */
export const countArgument = numberArgument(/^\d{1,15}$/, "a whole number");
/** Parses a revision number. */
export const revisionArgument = numberArgument(/^[1-9]\d{0,8}$/, "a revision number, such as 3");

/**
 * Converts a text to Unix milliseconds. Accepts a day, `today`, `yesterday` and `tomorrow`, which mean the start of the
 * day in Beijing, and RFC 3339 with an offset.
 */
export function instantArgument(text: string): number {
  const daysOn = NAMED_DAYS.get(text);
  const instant =
    daysOn === undefined ? parseInstant(text) : startOfDay(addDays(beijingDate(Date.now()), daysOn));
  if (instant !== null && isStorable(instant)) return instant;
  if (instant !== null) throw new InvalidArgumentError(`expected ${STORABLE_INSTANTS}.`);
  throw new InvalidArgumentError(
    "expected a day (2026-03-12, 20260312, today, yesterday) or RFC 3339 with an offset (2026-03-12T20:30:00+08:00).",
  );
}

/** Parses a duration such as `7d` or `36h` to milliseconds. */
export function spanArgument(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("expected days or hours, such as 7d or 36h.");
  return Number(count) * (unit === "d" ? 86_400_000 : 3_600_000);
}

/**
 * Returns a parser for a daily limit: a whole number or one of `alternatives`. `expected` describes them in the error
 * message. Null cannot stand for "unlimited", because commander would turn it into an empty string.
 */
export function limitArgument<Word extends string>(expected: string, ...alternatives: Word[]) {
  const number = numberArgument(/^\d{1,9}$/, expected);
  return (text: string): number | Word => alternatives.find((word) => word === text) ?? number(text);
}

/** Returns the limit as the service expects it; null means unlimited. */
export function limitOf(limit: number | "unlimited"): number | null {
  return limit === "unlimited" ? null : limit;
}

const UNITS = ["kB", "MB", "GB"] as const;

/** Formats a count with thousands separators: `149,359`. */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** Formats bytes in the unit (powers of 1000) with one to three digits before the point: `12.3 kB`, `999 bytes`. */
export function sizeText(sizeBytes: number): string {
  if (sizeBytes < 1000) return sizeBytes === 1 ? "1 byte" : `${sizeBytes} bytes`;
  let [size, unit] = [sizeBytes / 1000, 0];
  // 999.95 would be rounded to 1000.0.
  while (size >= 999.95 && unit < UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size.toFixed(1)} ${UNITS[unit]}`;
}
