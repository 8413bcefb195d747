/** The days of a year with what is served of them, shaded by their rows. Pure. */
import { addDays, type BeijingDate } from "../calendar/beijing.ts";
import type { DayOverview, LoadedFacts } from "../catalog/day-overview.ts";
import { weekdayOf } from "../pages/figures.ts";
import type { DayMark } from "./messages.ts";

/** Shades of days with rows: 1 for the fewest, 5 for the most. */
export const SHADES = 5;

export interface HeatDay {
  day: BeijingDate;
  mark: DayMark;
  /** 0 for a day without rows. */
  shade: number;
  loaded: LoadedFacts | null;
}

export interface HeatFacts {
  year: number;
  today: BeijingDate;
  /** The first day of the plan's window; null: all history. */
  from: BeijingDate | null;
  days: readonly DayOverview[];
}

/** All days of the year, by month from January on. */
export function yearHeat({ year, today, from, days }: HeatFacts): HeatDay[][] {
  const known = new Map(days.map((day) => [day.tradedate, day]));
  const shadeOf = shades(days);
  const months: HeatDay[][] = Array.from({ length: 12 }, () => []);
  for (let day = `${year}0101` as BeijingDate; day.startsWith(String(year)); day = addDays(day, 1)) {
    const overview = known.get(day);
    months[Number(day.slice(4, 6)) - 1]?.push({
      day,
      mark: overview?.state ?? restMark(day, today, from),
      shade: isServed(overview) ? shadeOf(overview.loaded.rows) : 0,
      loaded: isServed(overview) ? overview.loaded : null,
    });
  }
  return months;
}

/** A day that can be read, with its numbers. */
export function isServed(day: DayOverview | undefined): day is DayOverview & { loaded: LoadedFacts } {
  return day !== undefined && day.loaded !== null && (day.state === "available" || day.state === "degraded");
}

/** Trading days in a row that are the same and not as they should be, both ends included. */
export interface OddRange {
  from: BeijingDate;
  to: BeijingDate;
  mark: DayMark;
  /** How many trading days. */
  days: number;
}

const ODD: readonly DayMark[] = ["missing", "degraded", "withdrawn", "damaged"];

/** What of the days, given oldest first, is not as it should be, oldest first; days without trading part nothing. */
export function oddRanges(days: readonly HeatDay[]): OddRange[] {
  const ranges: OddRange[] = [];
  let last: OddRange | undefined;
  for (const { day, mark } of days) {
    if (mark === "closed") continue;
    if (last?.mark === mark) {
      last.to = day;
      last.days++;
    } else {
      last = { from: day, to: day, mark, days: 1 };
      ranges.push(last);
    }
  }
  return ranges.filter(({ mark }) => ODD.includes(mark));
}

/** A day that the overview does not list: it is not a trading day, is still to come, or is not the reader's. */
function restMark(day: BeijingDate, today: BeijingDate, from: BeijingDate | null): DayMark {
  if (from !== null && day < from) return "outside";
  if (day > today && weekdayOf(day) < 5) return "upcoming";
  return "closed";
}

/**
 * Shades by rank, not by amount: one wild day would otherwise make all others look alike. Days of the same
 * number of rows have the same shade; a single day, or days all alike, have the middle one.
 */
function shades(days: readonly DayOverview[]): (rows: number) => number {
  const counts = [...new Set(days.filter(isServed).map(({ loaded }) => loaded.rows))].sort((a, b) => a - b);
  return (rows) => {
    if (counts.length < 2) return Math.ceil(SHADES / 2);
    return 1 + Math.round(((SHADES - 1) * counts.indexOf(rows)) / (counts.length - 1));
  };
}
