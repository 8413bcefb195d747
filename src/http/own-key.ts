/**
 * The caller's own key, redacted from refusals: keys of our form are known by it, imported
 * ones have any, so only the request itself says what to look for.
 */
import type { Denial } from "./denial.ts";

/** A shorter text is no secret, and would stand in honest values by chance. */
const LEAST_CHARACTERS = 8;

/** So much of a key's beginning is taken out where an excerpt cut it short. */
const LEAST_BEGINNING = 4;

/** Members of denials that repeat, as an excerpt, what the caller wrote. */
const REPEATING = ["given", "accepted", "parameter", "field", "apiname"];

/** `denial` without `apikey` in what it repeats: for the message, and for the refusal that is kept. */
export function withoutKey(denial: Denial, apikey: string): Denial {
  const members = Object.entries(denial).map(([name, value]) =>
    typeof value === "string" && REPEATING.includes(name) ? [name, maskKey(value, apikey)] : [name, value],
  );
  return Object.fromEntries(members) as Denial;
}

/** Takes `apikey` out of the names of unknown parameters that an answer warns of. */
export function maskWarning(headers: Headers, apikey: string): void {
  const warning = headers.get("X-Warning");
  if (warning === null) return;
  const name = (encoded: string) => encodeURIComponent(maskKey(decodeURIComponent(encoded), apikey));
  headers.set("X-Warning", warning.replaceAll(/[^ ,:]+/g, name));
}

/** `excerpt` with `apikey` replaced by `…`, also where the excerpt ends in the middle of it. */
export function maskKey(excerpt: string, apikey: string): string {
  const key = apikey.trim();
  if (key.length < LEAST_CHARACTERS) return excerpt;
  const masked = excerpt.replaceAll(key, "\u2026");
  if (!masked.endsWith("\u2026")) return masked;
  const kept = masked.slice(0, -1);
  for (let length = Math.min(key.length - 1, kept.length); length >= LEAST_BEGINNING; length--) {
    if (kept.endsWith(key.slice(0, length))) return `${kept.slice(0, -length)}\u2026`;
  }
  return masked;
}
