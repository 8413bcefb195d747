/** Formats dates, sizes and counts for the pages. */
import { type BeijingDate, beijingTimestamp } from "../calendar/beijing.ts";

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Formats a size in decimal units with three significant digits: 1_234_567 is `1.23 MB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** Formats an exact size with digits in groups of three. */
export function exactBytes(bytes: number): string {
  return `${countText(bytes)} B`;
}

/** Formats `20260311` as `2026-03-11`. */
export function dateText(day: BeijingDate): string {
  return `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
}

/** Formats an instant in Beijing time to the minute: `2026-03-11 18:05`. */
export function instantText(epochMs: number): string {
  return beijingTimestamp(epochMs).slice(0, 16).replace("T", " ");
}

/** Formats a count with digits in groups of three. */
export function countText(count: number): string {
  return count.toLocaleString("en");
}

/** Formats an RFC 3339 instant in Beijing time to the second: `2026-03-12 10:00:07`. */
export function momentText(timestamp: string): string {
  return timestamp.slice(0, 19).replace("T", " ");
}

/** Returns 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: BeijingDate): number {
  return (new Date(dateText(day)).getUTCDay() + 6) % 7;
}

/** The names of the weekdays, Monday first, and a function that names a month by its number (1 to 12). */
export interface CalendarNames {
  weekdays: readonly string[];
  month(month: number): string;
}

/** The labels of calendars in both languages. */
export const CALENDAR_NAMES: Readonly<Record<"en" | "zh", CalendarNames>> = {
  en: {
    weekdays: ["M", "T", "W", "T", "F", "S", "S"],
    month: (month) =>
      new Date(Date.UTC(2000, month - 1)).toLocaleString("en", { month: "long", timeZone: "UTC" }),
  },
  zh: { weekdays: ["一", "二", "三", "四", "五", "六", "日"], month: (month) => `${month}月` },
};
