/**
 * Trading days of the Shanghai and Shenzhen exchanges out of the public holidays: open on weekdays that
 * are no holiday. A weekend that the State Council makes a working day is still closed.
 */
import chineseDays from "chinese-days";
import library from "chinese-days/package.json" with { type: "json" };
import { addDays, type BeijingDate, isWeekend } from "../../calendar/beijing.ts";

/** Where `exchangeDays` come from, for the operator: the library and its version. */
export const LIBRARY_SOURCE = `${library.name} ${library.version}`;

/** A calendar day and whether the exchanges trade on it. */
export interface ExchangeDay {
  day: BeijingDate;
  open: boolean;
}

/**
 * Days on which the exchanges closed though it was no public holiday. 2024-02-09, the eve of the Spring
 * Festival, was left to employers; the exchanges' notice of 2023-12-26 closed it.
 */
const OTHER_CLOSURES: ReadonlySet<string> = new Set(["20240209"]);

/**
 * Whether the holiday library knows `year`. The State Council announces a year's holidays in the November
 * before; an unknown year has none at all there, so 1 January and 1 October would pass as working days.
 */
export function knowsHolidays(year: number): boolean {
  return ["01-01", "10-01"].every(
    (day) => chineseDays.isHoliday(`${year}-${day}`) && isNamed(`${year}-${day}`),
  );
}

/** A holiday has its own name in the library; a plain weekend carries the weekday's. */
function isNamed(isoDate: string): boolean {
  return chineseDays.getDayDetail(isoDate).name.includes(",");
}

/** Every day of `year` by the holiday library. The caller asks `knowsHolidays` first. */
export function exchangeDays(year: number): ExchangeDay[] {
  return daysOf(year, (day) => !OTHER_CLOSURES.has(day) && !chineseDays.isHoliday(isoDate(day)));
}

/** Every day of `year` with all weekdays open: a stand-in for a year whose holidays are not announced. */
export function weekdays(year: number): ExchangeDay[] {
  return daysOf(year, () => true);
}

function daysOf(year: number, openOnWeekday: (day: BeijingDate) => boolean): ExchangeDay[] {
  const days: ExchangeDay[] = [];
  let day = `${year}0101` as BeijingDate;
  for (; day.startsWith(String(year)); day = addDays(day, 1)) {
    days.push({ day, open: !isWeekend(day) && openOnWeekday(day) });
  }
  return days;
}

function isoDate(day: BeijingDate): string {
  return `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}`;
}
