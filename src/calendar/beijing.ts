/**
 * Beijing dates. China has used UTC+8 all year since 1991, so a day begins at 16:00:00.000Z of the day before and no
 * time-zone database is needed.
 */

const OFFSET_MS = 8 * 3_600_000;
const DAY_MS = 86_400_000;

/** A calendar day in Beijing as `YYYYMMDD`. */
export type BeijingDate = string & { readonly __brand: "BeijingDate" };

/** Returns the Beijing day of the instant `epochMs` (Unix milliseconds). */
export function beijingDate(epochMs: number): BeijingDate {
  return new Date(epochMs + OFFSET_MS).toISOString().slice(0, 10).replaceAll("-", "") as BeijingDate;
}

/** Returns `text` as a Beijing date, or `null` unless it is eight digits that name a real calendar day. */
export function parseBeijingDate(text: string): BeijingDate | null {
  if (!/^\d{8}$/.test(text)) return null;
  const date = text as BeijingDate;
  const startMs = startOfDay(date);
  return Number.isFinite(startMs) && beijingDate(startMs) === date ? date : null;
}

/** Returns the instant (Unix milliseconds) at which `date` begins in Beijing. */
export function startOfDay(date: BeijingDate): number {
  return Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}T00:00:00Z`) - OFFSET_MS;
}

/** Returns the day `days` calendar days after `date`, or before it when `days` is negative. */
export function addDays(date: BeijingDate, days: number): BeijingDate {
  return beijingDate(startOfDay(date) + days * DAY_MS);
}

/** Returns whether `date` is a Saturday or a Sunday. The mainland exchanges never trade on weekends. */
export function isWeekend(date: BeijingDate): boolean {
  // Noon in Beijing has the same date in UTC.
  return [0, 6].includes(new Date(startOfDay(date) + DAY_MS / 2).getUTCDay());
}

/**
 * Returns the first day of a window of `days` calendar days whose last day is `today`. Weekends and holidays count; the
 * window is never extended to reach a number of trading days (contract 7.2).
 *
 * @example windowStart("20260301" as BeijingDate, 30) // "20260131"
 */
export function windowStart(today: BeijingDate, days: number): BeijingDate {
  return addDays(today, 1 - days);
}

/** Returns the whole seconds, at least 1, from `epochMs` to the start of the next Beijing day, when quotas reset. */
export function secondsToNextDay(epochMs: number): number {
  const nextMs = startOfDay(beijingDate(epochMs)) + DAY_MS;
  return Math.max(1, Math.ceil((nextMs - epochMs) / 1000));
}

/** RFC 3339 can express the years 0 to 9999. These are the first and the last instant of those years in Beijing. */
const FIRST_WRITABLE_MS = Date.parse("0000-01-01T00:00:00Z") - OFFSET_MS;
const LAST_WRITABLE_MS = Date.parse("9999-12-31T23:59:59.999Z") - OFFSET_MS;

/**
 * Returns `epochMs` as RFC 3339 in Beijing time without milliseconds, for example `2026-11-27T09:30:00+08:00`. An
 * instant beyond the years 0 to 9999 is shown as their first or last, so that a bad value cannot fail a whole list.
 */
export function beijingTimestamp(epochMs: number): string {
  const shownMs = Math.min(Math.max(epochMs, FIRST_WRITABLE_MS), LAST_WRITABLE_MS);
  return `${new Date(shownMs + OFFSET_MS).toISOString().slice(0, 19)}+08:00`;
}
