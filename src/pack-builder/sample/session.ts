/**
 * Generates the times of a sample day's orders, in steps of 10 ms. As at the exchanges, the times are spread over the
 * session, and several rows can share one.
 */
import type { Random } from "./random.ts";

const STEP_MS = 10;
const MINUTE_MS = 60_000;

/**
 * Returns the relative number of rows in the minute that begins `minute` minutes after midnight; 0 while no orders are
 * accepted.
 */
function minuteWeight(minute: number): number {
  const [open, auctionEnd, trading, noon, afternoon, closing, end] = [555, 565, 570, 690, 780, 897, 900];
  if (minute < open || minute >= end || (minute >= noon && minute < afternoon)) return 0;
  if (minute === open) return 780;
  if (minute < auctionEnd) return minute === auctionEnd - 1 ? 150 : 50;
  if (minute < trading) return 0;
  if (minute === trading) return 1220;
  if (minute === trading + 1) return 640;
  if (minute === afternoon) return 600;
  if (minute >= closing) return 160;
  if (minute >= closing - 7) return 330;
  if (minute > afternoon) return 180;
  return 190 + 290 * Math.exp(-(minute - trading) / 25);
}

/** The minutes with orders, and the share of the day's orders before each of them. */
const MINUTES = (() => {
  const minutes: { startMs: number; before: number; share: number }[] = [];
  let total = 0;
  for (let minute = 0; minute < 1440; minute++) total += minuteWeight(minute);
  let before = 0;
  for (let minute = 0; minute < 1440; minute++) {
    const share = minuteWeight(minute) / total;
    if (share > 0) minutes.push({ startMs: minute * MINUTE_MS, before, share });
    before += share;
  }
  return minutes;
})();

/**
 * Returns ascending times of `rows` orders as HHMMSSmmm numbers, multiples of 10 ms, from 09:15:00.000 to 14:59:59.990.
 * Rows share times as on real days: 1.2 rows for each time on average, 5 or 6 at the 99th percentile.
 */
export function sessionTimes(random: Random, rows: number): Int32Array {
  // Normalised sums of exponential gaps are uniform samples in order, so they need not be sorted.
  const reached = new Float64Array(rows);
  let sum = 0;
  for (let row = 0; row < rows; ) {
    sum += random.exponential();
    const end = Math.min(rows, row + rowsOfStamp(random));
    while (row < end) reached[row++] = sum;
  }
  const total = sum + random.exponential();
  const times = new Int32Array(rows);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const share = (reached[row] ?? 0) / total;
    while (at + 1 < MINUTES.length && (MINUTES[at + 1]?.before ?? 1) <= share) at++;
    const minute = MINUTES[at];
    if (minute === undefined) break;
    const within = Math.min(0.999_999, (share - minute.before) / minute.share);
    times[row] = clockTime(minute.startMs + Math.floor((within * MINUTE_MS) / STEP_MS) * STEP_MS);
  }
  return times;
}

/** Returns a random number of orders with the same time: usually one, several in 8 % of cases, rarely up to 131. */
function rowsOfStamp(random: Random): number {
  if (!random.chance(0.08)) return 1;
  const crowd = 2 + Math.floor(random.exponential() * 1.7);
  return random.chance(0.002) ? Math.min(131, crowd * 12) : crowd;
}

/** Returns milliseconds since midnight as the number HHMMSSmmm. */
export function clockTime(sinceMidnightMs: number): number {
  const seconds = Math.floor(sinceMidnightMs / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return hours * 10_000_000 + (minutes % 60) * 100_000 + (seconds % 60) * 1000 + (sinceMidnightMs % 1000);
}

/** Returns `times` with `count` further rows at `time`, still ascending. */
export function withBurst(times: Int32Array, time: number, count: number): Int32Array {
  let at = 0;
  while (at < times.length && (times[at] ?? 0) < time) at++;
  const merged = new Int32Array(times.length + count);
  merged.set(times.subarray(0, at));
  merged.fill(time, at, at + count);
  merged.set(times.subarray(at), at + count);
  return merged;
}
