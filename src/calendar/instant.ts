/** Instants from operators and callers: their text forms and the range that the service stores. */
import { parseBeijingDate, startOfDay } from "./beijing.ts";

/** The service stores instants from 2000-01-01 to 10000-01-01 (exclusive) in Beijing; RFC 3339 has no later years. */
const FIRST_MS = Date.UTC(2000, 0, 1, -8);
const BEYOND_MS = Date.UTC(10_000, 0, 1, -8);

/** The last instant that `isStorable` accepts; it stands for "no end". */
export const LAST_STORABLE_MS = BEYOND_MS - 1;

/** What `isStorable` accepts, as a phrase for messages. */
export const STORABLE_INSTANTS = "an instant in the years 2000 to 9999";

/**
 * Returns whether the catalog accepts `epochMs` (Unix milliseconds): the years 2000 to 9999 in Beijing, both inclusive.
 */
export function isStorable(epochMs: number): boolean {
  return epochMs >= FIRST_MS && epochMs < BEYOND_MS;
}

/**
 * Converts `text` to Unix milliseconds. Accepts `YYYYMMDD` and `YYYY-MM-DD`, which mean the start of that day in
 * Beijing, and RFC 3339 with an offset. Returns `null` for anything else.
 */
export function parseInstant(text: string): number | null {
  const date = /^\d{4}-?\d\d-?\d\d$/.test(text) ? parseBeijingDate(text.replaceAll("-", "")) : null;
  if (date !== null) return startOfDay(date);
  if (!/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/.test(text)) return null;
  const ms = Date.parse(text.toUpperCase());
  return Number.isFinite(ms) ? ms : null;
}
