/** The calendar of a share's year: what each day is at a glance. Pure. */
import { addDays, type BeijingDate } from "../../calendar/beijing.ts";

/**
 * `outside` is a trading day before the plan's window; `upcoming` is today without a file yet, or later;
 * `unknown` is a weekday that the trading calendar does not know.
 */
export type DayState = "present" | "missing" | "closed" | "outside" | "upcoming" | "unknown";

export interface YearDay {
  day: BeijingDate;
  state: DayState;
}

export interface YearFacts {
  year: number;
  today: BeijingDate;
  /** First and last covered day; null when the share covers nothing. */
  days: { from: BeijingDate; to: BeijingDate } | null;
  /** Days that have a file. */
  present: ReadonlySet<BeijingDate>;
  /** The trading calendar: open or not, for the days it knows. */
  open: ReadonlyMap<BeijingDate, boolean>;
}

/** All days of the year, by month from January on. */
export function yearDays(facts: YearFacts): YearDay[][] {
  const months: YearDay[][] = Array.from({ length: 12 }, () => []);
  const first = `${facts.year}0101` as BeijingDate;
  for (let day = first; day.startsWith(String(facts.year)); day = addDays(day, 1)) {
    months[Number(day.slice(4, 6)) - 1]?.push({ day, state: stateOf(day, facts) });
  }
  return months;
}

function stateOf(day: BeijingDate, { today, days, present, open }: YearFacts): DayState {
  if (present.has(day)) return "present";
  const trades = open.get(day);
  if (trades === false || (trades === undefined && weekdayOf(day) >= 5)) return "closed";
  if (day >= today) return "upcoming";
  if (days === null || day < days.from) return "outside";
  return trades === undefined ? "unknown" : "missing";
}

/** The missing days, given all days oldest first, as ranges of trading days in a row, both ends included. */
export function missingRanges(days: readonly YearDay[]): { from: BeijingDate; to: BeijingDate }[] {
  const ranges: { from: BeijingDate; to: BeijingDate }[] = [];
  let open: { from: BeijingDate; to: BeijingDate } | undefined;
  for (const { day, state } of days) {
    if (state === "closed") continue;
    if (state !== "missing") open = undefined;
    else if (open !== undefined) open.to = day;
    else {
      open = { from: day, to: day };
      ranges.push(open);
    }
  }
  return ranges;
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: BeijingDate): number {
  const iso = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`;
  return (new Date(iso).getUTCDay() + 6) % 7;
}
