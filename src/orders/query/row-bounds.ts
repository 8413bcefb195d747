/**
 * How many rows a time window holds, judged from a security's blocks alone. Only the first rows' times of blocks
 * are known, so the answer is a range; it is exact where the window begins and ends outside the rows, at the
 * very time a block begins with, and without a window.
 */
import type { PagedRows } from "./page-plan.ts";
import type { TimeOfDay, TimeWindow } from "./time-window.ts";

/** A count that is known to lie between two numbers, both possible. */
export interface Bounds {
  atLeast: number;
  atMost: number;
}

/** A security's rows as `planPage` takes them, and the time of the last one. */
export interface BoundedRows extends PagedRows {
  lastTime: TimeOfDay;
}

/** The rows from `start` (inclusive) to `end` (exclusive). */
export function rowsInWindow(paged: BoundedRows, { start, end }: TimeWindow): Bounds {
  const before = rowsBefore(paged, start);
  const upTo = rowsBefore(paged, end);
  return {
    atLeast: Math.max(0, upTo.atLeast - before.atMost),
    atMost: upTo.atMost - before.atLeast,
  };
}

/** The rows with a time before `time`. */
function rowsBefore({ rows, blocks, lastTime }: BoundedRows, time: TimeOfDay): Bounds {
  const next = blocks.findIndex(({ t0 }) => t0 >= time);
  const following = blocks[next];
  if (following?.t0 === time) return exactly(following.firstRow - following.k0);
  if (next === 0 || rows === 0) return exactly(0);
  if (lastTime < time) return exactly(rows);
  const last = following === undefined ? blocks.at(-1) : blocks[next - 1];
  // The block's first row is before `time`; the row it ends with may be, unless it is the security's last one.
  return { atLeast: (last?.firstRow ?? 0) + 1, atMost: following?.firstRow ?? rows - 1 };
}

function exactly(rows: number): Bounds {
  return { atLeast: rows, atMost: rows };
}
