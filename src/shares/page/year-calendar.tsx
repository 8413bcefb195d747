/** The year at a glance: twelve small months, each day by its state, days with files as links. */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { CoveredFile } from "../../catalog/files.ts";
import { dateText, sizeText } from "./figures.ts";
import { type PageLanguage, type PageWords, WORDS } from "./words.ts";
import { missingRanges, weekdayOf, type YearDay } from "./year-days.ts";

/** More missing days in a row than this are counted, not named. */
const MISSING_NAMED = 12;

const LEGEND = ["present", "missing", "closed", "outside", "upcoming"] as const;

interface CalendarProps {
  language: PageLanguage;
  months: YearDay[][];
  files: ReadonlyMap<BeijingDate, readonly CoveredFile[]>;
}

/** The calendar with its legend and a sentence about what is missing. */
export function YearCalendar({ language, months, files }: CalendarProps) {
  const words = WORDS[language];
  const days = months.flat();
  const shown = LEGEND.filter((state) => days.some((each) => each.state === state));
  return (
    <section aria-labelledby="calendar">
      <h2 id="calendar">{words.calendar}</h2>
      <p class="missing-line">{missingLine(days, words)}</p>
      <ul class="legend">
        {shown.map((state) => (
          <li>
            <span class={`day ${state}`} aria-hidden="true" />
            {words.states[state]}
          </li>
        ))}
      </ul>
      <div class="year card">
        {months.map((month, place) => (
          <Month name={words.month(place + 1)} days={month} words={words} files={files} />
        ))}
      </div>
    </section>
  );
}

function missingLine(days: readonly YearDay[], words: PageWords): string {
  const count = days.filter(({ state }) => state === "missing").length;
  if (count === 0) return words.nothingMissing;
  const text = (day: BeijingDate) => dateText(day).slice(5);
  const ranges = missingRanges(days).map(({ from, to }) =>
    from === to ? text(from) : `${text(from)} – ${text(to)}`,
  );
  const named = ranges.slice(0, MISSING_NAMED).join(", ");
  return words.missingDays(count, ranges.length > MISSING_NAMED ? `${named} …` : named);
}

interface MonthProps {
  name: string;
  days: readonly YearDay[];
  words: PageWords;
  files: CalendarProps["files"];
}

function Month({ name, days, words, files }: MonthProps) {
  const [first] = days;
  return (
    <div class="month">
      <h3>{name}</h3>
      <div class="days">
        {words.weekdays.map((weekday) => (
          <span class="weekday" aria-hidden="true">
            {weekday}
          </span>
        ))}
        {days.map((day) => (
          <Day
            day={day}
            start={day === first ? `starts-${weekdayOf(day.day) + 1}` : ""}
            words={words}
            files={files.get(day.day) ?? []}
          />
        ))}
      </div>
    </div>
  );
}

interface DayProps {
  day: YearDay;
  /** The class that puts a month's first day below its weekday. */
  start: string;
  words: PageWords;
  files: readonly CoveredFile[];
}

function Day({ day: { day, state }, start, words, files }: DayProps) {
  const size = sizeText(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const detail = files.length === 0 ? "" : `${words.folderFiles(files.length)}, ${size}`;
  const said = state === "unknown" ? "" : words.states[state];
  const label = words.dayLabel(dateText(day), said, detail);
  const number = String(Number(day.slice(6)));
  const classes = `day ${state} ${start}`.trim();
  if (state === "present") {
    return (
      <a class={classes} href={`${day}/`} title={label} aria-label={label}>
        {number}
      </a>
    );
  }
  return (
    <span class={classes} title={label}>
      {number}
    </span>
  );
}
