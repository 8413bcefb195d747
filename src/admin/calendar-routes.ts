/** `/admin/calendar`: the trading days the operator loaded. */
import { Hono } from "hono";
import type { BeijingDate } from "../calendar/beijing.ts";
import { calendarDays, calendarKnownUntil, setCalendarDays } from "../catalog/calendar-days.ts";
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
  return { year, days, knownUntil: await calendarKnownUntil(c.env.DB) };
}

async function setDays(c: AdminContext): Promise<CalendarChanged | AdminRefusal> {
  const change = await bodyOf(c, calendarChangeSchema);
  if (isRefusal(change)) return change;
  const changed = await setCalendarDays(c.env.DB, { ...change, ...byOf(c) });
  const knownUntil = await calendarKnownUntil(c.env.DB);
  if (knownUntil === null) throw new Error("the calendar was loaded and is empty");
  return { changed, knownUntil };
}
