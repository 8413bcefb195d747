/**
 * Redacts the caller's key from refusals. An imported key can have any form, so the exact key that the request sent is
 * searched for.
 */
import type { Denial } from "./denial.ts";

/** The shortest key that is redacted. A shorter one is not a secret and could occur in ordinary values by chance. */
const LEAST_CHARACTERS = 8;

/** The shortest prefix of the key that is redacted when an excerpt ends inside the key. */
const LEAST_BEGINNING = 4;

/** The members of a denial that quote the caller's input. */
const REPEATING = ["given", "accepted", "parameter", "field", "apiname"];

/** Returns `denial` with `apikey` redacted from quoted input, for the message and the stored refusal. */
export function withoutKey(denial: Denial, apikey: string): Denial {
  const members = Object.entries(denial).map(([name, value]) =>
    typeof value === "string" && REPEATING.includes(name) ? [name, maskKey(value, apikey)] : [name, value],
  );
  return Object.fromEntries(members) as Denial;
}

/** Redacts `apikey` from the names of unknown parameters in a warning header. */
export function maskWarning(headers: Headers, apikey: string): void {
  const warning = headers.get("X-Warning");
  if (warning === null) return;
  const name = (encoded: string) => encodeURIComponent(maskKey(decodeURIComponent(encoded), apikey));
  headers.set("X-Warning", warning.replaceAll(/[^ ,:]+/g, name));
}

/** Returns `excerpt` with `apikey` replaced by `…`, also where the excerpt ends inside the key. */
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
