/** The calendar of a share's year: each day by its state, days with files as links. */
import { addDays, type BeijingDate } from "../../calendar/beijing.ts";
import type { CoveredFile } from "../../catalog/files.ts";
import { Calendar, type DayCell } from "../../pages/calendar.tsx";
import { dateText, sizeText, weekdayOf } from "../../pages/figures.ts";
import type { Messages } from "./messages.ts";

/** The most ranges of missing days that are listed; an ellipsis stands for the rest. */
const MISSING_NAMED = 12;

/** States in the legend; days in any other state are plain numbers. */
const LEGEND = ["present", "missing", "outside"] as const;

interface CalendarProps {
  messages: Messages;
  months: YearDay[][];
  files: ReadonlyMap<BeijingDate, readonly CoveredFile[]>;
}

/** Renders the calendar with its legend and a sentence about missing days. */
export function YearCalendar({ messages, months, files }: CalendarProps) {
  const days = months.flat();
  const shown = LEGEND.filter((state) => days.some((each) => each.state === state));
  return (
    <section aria-labelledby="calendar">
      <h2 id="calendar">{messages.calendar}</h2>
      <p class="missing-line">{missingLine(days, messages)}</p>
      <ul class="legend">
        {shown.map((state) => (
          <li>
            <span class={`day ${lookOf(state)}`} aria-hidden="true" />
            {messages.states[state]}
          </li>
        ))}
      </ul>
      <Calendar
        months={months.map((days) => days.map((day) => cellOf(day, files.get(day.day) ?? [], messages)))}
        names={messages}
        heading="h3"
      />
    </section>
  );
}

function missingLine(days: readonly YearDay[], messages: Messages): string {
  const count = days.filter(({ state }) => state === "missing").length;
  if (count === 0) return messages.nothingMissing;
  const text = (day: BeijingDate) => dateText(day).slice(5);
  const ranges = missingRanges(days).map(({ from, to }) =>
    from === to ? text(from) : `${text(from)} – ${text(to)}`,
  );
  const named = ranges.slice(0, MISSING_NAMED).join(", ");
  return messages.missingDays(count, ranges.length > MISSING_NAMED ? `${named} …` : named);
}

function cellOf({ day, state }: YearDay, files: readonly CoveredFile[], messages: Messages): DayCell {
  const size = sizeText(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const detail = files.length === 0 ? "" : `${messages.folderFiles(files.length)}, ${size}`;
  const said = state === "unknown" ? "" : messages.states[state];
  return {
    day,
    look: lookOf(state),
    label: messages.dayLabel(dateText(day), said, detail),
    href: state === "present" ? `${day}/` : null,
  };
}

/** Returns the CSS classes of a state; days with files have the strongest shade. */
function lookOf(state: DayState): string {
  return state === "present" ? "present shade-5" : state;
}

/**
 * `outside`: a past trading day that the share does not cover. `upcoming`: a later day, or today while it has no file.
 * `unknown`: a weekday that the trading calendar does not contain.
 */
export type DayState = "present" | "missing" | "closed" | "outside" | "upcoming" | "unknown";

export interface YearDay {
  day: BeijingDate;
  state: DayState;
}

export interface YearFacts {
  year: number;
  today: BeijingDate;
  /** The first and last covered day; null when the share covers nothing. */
  days: { from: BeijingDate; to: BeijingDate } | null;
  /** Days with a file. */
  present: ReadonlySet<BeijingDate>;
  /** The trading calendar: open or closed, for the days it contains. */
  open: ReadonlyMap<BeijingDate, boolean>;
}

/** Returns all days of the year in twelve lists, one for each month. */
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

/**
 * Returns the missing days as ranges of consecutive trading days, both ends inclusive; `days` is in ascending order.
 */
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
