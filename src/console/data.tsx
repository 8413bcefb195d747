/**
 * The Data page for one year: a calendar of the days, shaded by their number of rows; a list of the days with problems;
 * and totals by month.
 */

import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { overviewOf } from "../catalog/day-overview.ts";
import { servedSpans } from "../catalog/days.ts";
import { DATASET_NAMES, DATASETS, type DatasetName, isDatasetName } from "../datasets/registry.ts";
import { standingOf } from "../entitlement/standing.ts";
import { Calendar, type DayCell } from "../pages/calendar.tsx";
import { CALENDAR_NAMES, type CalendarNames, countText, dateText, sizeText } from "../pages/figures.ts";
import { type Desk, html } from "./desk.tsx";
import { type Fact, Facts, Grid, Layout } from "./layout.tsx";
import type { DayMark, Messages } from "./messages.ts";
import { type HeatDay, type OddRange, oddRanges, SHADES, yearHeat } from "./year-heat.ts";

const LEGEND: readonly DayMark[] = ["missing", "degraded", "withdrawn", "damaged", "pending", "outside"];

const served = (days: readonly HeatDay[]) => days.filter(({ loaded }) => loaded !== null);
const sum = (days: readonly HeatDay[], of: "rows" | "sizeBytes") =>
  days.reduce((total, { loaded }) => total + (loaded?.[of] ?? 0), 0);
const isLacking = ({ mark }: HeatDay) => mark === "missing" || mark === "withdrawn" || mark === "damaged";

interface DaysProps {
  days: readonly HeatDay[];
  messages: Messages;
}

/** Renders the totals of the year. `rowsName` labels the number of rows. */
function Figures({ days, rowsName, messages }: DaysProps & { rowsName: string }) {
  const has = served(days);
  const expected = has.length + days.filter(isLacking).length;
  const newest = has.at(-1);
  const count = (
    <>
      {has.length} <small>{messages.ofDays(expected)}</small>
    </>
  );
  const facts: Fact[] = [
    { label: messages.daysLoaded, value: count },
    { label: rowsName, value: countText(sum(days, "rows")) },
    { label: messages.size, value: sizeText(sum(days, "sizeBytes")) },
    { label: messages.newestDay, value: newest === undefined ? messages.none : dateText(newest.day) },
  ];
  return <Facts kind="stats" facts={facts} />;
}

function Legend({ days, messages }: DaysProps) {
  return (
    <ul class="legend">
      <li>
        {messages.fewer}
        {Array.from({ length: SHADES }, (_, place) => (
          <span class={`day shade-${place + 1}`} aria-hidden="true" />
        ))}
        {messages.more}
      </li>
      {LEGEND.filter((mark) => days.some((day) => day.mark === mark)).map((mark) => (
        <li>
          <span class={`day ${mark}`} aria-hidden="true" />
          {messages.dayStates[mark]}
        </li>
      ))}
    </ul>
  );
}

function cellOf({ day, mark, shade, loaded }: HeatDay, messages: Messages): DayCell {
  const rows = loaded === null ? "" : `, ${messages.dayRows(countText(loaded.rows))}`;
  const quality = isFailed({ loaded }) ? `, ${messages.qualityFailed}` : "";
  return {
    day,
    look: shade > 0 ? `${mark} shade-${shade}` : mark,
    label: `${dateText(day)}, ${messages.dayStates[mark]}${rows}${quality}`,
    href: loaded === null ? null : dayAddress(day),
  };
}

/** Returns the path of a day's page. */
function dayAddress(day: BeijingDate): string {
  return `/console/day?day=${day}`;
}

/** Returns whether the quality check of the day failed and the operator published it with force. */
function isFailed({ loaded }: Pick<HeatDay, "loaded">): boolean {
  return loaded?.quality?.verdict === "failed";
}

/** Returns the path of the page "Try it" with a dataset and a day preset. */
export function tryAddress(dataset: DatasetName, day: BeijingDate): string {
  return `/console/try?op=${DATASETS[dataset].apiname}&tradedate=${day}`;
}

function pageAddress(dataset: DatasetName, year: number): string {
  return `/console/data?${dataset === "orders" ? "" : `dataset=${dataset}&`}year=${year}`;
}

