/** When a long row of days will be over. */

/** The latest so many days say how long one takes: the first ones are small, or the line was slow. */
const COUNTED = 20;

/** Seconds until `left` more days are loaded, by those that were (`seconds` each, oldest first); null before the first. */
export function secondsLeft(seconds: readonly number[], left: number): number | null {
  const counted = seconds.slice(-COUNTED);
  if (counted.length === 0) return null;
  return (counted.reduce((sum, each) => sum + each, 0) / counted.length) * left;
}

/** A span as people say it: `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function spanText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
