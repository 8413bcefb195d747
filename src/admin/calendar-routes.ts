/** `/admin/calendar`: the trading days the operator loaded. */
import { Hono } from "hono";
import { type BeijingDate, beijingDate, isWeekend } from "../calendar/beijing.ts";
import { calendarDays, calendarReach, setCalendarDays } from "../catalog/calendar-days.ts";
import { type AdminContext, type AdminEnv, answer, bodyOf, byOf, isRefusal, parsed } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { type Calendar, type CalendarChanged, calendarChangeSchema } from "./wire.ts";
import { yearSchema } from "./wire-fields.ts";

/** The routes below `/admin/calendar`. */
export function calendarRoutes(): Hono<AdminEnv> {
  return new Hono<AdminEnv>()
    .get("/", async (c) => answer(c, await showYear(c)))
    .put("/", async (c) => answer(c, await setDays(c)));
}

async function showYear(c: AdminContext): Promise<Calendar | AdminRefusal> {
  const year = parsed(yearSchema, c.req.query("year"), "year");
  if (typeof year !== "number") return year;
  const digits = String(year).padStart(4, "0");
  const days = await calendarDays(c.env.DB, `${digits}0101` as BeijingDate, `${digits}1231` as BeijingDate);
  return { year, days, knownUntil: await knownUntil(c) };
}

async function setDays(c: AdminContext): Promise<CalendarChanged | AdminRefusal> {
  const body = await bodyOf(c, calendarChangeSchema);
  if (isRefusal(body)) return body;
  const { force, ...change } = body;
  const [weekend, ...more] = change.days.filter(({ day, open }) => open && isWeekend(day));
  if (weekend !== undefined && !force) return { reason: "weekend_open", day: weekend.day, more: more.length };
  const changed = await setCalendarDays(c.env.DB, { ...change, ...byOf(c) });
  const until = await knownUntil(c);
  if (until === null) throw new Error("the calendar was loaded and is empty");
  return { changed, knownUntil: until };
}

async function knownUntil(c: AdminContext): Promise<BeijingDate | null> {
  return (await calendarReach(c.env.DB, beijingDate(byOf(c).nowMs))).knownUntil;
}