function Attention({ days, messages }: DaysProps) {
  const odd = oddRanges(days);
  const failed = days.filter(isFailed);
  return (
    <section aria-labelledby="attention">
      <h2 id="attention" tabindex={-1}>
        {messages.attention}
      </h2>
      {odd.length + failed.length === 0 ? (
        <p>{messages.noAttention}</p>
      ) : (
        <ul class="odd">
          {odd.toReversed().map((range) => (
            <li>
              <b>{rangeText(range, messages)}</b> {messages.dayStates[range.mark]}
            </li>
          ))}
          {failed.toReversed().map(({ day }) => (
            <li>
              <a href={dayAddress(day)}>{dateText(day)}</a> {messages.qualityFailed}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function rangeText({ from, to, days }: OddRange, messages: Messages): string {
  return days === 1 ? dateText(from) : messages.dayRange(dateText(from), dateText(to), days);
}

interface MonthsProps {
  months: readonly HeatDay[][];
  names: CalendarNames;
  messages: Messages;
}

function Months({ months, names, messages }: MonthsProps) {
  const rows = months
    .map((days, place) => ({ days, name: names.month(place + 1) }))
    .filter(({ days }) => served(days).length > 0 || days.some(isLacking));
  if (rows.length === 0) return null;
  return (
    <section>
      <h2 id="months">{messages.byMonth}</h2>
      <Grid
        labelledBy="months"
        headings={[
          messages.monthColumn,
          [messages.daysColumn],
          [messages.missingColumn],
          [messages.rows],
          [messages.size],
        ]}
      >
        {rows.map(({ days, name }) => (
          <tr>
            <th scope="row">{name}</th>
            <td class="number">{served(days).length}</td>
            <td class="number">{days.filter(isLacking).length}</td>
            <td class="number">{countText(sum(days, "rows"))}</td>
            <td class="number">{sizeText(sum(days, "sizeBytes"))}</td>
          </tr>
        ))}
      </Grid>
    </section>
  );
}

/** Serves the page of the dataset and year in the URL; by default orders and the current year. */
export async function showData(desk: Desk): Promise<Response> {
  const { c, nowMs, reader, who } = desk;
  const { messages } = reader;
  const window = standingOf(who.principal, nowMs).windows.order_history;
  return html(
    c,
    <Layout reader={reader} title={messages.pages.data} page="data">
      <p class="lead">{window === null ? messages.dataOutside : messages.dataLead}</p>
      {window === null ? null : await yearOf(desk, window.from)}
    </Layout>,
  );
}

/** Renders the year in the URL. `windowFrom` is the first day of the plan's window; null when it has none. */
async function yearOf({ c, env, nowMs, reader }: Desk, windowFrom: BeijingDate | null) {
  const { language, messages } = reader;
  const names = CALENDAR_NAMES[language];
  const today = beijingDate(nowMs);
  const thisYear = Number(today.slice(0, 4));
  const named = c.req.query("dataset") ?? "";
  const dataset = isDatasetName(named) ? named : "orders";
  const earliest = (await servedSpans(env.DB)).earliest[dataset];
  // Days before the first loaded day do not count as missing.
  const from = later(windowFrom, earliest);
  const firstYear = Math.min(Number((from ?? today).slice(0, 4)), thisYear);
  const years = Array.from({ length: thisYear - firstYear + 1 }, (_, place) => firstYear + place);
  const asked = Number(c.req.query("year") ?? thisYear);
  const year = years.includes(asked) ? asked : thisYear;
  const begin = `${year}0101` as BeijingDate;
  const span = { first: later(begin, from) ?? begin, last: `${year}1231` as BeijingDate, today, dataset };
  const months = yearHeat(year, await overviewOf(env.DB, span), { today, from });
  const days = months.flat();
  return (
    <>
      <div class="choices">
        <nav class="years" aria-label={messages.dataset}>
          {DATASET_NAMES.map((each) => (
            <a href={pageAddress(each, year)} aria-current={each === dataset ? "page" : undefined}>
              {messages.datasets[each]}
            </a>
          ))}
        </nav>
        <nav class="years" aria-label={messages.year}>
          {years.map((each) => (
            <a href={pageAddress(dataset, each)} aria-current={each === year ? "page" : undefined}>
              {each}
            </a>
          ))}
        </nav>
      </div>
      <Figures days={days} rowsName={messages.datasets[dataset]} messages={messages} />
      <Legend days={days} messages={messages} />
      <Calendar
        months={months.map((each) => each.map((day) => cellOf(day, messages)))}
        names={names}
        heading="h2"
      >
        <a class="skip" href="#attention">
          {messages.skipCalendar}
        </a>
      </Calendar>
      <Attention days={days} messages={messages} />
      <Months months={months} names={names} messages={messages} />
    </>
  );
}

/** Returns the later of two days. If one of them is null, returns the other. */
export function later(one: BeijingDate | null, other: BeijingDate | null): BeijingDate | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
