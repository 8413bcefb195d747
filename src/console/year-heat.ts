/** Computes the calendar of a year: the state, the content and the shade of each day. Pure. */
import { addDays, type BeijingDate } from "../calendar/beijing.ts";
import type { DayOverview, LoadedFacts } from "../catalog/day-overview.ts";
import { weekdayOf } from "../pages/figures.ts";
import type { DayMark } from "./messages.ts";

/** The number of shades of days with rows: shade 1 is for the fewest rows, shade 5 for the most. */
export const SHADES = 5;

/** The state of a day; `loaded` is null unless customers can read the day. */
export interface MarkedDay {
  day: BeijingDate;
  mark: DayMark;
  loaded: LoadedFacts | null;
}

export interface HeatDay extends MarkedDay {
  /** 0 for a day without rows. */
  shade: number;
}

interface Bounds {
  today: BeijingDate;
  /** The first day that is both in the plan's window and in the dataset; null if neither has a first day. */
  from: BeijingDate | null;
}

/** Returns all days of the year in twelve lists, one for each month. */
export function yearHeat(year: number, days: readonly DayOverview[], bounds: Bounds): HeatDay[][] {
  const known = new Map(days.map((day) => [day.tradedate, day]));
  const shadeOf = shades(days);
  const months: HeatDay[][] = Array.from({ length: 12 }, () => []);
  for (let day = `${year}0101` as BeijingDate; day.startsWith(String(year)); day = addDays(day, 1)) {
    const marked = markedDay(day, known.get(day), bounds);
    const shade = marked.loaded === null ? 0 : shadeOf(marked.loaded.rows);
    months[Number(day.slice(4, 6)) - 1]?.push({ ...marked, shade });
  }
  return months;
}

/**
 * Returns the state of a day. A day that the overview does not list is `upcoming` if it is a future weekday, else
 * `closed`. A missing day before `from` is `outside`; a withdrawn or expected day keeps its own state, because it can
 * precede the first available day.
 */
export function markedDay(
  day: BeijingDate,
  overview: DayOverview | undefined,
  { today, from }: Bounds,
): MarkedDay {
  const isUpcoming = day > today && weekdayOf(day) < 5;
  const isOutside = from !== null && day < from && (overview?.state ?? "missing") === "missing";
  const mark = isOutside ? "outside" : (overview?.state ?? (isUpcoming ? "upcoming" : "closed"));
  return { day, mark, loaded: isServed(overview) ? overview.loaded : null };
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
