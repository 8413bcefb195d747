/** Instants that operators and callers name: as text, and within the years the service stores. */
import { parseBeijingDate, startOfDay } from "./beijing.ts";

/** 2000-01-01 and 10000-01-01 in Beijing. Later instants have no RFC 3339 text, and dates cannot hold the latest. */
const FIRST_MS = Date.UTC(2000, 0, 1, -8);
const BEYOND_MS = Date.UTC(10_000, 0, 1, -8);

/** The last instant that `isStorable` accepts: what an end without a year stands for. */
export const LAST_STORABLE_MS = BEYOND_MS - 1;

/** What `isStorable` asks, as a clause for messages. */
export const STORABLE_INSTANTS = "an instant of the years 2000 to 9999";

/** Returns whether the catalog takes `epochMs` (Unix milliseconds): the years 2000 to 9999 in Beijing, both included. */
export function isStorable(epochMs: number): boolean {
  return epochMs >= FIRST_MS && epochMs < BEYOND_MS;
}

/**
 * Unix milliseconds of `YYYYMMDD` or `YYYY-MM-DD` (the beginning of that day in Beijing) or of RFC 3339
 * with an offset; `null` for anything else.
 */
export function parseInstant(text: string): number | null {
  const date = /^\d{4}-?\d\d-?\d\d$/.test(text) ? parseBeijingDate(text.replaceAll("-", "")) : null;
  if (date !== null) return startOfDay(date);
  if (!/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return null;
  const ms = Date.parse(text.toUpperCase());
  return Number.isFinite(ms) ? ms : null;
}
