/**
 * Where a walk stands, in terms that every deployment understands: a time, and rows of that millisecond. A
 * cursor belongs to the deployment that made it; another one is asked for the rows from a place a little
 * before the last one read, and what comes twice must be the same twice.
 */
import type { Row } from "./page.ts";

/** Rows that are read once more, and compared, when another deployment continues. */
const MOST_OVERLAP = 64;

/** The place before the row of `time` that `skip` rows of the same millisecond stand before. */
export interface Position {
  /** HHMMSSmmm; empty before any row. */
  time: string;
  skip: number;
  /** The rows from there on that were read. */
  overlap: readonly Row[];
  times: readonly string[];
}

export const BEGINNING: Position = { time: "", skip: 0, overlap: [], times: [] };

/** The position after `rows`, whose times are `times`, were read as well. */
export function moved(from: Position, rows: readonly Row[], times: readonly string[]): Position {
  const knownRows = [...from.overlap, ...rows];
  const knownTimes = [...from.times, ...times];
  const first = Math.max(0, knownRows.length - MOST_OVERLAP);
  const time = knownTimes[first];
  if (time === undefined) return from;
  const begin = knownTimes.indexOf(time);
  // When the millisecond began before what is known, those rows were counted as they were let go.
  const skip = first - begin + (begin === 0 && time === from.time ? from.skip : 0);
  return { time, skip, overlap: knownRows.slice(first), times: knownTimes.slice(first) };
}

/** The time of the last row read; empty before any. */
export function lastTime({ times }: Position): string {
  return times.at(-1) ?? "";
}

/** The cursor without a date for this place (contract 5.5). */
export function undatedCursor({ time, skip }: Position): string {
  return `v2.${time}-${skip}`;
}
