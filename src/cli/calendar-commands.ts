/** `edgetape calendar`: loads, changes and shows the trading calendar of the service. */

import { basename } from "node:path";
import chineseDays from "chinese-days";
import library from "chinese-days/package.json" with { type: "json" };
import * as wire from "../admin/wire.ts";
import { addDays, type BeijingDate, beijingDate, isWeekend, parseBeijingDate } from "../calendar/beijing.ts";
import type { AdminClient } from "./admin-client.ts";
import { command, DAY_ARGUMENT, group } from "./command.ts";
import { numberArgument } from "./command-line.ts";
import { CommandFailure, UsageFailure } from "./exit.ts";
import { readOperatorText } from "./operator-text.ts";
import * as option from "./option.ts";

const DAYS_PER_REQUEST = 4_000;

const FORCE = option.flag("accept a Saturday or Sunday as a trading day");
const year = option.parsed("<year>", numberArgument(/^(19|20)\d\d$/, "a year such as 2026"));

const load = command("load", {
  says: "load the trading days of a year from the holiday library or your own list",
  options: {
    year: year("a year whose public holidays are in the library"),
    file: option.text(
      "<path>",
      "a file with one trading day per line (YYYYMMDD), or with `day,1` or `day,0` per line for open and closed days",
    ),
    force: FORCE,
  },
  async run({ client, print }, { year, file, force }) {
    if ((year === undefined) === (file === undefined)) {
      throw new UsageFailure("Give either --year or --file.");
    }
    const [days, source] =
      file === undefined
        ? [libraryYear(year ?? 0), LIBRARY_SOURCE]
        : [parseCalendarFile(await readOperatorText(file), file), basename(file)];
    const { changed, knownUntil } = await loadCalendar(client, days, source, force);
    const open = days.filter((day) => day.open).length;
    print(
      { days: days.length, open, changed, knownUntil },
      `${days.length} days loaded, of which ${open} are trading days; ${changed} days are new or changed. The calendar is known until ${knownUntil}.`,
    );
  },
});

const mark = command("mark", {
  says: "mark one day as open or closed",
  args: DAY_ARGUMENT,
  options: {
    as: option.choice("<state>", ["open", "closed"], "the state of the day").required(),
    force: FORCE,
  },
  async run({ client, print }, { as: state, force }, day: BeijingDate) {
    const days = [{ day, open: state === "open" }];
    const { changed } = await loadCalendar(client, days, "marked by the operator", force);
    print(
      { day, state, changed },
      changed === 0 ? `${day} was already ${state}.` : `${day} is now ${state}.`,
    );
  },
});

const show = command("show", {
  says: "show the trading days of a year",
  options: { year: year("the year (default: the current one)") },
  async run({ client, print }, { year = Number(beijingDate(Date.now()).slice(0, 4)) }) {
    const shown = await client.get(wire.calendarSchema, `/admin/calendar?year=${year}`);
    const open = shown.days.filter((day) => day.open).map((day) => day.day);
    const months = Map.groupBy(open, (day) => day.slice(0, 6));
    print(shown, [
      `${year}: ${shown.days.length} days known, of which ${open.length} are trading days; last day known without a gap: ${shown.knownUntil ?? "none"}.`,
      ...[...months].map(([month, days]) => `${month}  ${days.map((day) => day.slice(6)).join(" ")}`),
    ]);
  },
});

export const calendar = group("calendar", "load and show the trading days of the exchanges", [
  load,
  mark,
  show,
]);

function libraryYear(year: number): ExchangeDay[] {
  const days = exchangeDays(year);
  if (days !== null) return days;
  throw new CommandFailure(
    `The holidays of ${year} are not in the library (${LIBRARY_SOURCE}); update it once they are announced, or give your own list with --file.`,
  );
}

