/** Instants as people write them. */
import { parseBeijingDate, startOfDay } from "./beijing.ts";

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
