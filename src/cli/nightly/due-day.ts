/** Which day an evening is about. */
import { addDays, type BeijingDate, beijingDate, startOfDay } from "../../calendar/beijing.ts";

/** The exchanges close at 15:00; after it the day's delivery may come. */
const CLOSE_MS = 15 * 3_600_000;

/** The last Beijing day whose session was over at `nowMs`, had it been a trading day. */
export function lastClosedDay(nowMs: number): BeijingDate {
  const today = beijingDate(nowMs);
  return nowMs - startOfDay(today) >= CLOSE_MS ? today : addDays(today, -1);
}

/**
 * The newest trading day up to `last`, or null when `calendar` (ascending) does not say what every day from
 * that one to `last` is: a gap may hide a trading day.
 */
export function newestTradingDay(
  calendar: { day: BeijingDate; open: boolean }[],
  last: BeijingDate,
): BeijingDate | null {
  const open = new Map(calendar.map(({ day, open }) => [day, open]));
  for (let day = last; open.has(day); day = addDays(day, -1)) if (open.get(day)) return day;
  return null;
}

/**
 * The instant (Unix milliseconds) of a time of the evening of `tradedate`. A time before noon is in the night
 * after it.
 *
 * @example eveningTime("20260312", { hours: 1, minutes: 30 }) // 2026-03-13T01:30:00+08:00
 */
export function eveningTime(
  tradedate: BeijingDate,
  { hours, minutes }: { hours: number; minutes: number },
): number {
  const dayMs = hours < 12 ? startOfDay(addDays(tradedate, 1)) : startOfDay(tradedate);
  return dayMs + (hours * 60 + minutes) * 60_000;
}