/** Sets `days` in the service's calendar. `force` allows an open Saturday or Sunday. */
export async function loadCalendar(client: AdminClient, days: ExchangeDay[], source: string, force = false) {
  let changed = 0;
  let knownUntil = "";
  for (let at = 0; at < days.length; at += DAYS_PER_REQUEST) {
    const body = { days: days.slice(at, at + DAYS_PER_REQUEST), source, force };
    const answer = await client.put(wire.calendarChangedSchema, "/admin/calendar", { body });
    changed += answer.changed;
    knownUntil = answer.knownUntil;
  }
  return { changed, knownUntil };
}

/**
 * Parses a list of days: one trading day per line as `YYYYMMDD` or `YYYY-MM-DD`, or a day with `,1` (open) or `,0`
 * (closed). Blank lines, lines that begin with # and a heading are skipped. If only trading days are listed, every
 * other day from the first to the last listed one is closed.
 */
export function parseCalendarFile(text: string, name: string): ExchangeDay[] {
  const listed = new Map<BeijingDate, boolean>();
  let isFirst = true;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [first = "", flag = ""] = line.split(",").map((cell) => cell.trim());
    if (first === "" || first.startsWith("#")) continue;
    const day = parseBeijingDate(first.replaceAll("-", ""));
    const isHeading = isFirst && !/\d/.test(first);
    isFirst = false;
    if (isHeading) continue;
    const refusal = (problem: string) => new CommandFailure(`${name}:${at + 1}: ${problem}.`);
    if (day === null) throw refusal("this is not a calendar day; expected YYYYMMDD");
    if (!["", "1", "0"].includes(flag)) throw refusal("the second column is neither 1 (open) nor 0 (closed)");
    const open = flag !== "0";
    if (listed.get(day) === !open) throw refusal(`${day} is listed as open and as closed`);
    listed.set(day, open);
  }
  const days = [...listed.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) throw new CommandFailure(`${name} lists no days.`);
  const closedAreListed = [...listed.values()].includes(false);
  if (closedAreListed) return days.map((day) => ({ day, open: listed.get(day) ?? false }));
  const filled: ExchangeDay[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) filled.push({ day, open: listed.has(day) });
  return filled;
}

/** The holiday library and its version, as the source of the days that `exchangeDays` returns. */
export const LIBRARY_SOURCE = `${library.name} ${library.version}`;

/** A calendar day; `open` when the exchanges trade. */
export interface ExchangeDay {
  day: BeijingDate;
  open: boolean;
}

/**
 * Days on which the exchanges were closed although they were not public holidays. On 2024-02-09, the eve of the Spring
 * Festival, each employer could choose to open or close; the exchanges announced on 2023-12-26 that they would close.
 */
const OTHER_CLOSURES: ReadonlySet<string> = new Set(["20240209"]);

/**
 * Returns every day of `year` according to the holiday library. Returns null if the library lacks the year's holidays,
 * which the State Council announces in the preceding November; for such a year, it reports no holidays at all.
 */
export function exchangeDays(year: number): ExchangeDay[] | null {
  const isKnown = [`${year}-01-01`, `${year}-10-01`].every(
    // The name of a holiday contains a comma. For a plain weekend, the library returns the name of the weekday.
    (day) => chineseDays.isHoliday(day) && chineseDays.getDayDetail(day).name.includes(","),
  );
  if (!isKnown) return null;
  const isoDate = (day: string) => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}`;
  return weekdays(year, (day) => !OTHER_CLOSURES.has(day) && !chineseDays.isHoliday(isoDate(day)));
}

/**
 * Returns every day of `year`. A weekday is open if `isOpen` returns true for it. By default, all weekdays are open, as
 * for a year whose holidays are not announced yet.
 */
export function weekdays(year: number, isOpen: (day: BeijingDate) => boolean = () => true): ExchangeDay[] {
  const days: ExchangeDay[] = [];
  let day = `${year}0101` as BeijingDate;
  for (; day.startsWith(String(year)); day = addDays(day, 1)) {
    days.push({ day, open: !isWeekend(day) && isOpen(day) });
  }
  return days;
}
