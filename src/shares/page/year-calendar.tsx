/** Renders the calendar of a share's year. Each day shows its state, and days with files are links. */
import { addDays, type BeijingDate } from "../../calendar/beijing.ts";
import type { DayOfEach } from "../../catalog/days.ts";
import type { CoveredFile } from "../../catalog/files.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import { Calendar, type DayCell } from "../../pages/calendar.tsx";
import { dateText, sizeText, weekdayOf } from "../../pages/figures.ts";
import { datasetsOf } from "../resource.ts";
import type { Messages } from "./messages.ts";

/**
 * The maximum number of listed ranges of missing days. The same limit applies separately to incomplete days. An
 * ellipsis replaces the rest.
 */
const RANGES_NAMED = 12;

/** The states in the legend. Days in any other state are shown as plain numbers. */
const LEGEND = ["present", "incomplete", "missing", "outside"] as const;

interface CalendarProps {
  messages: Messages;
  months: YearDay[][];
  files: ReadonlyMap<BeijingDate, readonly CoveredFile[]>;
}

/** Renders the calendar with its legend and a line about missing and incomplete days. */
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
  const { count, named } = rangesText(days, "missing", messages);
  const missing = count === 0 ? messages.nothingMissing : messages.missingDays(count, named);
  const incomplete = rangesText(days, "incomplete", messages);
  if (incomplete.count === 0) return missing;
  return missing + messages.lineJoint + messages.incompleteDays(incomplete.count, incomplete.named);
}

/** Returns the number of days in the state `wanted`, and the ranges of these days as text. */
function rangesText(days: readonly YearDay[], wanted: "missing" | "incomplete", messages: Messages) {
  const text = (day: BeijingDate) => dateText(day).slice(5);
  const ranges = rangesOf(days, wanted).map(({ from, to, lacks }) => {
    const range = from === to ? text(from) : `${text(from)} – ${text(to)}`;
    return lacks.length === 0 ? range : range + messages.without(lacks);
  });
  const named = ranges.slice(0, RANGES_NAMED).join(", ");
  return {
    count: days.filter(({ state }) => state === wanted).length,
    named: ranges.length > RANGES_NAMED ? `${named} …` : named,
  };
}

function cellOf({ day, state, lacks }: YearDay, files: readonly CoveredFile[], messages: Messages): DayCell {
  const size = sizeText(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const detail = files.length === 0 ? "" : `${messages.folderFiles(files.length)}, ${size}`;
  const named = state === "unknown" ? "" : messages.states[state];
  const said = lacks.length === 0 ? named : named + messages.without(lacks);
  return {
    day,
    look: lookOf(state),
    label: messages.dayLabel(dateText(day), said, detail),
    href: state === "present" || state === "incomplete" ? `${day}/` : null,
  };
}

/** Returns the CSS classes of a state; days with files have the strongest shade. */
function lookOf(state: DayState): string {
  if (state === "incomplete") return "degraded shade-5";
  return state === "present" ? "present shade-5" : state;
}

/**
 * `incomplete`: a past trading day with files that lacks the pack of a dataset. `outside`: a past trading day that the
 * share does not cover. `upcoming`: a later day, or today while it has no file. `unknown`: a weekday that the trading
 * calendar does not contain.
 */
export type DayState = "present" | "incomplete" | "missing" | "closed" | "outside" | "upcoming" | "unknown";

export interface YearDay {
  day: BeijingDate;
  state: DayState;
  /** The datasets that an incomplete day lacks; empty for any other day. */
  lacks: readonly DatasetName[];
}

export interface YearFacts {
  year: number;
  today: BeijingDate;
  /** The first and last covered day; null when the share covers nothing. */
  days: { from: BeijingDate; to: BeijingDate } | null;
  /** Days with a file. */
  present: ReadonlySet<BeijingDate>;
  /** The missing datasets of each day that has files but lacks a dataset, as `lackingDatasets` returns them. */
  lacking: ReadonlyMap<BeijingDate, readonly DatasetName[]>;
  /** The trading calendar: open or closed, for the days it contains. */
  open: ReadonlyMap<BeijingDate, boolean>;
}

/** Returns all days of the year in twelve lists, one for each month. */
export function yearDays(facts: YearFacts): YearDay[][] {
  const months: YearDay[][] = Array.from({ length: 12 }, () => []);
  const first = `${facts.year}0101` as BeijingDate;
  for (let day = first; day.startsWith(String(facts.year)); day = addDays(day, 1)) {
    const state = stateOf(day, facts);
    const lacks = state === "incomplete" ? (facts.lacking.get(day) ?? []) : [];
    months[Number(day.slice(4, 6)) - 1]?.push({ day, state, lacks });
  }
  return months;
}

function stateOf(day: BeijingDate, { today, days, present, lacking, open }: YearFacts): DayState {
  const trades = open.get(day);
  const isClosed = trades === false || (trades === undefined && weekdayOf(day) >= 5);
  // Today is not incomplete, because its other packs are still to come. A closed day is not incomplete either, because
  // an operator can publish a file for any day.
  if (present.has(day)) return lacking.has(day) && !isClosed && day < today ? "incomplete" : "present";
  if (isClosed) return "closed";
  if (day >= today) return "upcoming";
  if (days === null || day < days.from) return "outside";
  return trades === undefined ? "unknown" : "missing";
}

/** Successive trading days that have the same state and lack the same datasets. `from` and `to` are inclusive. */
export interface DayRange {
  from: BeijingDate;
  to: BeijingDate;
  lacks: readonly DatasetName[];
}

/** Returns the missing or the incomplete days as ranges; `days` is in ascending order. */
export function rangesOf(days: readonly YearDay[], wanted: "missing" | "incomplete"): DayRange[] {
  const ranges: DayRange[] = [];
  let open: DayRange | undefined;
  for (const { day, state, lacks } of days) {
    if (state === "closed") continue;
    if (state !== wanted) open = undefined;
    else if (open !== undefined && open.lacks.join() === lacks.join()) open.to = day;
    else {
      open = { from: day, to: day, lacks };
      ranges.push(open);
    }
  }
  return ranges;
}

/**
 * Returns the missing datasets of each day that has files. A dataset is missing on a day if another day of the share
 * has a pack of the dataset, and if the day is not before the dataset's `earliest` day. Days without a missing dataset
 * have no entry.
 */
export function lackingDatasets(
  ofDays: ReadonlyMap<BeijingDate, readonly CoveredFile[]>,
  earliest: DayOfEach,
): Map<BeijingDate, DatasetName[]> {
  const shared = datasetsOf([...ofDays.values()].flat());
  const lacking = new Map<BeijingDate, DatasetName[]>();
  for (const [day, files] of ofDays) {
    const present = datasetsOf(files);
    const lacks = shared.filter((dataset) => !present.includes(dataset) && day >= (earliest[dataset] ?? day));
    if (lacks.length > 0) lacking.set(day, lacks);
  }
  return lacking;
}
