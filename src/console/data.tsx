/** Data: a year of what the holder may read, each day shaded by its orders; what is missing; the months in numbers. */
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { overviewOf } from "../catalog/day-overview.ts";
import { servedSpan } from "../catalog/day-span.ts";
import { standingOf } from "../entitlement/standing.ts";
import { countText, dateText, sizeText, weekdayOf } from "../pages/figures.ts";
import { documentOf } from "../pages/frame.tsx";
import { type Desk, html } from "./desk.tsx";
import { Layout, type Reader } from "./layout.tsx";
import { type DayMark, WORDS, type Words } from "./messages.ts";
import { type HeatDay, type OddRange, oddRanges, SHADES, yearHeat } from "./year-heat.ts";

export interface DataFacts {
  reader: Reader;
  year: number;
  /** Years that can be shown, oldest first. */
  years: readonly number[];
  /** All days by month; null when the plan has no order history. */
  months: HeatDay[][] | null;
}

const LEGEND: readonly DayMark[] = ["missing", "degraded", "withdrawn", "damaged", "pending", "outside"];

/** The page as HTML. */
export function dataPage({ reader, year, years, months }: DataFacts): string {
  const words = WORDS[reader.language];
  return documentOf(
    <Layout reader={reader} title={words.pages.data} page="data">
      <h1>{words.pages.data}</h1>
      {months === null ? (
        <p class="lead">{words.dataOutside}</p>
      ) : (
        <>
          <p class="lead">{words.dataLead}</p>
          <nav class="years" aria-label={words.year}>
            {years.map((each) => (
              <a href={`/console/data?year=${each}`} aria-current={each === year ? "page" : undefined}>
                {each}
              </a>
            ))}
          </nav>
          <Figures days={months.flat()} words={words} />
          <Legend days={months.flat()} words={words} />
          <div class="year card">
            <a class="skip" href="#attention">
              {words.skipCalendar}
            </a>
            {months.map((days, place) => (
              <Month name={words.month(place + 1)} days={days} words={words} />
            ))}
          </div>
          <Attention days={months.flat()} words={words} />
          <Months months={months} words={words} />
        </>
      )}
    </Layout>,
  );
}

const served = (days: readonly HeatDay[]) => days.filter(({ loaded }) => loaded !== null);
const sum = (days: readonly HeatDay[], of: "rows" | "sizeBytes") =>
  days.reduce((total, { loaded }) => total + (loaded?.[of] ?? 0), 0);
const isLacking = ({ mark }: HeatDay) => mark === "missing" || mark === "withdrawn" || mark === "damaged";

function Figures({ days, words }: { days: readonly HeatDay[]; words: Words }) {
  const has = served(days);
  const expected = has.length + days.filter(isLacking).length;
  const newest = has.at(-1);
  return (
    <dl class="stats">
      <div>
        <dt>{words.daysLoaded}</dt>
        <dd>
          {has.length} <small>{words.ofDays(expected)}</small>
        </dd>
      </div>
      <div>
        <dt>{words.rowsOfYear}</dt>
        <dd>{countText(sum(days, "rows"))}</dd>
      </div>
      <div>
        <dt>{words.sizeOfYear}</dt>
        <dd>{sizeText(sum(days, "sizeBytes"))}</dd>
      </div>
      <div>
        <dt>{words.newestDay}</dt>
        <dd>{newest === undefined ? words.none : dateText(newest.day)}</dd>
      </div>
    </dl>
  );
}

function Legend({ days, words }: { days: readonly HeatDay[]; words: Words }) {
  return (
    <ul class="legend">
      <li>
        {words.fewer}
        {Array.from({ length: SHADES }, (_, place) => (
          <span class={`day shade-${place + 1}`} aria-hidden="true" />
        ))}
        {words.more}
      </li>
      {LEGEND.filter((mark) => days.some((day) => day.mark === mark)).map((mark) => (
        <li>
          <span class={`day ${mark}`} aria-hidden="true" />
          {words.dayStates[mark]}
        </li>
      ))}
    </ul>
  );
}

