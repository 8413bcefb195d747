/**
 * Bounds the number of rows in a time window by a security's blocks. Only the times of the blocks' first rows are
 * known, so the result is a range. It is exact without a window, and if each end of the window is outside the rows or
 * at the time of a block's first row.
 */
import type { PagedRows } from "./page-plan.ts";
import type { TimeOfDay, TimeWindow } from "./time-window.ts";

/** The lower and upper bound of a count, both inclusive. */
export interface Bounds {
  atLeast: number;
  atMost: number;
}

/** A security's rows as in `planPage`, with the time of the last row. */
export interface BoundedRows extends PagedRows {
  lastTime: TimeOfDay;
}

/** Returns bounds of the number of rows from `start` (inclusive) to `end` (exclusive). */
export function rowsInWindow(paged: BoundedRows, { start, end }: TimeWindow): Bounds {
  const before = rowsBefore(paged, start);
  const upTo = rowsBefore(paged, end);
  return {
    atLeast: Math.max(0, upTo.atLeast - before.atMost),
    atMost: upTo.atMost - before.atLeast,
  };
}

/** Returns bounds of the number of rows before `time`. */
function rowsBefore({ rows, blocks, lastTime }: BoundedRows, time: TimeOfDay): Bounds {
  const next = blocks.findIndex(({ t0 }) => t0 >= time);
  const following = blocks[next];
  if (following?.t0 === time) return exactly(following.firstRow - following.k0);
  if (next === 0 || rows === 0) return exactly(0);
  if (lastTime < time) return exactly(rows);
  const last = following === undefined ? blocks.at(-1) : blocks[next - 1];
  // The block's first row is before `time`. Later rows of the block may be too, but not the security's last row.
  return { atLeast: (last?.firstRow ?? 0) + 1, atMost: following?.firstRow ?? rows - 1 };
}

function exactly(rows: number): Bounds {
  return { atLeast: rows, atMost: rows };
}
