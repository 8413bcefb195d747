/** `edgetape calendar`: which days the exchanges trade on, as the service knows them. */
import { basename } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { calendarChangedSchema, calendarSchema } from "../../admin/wire.ts";
import { type BeijingDate, beijingDate } from "../../calendar/beijing.ts";
import type { AdminClient } from "../admin-client.ts";
import { dateArgument } from "../arguments.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { readOperatorText } from "../operator-text.ts";
import { print, type ServiceOptions, serviceOf, withService } from "../service-options.ts";
import { parseCalendarFile } from "./calendar-file.ts";
import { type ExchangeDay, exchangeDays, knowsHolidays, LIBRARY_SOURCE } from "./exchange-days.ts";

/** As many days as one admin request may carry. */
const DAYS_PER_REQUEST = 4_000;

/** The source of days that an operator marked by hand. */
const MARKED_SOURCE = "marked by the operator";

const FORCE_OPTION = ["--force", "also where a Saturday or Sunday is a trading day"] as const;

/** Registers `calendar load`, `calendar mark` and `calendar show`. */
export function registerCalendar(program: Command): void {
  const calendar = program.command("calendar").description("trading days of the exchanges");
  withService(
    calendar
      .command("load")
      .description("tell the service the trading days of a year, from the holiday library or your own list")
      .option("--year <year>", "a year whose public holidays the library knows", yearArgument)
      .option("--file <path>", "a list: one trading day a line (YYYYMMDD), or `day,1|0` with closed days too")
      .option(...FORCE_OPTION),
  ).action(load);
  withService(
    calendar
      .command("mark")
      .description("say that the exchanges trade, or do not trade, on one day")
      .argument("<YYYYMMDD>", "", dateArgument)
      .addOption(
        new Option("--as <state>", "what the day is").choices(["open", "closed"]).makeOptionMandatory(),
      )
      .option(...FORCE_OPTION),
  ).action(mark);
  withService(
    calendar
      .command("show")
      .description("the trading days the service knows")
      .option("--year <year>", "the year; the present one when absent", yearArgument),
  ).action(show);
}

function yearArgument(text: string): number {
  if (!/^(19|20)\d\d$/.test(text)) throw new InvalidArgumentError("expected a year such as 2026.");
  return Number(text);
}

async function load(
  options: ServiceOptions & { year?: number; file?: string; force?: boolean },
): Promise<void> {
  const client = serviceOf(options);
  if ((options.year === undefined) === (options.file === undefined)) {
    throw new CommandFailure("Give either --year or --file.", EXIT.usage);
  }
  const [days, source] =
    options.file === undefined ? libraryYear(options.year ?? 0) : await listedDays(options.file);
  const { changed, knownUntil } = await loadCalendar(client, days, source, options.force);
  const open = days.filter((day) => day.open).length;
  print(
    options,
    { days: days.length, open, changed, knownUntil },
    `${days.length} days with ${open} trading days loaded, ${changed} of them new or changed; the calendar is known until ${knownUntil}.`,
  );
}

async function mark(
  day: BeijingDate,
  options: ServiceOptions & { as: "open" | "closed"; force?: boolean },
): Promise<void> {
  const days = [{ day, open: options.as === "open" }];
  const { changed } = await loadCalendar(serviceOf(options), days, MARKED_SOURCE, options.force);
  const sentence = changed === 0 ? `${day} was ${options.as} already.` : `${day} is ${options.as} now.`;
  print(options, { day, state: options.as, changed }, sentence);
}

function libraryYear(year: number): [ExchangeDay[], string] {
  if (knowsHolidays(year)) return [exchangeDays(year), LIBRARY_SOURCE];
  throw new CommandFailure(
    `The holidays of ${year} are not in the library (${LIBRARY_SOURCE}); update it once they are announced, or give your own list with --file.`,
  );
}

async function listedDays(path: string): Promise<[ExchangeDay[], string]> {
  return [parseCalendarFile(await readOperatorText(path), path), basename(path)];
}

/**
 * Sets `days` at the service; returns how many changed in all and the last day known. `force`: also where a Saturday
 * or Sunday is open.
 */
export async function loadCalendar(
  client: AdminClient,
  days: ExchangeDay[],
  source: string,
  force = false,
): Promise<{ changed: number; knownUntil: string }> {
  let changed = 0;
  let knownUntil = "";
  for (let at = 0; at < days.length; at += DAYS_PER_REQUEST) {
    const body = { days: days.slice(at, at + DAYS_PER_REQUEST), source, force };
    const answer = await client.request(calendarChangedSchema, "PUT", "/admin/calendar", { body });
    changed += answer.changed;
    knownUntil = answer.knownUntil;
  }
  return { changed, knownUntil };
}

async function show(options: ServiceOptions & { year?: number }): Promise<void> {
  const year = options.year ?? Number(beijingDate(Date.now()).slice(0, 4));
  const calendar = await serviceOf(options).request(calendarSchema, "GET", `/admin/calendar?year=${year}`);
  const open = calendar.days.filter((day) => day.open).map((day) => day.day);
  const months = [...new Set(open.map((day) => day.slice(0, 6)))];
  print(options, calendar, [
    `${year}: ${calendar.days.length} days known, ${open.length} of them trading days; the calendar is known without a gap until ${calendar.knownUntil ?? "no day at all"}.`,
    ...months.map((month) => {
      const days = open.filter((day) => day.startsWith(month));
      return `${month}  ${days.map((day) => day.slice(6)).join(" ")}`;
    }),
  ]);
}
