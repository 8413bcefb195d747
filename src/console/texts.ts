/** Numbers and instants as the pages write them. */

/** Digits in groups of three. */
export function countText(count: number): string {
  return count.toLocaleString("en");
}

/** An RFC 3339 instant in Beijing time to the second: `2026-03-12 10:00:07`. */
export function momentText(timestamp: string): string {
  return timestamp.slice(0, 19).replace("T", " ");
}
