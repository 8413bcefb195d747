/** Words of a command line that several commands read; commander prints the sentence when one is wrong. */
import { InvalidArgumentError } from "commander";
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import { parseInstant } from "../calendar/instant.ts";

/** A day as `YYYYMMDD`. */
export function dateArgument(text: string): BeijingDate {
  const date = parseBeijingDate(text);
  if (date === null) throw new InvalidArgumentError("expected a real calendar day as YYYYMMDD.");
  return date;
}

/** A month as `YYYYMM`. */
export function monthArgument(text: string): string {
  if (!/^\d{4}(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError("expected a month as YYYYMM.");
  return text;
}

/** A day (its beginning in Beijing) or RFC 3339 with an offset, as Unix milliseconds. */
export function instantArgument(text: string): number {
  const instant = parseInstant(text);
  if (instant === null) throw new InvalidArgumentError("expected YYYY-MM-DD or RFC 3339 with an offset.");
  return instant;
}

/** A whole number from 0. */
export function countArgument(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("expected a whole number.");
  return Number(text);
}

/** A span such as `7d` or `36h`, as milliseconds. */
export function spanArgument(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("expected days or hours, such as 7d or 36h.");
  return Number(count) * (unit === "d" ? 86_400_000 : 3_600_000);
}

/** A daily limit as the command line has it: commander turns a null into an empty text. */
export type LimitWord = number | "unlimited";

/** A whole number, or `unlimited`. */
export function limitArgument(text: string): LimitWord {
  if (text === "unlimited") return text;
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number or unlimited.");
  return Number(text);
}

/** The limit as the service has it; null is unlimited. */
export function limitOf(word: LimitWord): number | null {
  return word === "unlimited" ? null : word;
}
