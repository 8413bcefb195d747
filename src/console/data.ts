/** What of a year the holder may read. */
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { overviewOf } from "../catalog/day-overview.ts";
import { servedSpan } from "../catalog/day-span.ts";
import { standingOf } from "../entitlement/standing.ts";
import { dataPage } from "./data-page.tsx";
import { type Desk, html } from "./exchange.ts";
import { yearHeat } from "./year-heat.ts";

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
