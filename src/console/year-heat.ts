/** Computes the calendar of a year: the state, the content and the shade of each day. Pure. */
import { addDays, type BeijingDate } from "../calendar/beijing.ts";
import type { DayOverview, LoadedFacts } from "../catalog/day-overview.ts";
import { weekdayOf } from "../pages/figures.ts";
import type { DayMark } from "./messages.ts";

/** The number of shades of days with rows: shade 1 is for the fewest rows, shade 5 for the most. */
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
  /** The first day that is both in the plan's window and in the dataset; null if neither has a first day. */
  from: BeijingDate | null;
  days: readonly DayOverview[];
}

/** Returns all days of the year in twelve lists, one for each month. */
export function yearHeat({ year, today, from, days }: HeatFacts): HeatDay[][] {
  const known = new Map(days.map((day) => [day.tradedate, day]));
  const shadeOf = shades(days);
  const months: HeatDay[][] = Array.from({ length: 12 }, () => []);
  for (let day = `${year}0101` as BeijingDate; day.startsWith(String(year)); day = addDays(day, 1)) {
    const isBefore = from !== null && day < from;
    const overview = known.get(day);
    months[Number(day.slice(4, 6)) - 1]?.push({
      day,
      // A missing day before `from` gets the mark "outside". A withdrawn or expected day before `from` keeps its own
      // state, because it can precede the first available day.
      mark:
        isBefore && (overview?.state ?? "missing") === "missing"
          ? "outside"
          : (overview?.state ?? restMark(day, today)),
      shade: isServed(overview) ? shadeOf(overview.loaded.rows) : 0,
      loaded: isServed(overview) ? overview.loaded : null,
    });
  }
  return months;
}

/** Returns whether customers can read the day. */
export function isServed(day: DayOverview | undefined): day is DayOverview & { loaded: LoadedFacts } {
  return day !== undefined && day.loaded !== null && (day.state === "available" || day.state === "degraded");
}

/** Successive trading days with the same problem, both ends included. */
export interface OddRange {
  from: BeijingDate;
  to: BeijingDate;
  mark: DayMark;
  /** The number of trading days. */
  days: number;
}

const ODD: readonly DayMark[] = ["missing", "degraded", "withdrawn", "damaged"];

/** Returns the problems of `days` (oldest first) as ranges, oldest first; days without trading do not split a range. */
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

/** Returns the mark of a day that the overview does not list: `upcoming` for a future weekday, else `closed`. */
function restMark(day: BeijingDate, today: BeijingDate): DayMark {
  if (day > today && weekdayOf(day) < 5) return "upcoming";
  return "closed";
}

/**
 * Returns a function that returns the shade for a number of rows. The shade follows from the rank of the number among
 * all days, because one extreme day would otherwise make all others look alike. Equal numbers have equal shades. If all
 * days have the same number, the function returns the middle shade.
 */
function shades(days: readonly DayOverview[]): (rows: number) => number {
  const counts = [...new Set(days.filter(isServed).map(({ loaded }) => loaded.rows))].sort((a, b) => a - b);
  return (rows) => {
    if (counts.length < 2) return Math.ceil(SHADES / 2);
    return 1 + Math.round(((SHADES - 1) * counts.indexOf(rows)) / (counts.length - 1));
  };
}