function Month({ name, days, words }: { name: string; days: readonly HeatDay[]; words: Words }) {
  const [first] = days;
  return (
    <section class="month">
      <h2>{name}</h2>
      <div class="days">
        {words.weekdays.map((weekday) => (
          <span class="weekday" aria-hidden="true">
            {weekday}
          </span>
        ))}
        {days.map((day) => (
          <Day day={day} start={day === first ? ` starts-${weekdayOf(day.day) + 1}` : ""} words={words} />
        ))}
      </div>
    </section>
  );
}

/** `start` is the class that puts a month's first day below its weekday. */
function Day({
  day: { day, mark, shade, loaded },
  start,
  words,
}: {
  day: HeatDay;
  start: string;
  words: Words;
}) {
  const rows = loaded === null ? "" : `, ${words.dayRows(countText(loaded.rows))}`;
  const label = `${dateText(day)}, ${words.dayStates[mark]}${rows}`;
  const number = String(Number(day.slice(6)));
  const classes = `day ${mark}${shade > 0 ? ` shade-${shade}` : ""}${start}`;
  if (loaded === null) {
    return (
      <span class={classes} title={label}>
        {number}
      </span>
    );
  }
  return (
    <a class={classes} href={tryAddress(day)} title={label} aria-label={`${number}, ${label}`}>
      {number}
    </a>
  );
}

function tryAddress(day: BeijingDate): string {
  return `/console/try?op=level2_order_history&tradedate=${day}`;
}

function Attention({ days, words }: { days: readonly HeatDay[]; words: Words }) {
  const odd = oddRanges(days);
  return (
    <section aria-labelledby="attention">
      <h2 id="attention" tabindex={-1}>
        {words.attention}
      </h2>
      {odd.length === 0 ? (
        <p>{words.noAttention}</p>
      ) : (
        <ul class="odd">
          {odd.toReversed().map((range) => (
            <li>
              <b>{rangeText(range, words)}</b> {words.dayStates[range.mark]}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function rangeText({ from, to, days }: OddRange, words: Words): string {
  return days === 1 ? dateText(from) : words.dayRange(dateText(from), dateText(to), days);
}

function Months({ months, words }: { months: readonly HeatDay[][]; words: Words }) {
  const rows = months
    .map((days, place) => ({ days, name: words.month(place + 1) }))
    .filter(({ days }) => served(days).length > 0 || days.some(isLacking));
  if (rows.length === 0) return null;
  return (
    <section>
      <h2 id="months">{words.byMonth}</h2>
      <section class="card scroll" tabindex={0} aria-labelledby="months">
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">{words.monthColumn}</th>
              {[words.daysColumn, words.missingColumn, words.rows, words.sizeColumn].map((heading) => (
                <th scope="col" class="number">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ days, name }) => (
              <tr>
                <th scope="row">{name}</th>
                <td class="number">{served(days).length}</td>
                <td class="number">{days.filter(isLacking).length}</td>
                <td class="number">{countText(sum(days, "rows"))}</td>
                <td class="number">{sizeText(sum(days, "sizeBytes"))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

/** The page of the year that the address names, or of the newest one. */
export async function showData({ c, env, nowMs, reader, who }: Desk): Promise<Response> {
  const window = standingOf(who.principal, nowMs).windows.order_history;
  const today = beijingDate(nowMs);
  const thisYear = Number(today.slice(0, 4));
  if (window === null) {
    return html(c, dataPage({ reader, year: thisYear, years: [], months: null }));
  }
  const { earliest } = await servedSpan(env.DB);
  const firstDay = later(window.from, earliest) ?? today;
  const firstYear = Math.min(Number(firstDay.slice(0, 4)), thisYear);
  const years = Array.from({ length: thisYear - firstYear + 1 }, (_, place) => firstYear + place);
  const asked = Number(c.req.query("year") ?? thisYear);
  const year = years.includes(asked) ? asked : thisYear;
  const first = later(window.from, `${year}0101` as BeijingDate) ?? (`${year}0101` as BeijingDate);
  // Before the first day of all there is nothing to miss.
  const from = later(window.from, earliest);
  const span = { first: later(first, earliest) ?? first, last: `${year}1231` as BeijingDate, today };
  const days = await overviewOf(env.DB, span);
  return html(c, dataPage({ reader, year, years, months: yearHeat({ year, today, from, days }) }));
}

function later(one: BeijingDate | null, other: BeijingDate | null): BeijingDate | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
