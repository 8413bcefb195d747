/** The calendar of a year: twelve small months, days as cells, those that can be opened as links. */
import type { Child } from "hono/jsx";
import type { BeijingDate } from "../calendar/beijing.ts";
import calendarStyle from "./calendar.css" with { type: "text" };
import { type CalendarNames, weekdayOf } from "./figures.ts";

/** For the style of pages that show a calendar. */
export const CALENDAR_STYLE = calendarStyle;

/** A day as its cell shows it. */
export interface DayCell {
  day: BeijingDate;
  /** What the day is, as classes. */
  look: string;
  /** The date and what the day is, as text. */
  label: string;
  /** Where the day opens; null for one that does not. */
  href: string | null;
}

interface CalendarProps {
  /** All days, by month from January on. */
  months: readonly (readonly DayCell[])[];
  names: CalendarNames;
  /** The level of the months' headings. */
  heading: "h2" | "h3";
  /** Before the months: a way past them. */
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

/** `start` is the class that puts a month's first day below its weekday. */
function Day({ cell: { day, look, label, href }, start }: { cell: DayCell; start: string }) {
  const number = String(Number(day.slice(6)));
  const classes = `day ${look}${start}`;
  if (href === null) {
    return (
      <span class={classes} title={label}>
        {number}
      </span>
    );
  }
  return (
    <a class={classes} href={href} title={label} aria-label={`${number}, ${label}`}>
      {number}
    </a>
  );
}
