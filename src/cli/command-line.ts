/** Shared parts of commands: options, arguments, confirmation and output. */

import { createInterface } from "node:readline/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { addDays, type BeijingDate, beijingDate, parseBeijingDate, startOfDay } from "../calendar/beijing.ts";
import { isStorable, parseInstant, STORABLE_INSTANTS } from "../calendar/instant.ts";
import { DATASET_NAMES } from "../datasets/registry.ts";
import { AdminClient } from "./admin-client.ts";
import { CommandFailure, EXIT } from "./exit.ts";

export interface ServiceOptions {
  url?: string;
  token?: string;
  json?: boolean;
  /** Skips the confirmation. */
  yes?: boolean;
}

/** A command that calls the service. The command and its subcommands have the options of `withService`. */
class ServiceCommand extends Command {
  override createCommand(name?: string): Command {
    return new ServiceCommand(name);
  }

  override action(run: Parameters<Command["action"]>[0]): this {
    // A command with its own `--json` does not call the service.
    if (!this.options.some(({ long }) => long === "--json")) withService(this);
    return super.action(run);
  }
}

/** Adds the command `name` to `program`. It and its subcommands have `--url`, `--token` and `--json`. */
export function serviceCommand(program: Command, name: string): Command {
  const command = new ServiceCommand(name).copyInheritedSettings(program);
  program.addCommand(command);
  return command;
}

/** Adds `--url`, `--token` and `--json` to a command. */
export function withService(command: Command): Command {
  return command
    .option("--url <address>", "the service, for example https://api.example.com (or EDGETAPE_URL)")
    .option(
      "--token <token>",
      "the operator's token (prefer EDGETAPE_TOKEN, because other users can see command lines)",
    )
    .option("--json", "print the answer as JSON");
}

/** Returns a client for the service that the options name. For absent options, environment variables are used. */
export function serviceOf(options: ServiceOptions): AdminClient {
  const baseUrl = options.url ?? process.env.EDGETAPE_URL;
  const token = options.token ?? process.env.EDGETAPE_TOKEN;
  if (!baseUrl)
    throw new CommandFailure(
      "Name the service with --url or EDGETAPE_URL; for a demo, `npm start` prints the lines to paste.",
      EXIT.usage,
    );
  if (!token)
    throw new CommandFailure(
      "Give an operator's token with --token or EDGETAPE_TOKEN; for a demo, `npm start` prints the lines to paste.",
      EXIT.usage,
    );
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CommandFailure(`${baseUrl} is not a URL; it must begin with http:// or https://.`, EXIT.usage);
  }
  const seconds = process.env.EDGETAPE_TIMEOUT;
  if (!seconds) return new AdminClient({ baseUrl, token });
  if (!/^[1-9]\d{0,4}$/.test(seconds)) {
    throw new CommandFailure("EDGETAPE_TIMEOUT must be whole seconds from 1 to 99999.", EXIT.usage);
  }
  return new AdminClient({ baseUrl, token, silenceMs: Number(seconds) * 1000 });
}

/** Prints a command's result on stdout: `answer` with `--json`, else `lines`. */
export function print(options: ServiceOptions, answer: unknown, lines: string | string[]): void {
  const text = options.json ? JSON.stringify(answer, null, 2) : [lines].flat().join("\n");
  process.stdout.write(`${text}\n`);
}

/**
 * Returns rows as aligned columns with headings; the last column is not padded. If there are no rows, returns `none`,
 * or only the headings when `none` is absent.
 */
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

export const YES_OPTION = ["--yes", "do it without asking"] as const;

/**
 * Returns when the operator has given `--yes` or confirms `question`. Throws `CommandFailure` when the operator does
 * not confirm, and when there is no terminal to ask on.
 */
export async function confirm(question: string, { yes = false }: ServiceOptions): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY)
    throw new CommandFailure(`${question} There is no terminal for the confirmation: add --yes.`, EXIT.usage);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const reply = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(reply.trim())) throw new CommandFailure("Nothing was changed.");
}

/** Names of days, with their distance from today in days. */
const NAMED_DAYS: ReadonlyMap<string, number> = new Map([
  ["yesterday", -1],
  ["today", 0],
  ["tomorrow", 1],
]);

/** Returns an option whose default is shown as `text` in the help. */
export function defaulted(
  flags: string,
  description: string,
  parse: (text: string) => unknown,
  text: string,
): Option {
  return new Option(flags, description).argParser(parse).default(parse(text), text);
}

/** Returns the option `--dataset` with the existing datasets as choices. */
export function datasetOption(description: string): Option {
  return new Option("--dataset <name>", description).choices(DATASET_NAMES);
}

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
  const instant = namedDay(text) ?? parseInstant(text);
  if (instant !== null && isStorable(instant)) return instant;
  if (instant !== null) throw new InvalidArgumentError(`expected ${STORABLE_INSTANTS}.`);
  throw new InvalidArgumentError(
    "expected a day (2026-03-12, 20260312, today, yesterday) or RFC 3339 with an offset (2026-03-12T20:30:00+08:00).",
  );
}

/** Returns the start of a named day in Beijing, in Unix milliseconds; null for any other text. */
function namedDay(text: string): number | null {
  const daysOn = NAMED_DAYS.get(text);
  return daysOn === undefined ? null : startOfDay(addDays(beijingDate(Date.now()), daysOn));
}

/** Parses a duration such as `7d` or `36h` to milliseconds. */
export function spanArgument(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([dh])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError("expected days or hours, such as 7d or 36h.");
  return Number(count) * (unit === "d" ? 86_400_000 : 3_600_000);
}

/**
 * A daily limit on the command line. Null cannot stand for "unlimited", because commander would turn it into an empty
 * string.
 */
export type LimitWord = number | "unlimited";

const limit = (expected: string) => numberArgument(/^\d{1,9}$/, expected);

/** Parses a whole number or `unlimited`. */
export function limitArgument(text: string): LimitWord {
  return text === "unlimited" ? text : limit("a whole number or unlimited")(text);
}

/** Parses an account's own limit: a whole number, `unlimited`, or `plan` for the plan's limit. */
export function ownLimitArgument(text: string): LimitWord | "plan" {
  if (text === "plan" || text === "unlimited") return text;
  return limit("a whole number, unlimited, or plan")(text);
}

/** Returns the limit as the service expects it; null means unlimited. */
export function limitOf(word: LimitWord): number | null {
  return word === "unlimited" ? null : word;
}

const whole = new Intl.NumberFormat("en-US");
const UNITS = ["kB", "MB", "GB"] as const;

/** Formats a count with thousands separators: `149,359`. */
export function countText(count: number): string {
  return whole.format(count);
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
