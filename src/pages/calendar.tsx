/** The calendar of a year: twelve small months with a cell for each day. Its style is `calendar.css`. */
import type { Child } from "hono/jsx";
import type { BeijingDate } from "../calendar/beijing.ts";
import { type CalendarNames, weekdayOf } from "./figures.ts";

/** The cell of a day. */
export interface DayCell {
  day: BeijingDate;
  /** CSS classes of the day's state. */
  look: string;
  /** The date and the day's state as text. */
  label: string;
  /** The link of the day, or null. */
  href: string | null;
}

interface CalendarProps {
  /** The days of the year in twelve lists, one for each month. */
  months: readonly (readonly DayCell[])[];
  names: CalendarNames;
  /** The level of the months' headings. */
  heading: "h2" | "h3";
  /** Content before the months, such as a skip link. */
  children?: Child;
}

export function Calendar({ months, names, heading: Heading, children }: CalendarProps) {
  return (
    <div class="year card">
      {children}
      {months.map((days, place) => (
        <div class="month">
          <Heading>{names.month(place + 1)}</Heading>
          <div class="days">
            {names.weekdays.map((weekday) => (
              <span class="weekday" aria-hidden="true">
                {weekday}
              </span>
            ))}
            {days.map((cell, at) => (
              <Day cell={cell} start={at === 0 ? ` starts-${weekdayOf(cell.day) + 1}` : ""} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

/** Renders a day. `start` is the class that places a month's first day below its weekday. */
function Day({ cell: { day, look, label, href }, start }: { cell: DayCell; start: string }) {
  const number = String(Number(day.slice(6)));
  const Cell = href === null ? "span" : "a";
  return (
    <Cell
      class={`day ${look}${start}`}
      href={href ?? undefined}
      title={label}
      aria-label={href === null ? undefined : `${number}, ${label}`}
    >
      {number}
    </Cell>
  );
}
