/** Words of a command line that several commands read; commander prints the sentence when one is wrong. */
import { InvalidArgumentError, Option } from "commander";
import { addDays, type BeijingDate, beijingDate, parseBeijingDate, startOfDay } from "../calendar/beijing.ts";
import { isStorable, parseInstant, STORABLE_INSTANTS } from "../calendar/instant.ts";

/** Days by words, as days after today. */
const NAMED_DAYS: ReadonlyMap<string, number> = new Map([
  ["yesterday", -1],
  ["today", 0],
  ["tomorrow", 1],
]);

/** An option that is `text` when absent, and whose help says so in these very words. */
export function defaulted(
  flags: string,
  description: string,
  parse: (text: string) => unknown,
  text: string,
): Option {
  return new Option(flags, description).argParser(parse).default(parse(text), text);
}

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

/**
 * A day (its beginning in Beijing), `today`, `yesterday` or `tomorrow`, or RFC 3339 with an offset, as Unix
 * milliseconds.
 */
export function instantArgument(text: string): number {
  const instant = namedDay(text) ?? parseInstant(text);
  if (instant !== null && isStorable(instant)) return instant;
  if (instant !== null) throw new InvalidArgumentError(`expected ${STORABLE_INSTANTS}.`);
  throw new InvalidArgumentError(
    "expected a day (2026-03-12, 20260312, today, yesterday) or RFC 3339 with an offset (2026-03-12T20:30:00+08:00).",
  );
}

/** Where days are named by words they are those of Beijing, now. */
function namedDay(text: string): number | null {
  const daysOn = NAMED_DAYS.get(text);
  return daysOn === undefined ? null : startOfDay(addDays(beijingDate(Date.now()), daysOn));
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

/** An account's own limit: a whole number, `unlimited`, or `plan` for that of its plan. */
export function ownLimitArgument(text: string): LimitWord | "plan" {
  if (text === "plan") return text;
  if (text !== "unlimited" && !/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError("expected a whole number, unlimited, or plan.");
  }
  return limitArgument(text);
}

/** The limit as the service has it; null is unlimited. */
export function limitOf(word: LimitWord): number | null {
  return word === "unlimited" ? null : word;
}

/** A revision's number. */
export function revisionArgument(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("expected a revision's number.");
  return Number(text);
}

/** A version of the pack builder: three numbers. */
export function versionArgument(text: string): string {
  if (!/^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(text)) {
    throw new InvalidArgumentError("expected three numbers such as 0.2.0.");
  }
  return text;
}
