/**
 * Locates a page. A page begins at a position in time, not at a row number (contract 5.2), but the index has a position
 * only for the first row of each block. A page is therefore found in two steps with one read between them. `planPage`
 * returns the blocks to fetch. `findPage` returns the page's rows in these blocks and where the next page begins.
 */
import { ok, type Result, refused } from "../../base/result.ts";
import type { TimeWindow } from "./time-window.ts";

/**
 * A position in the rows of one security: after the first `skip` rows of the millisecond `time`. A time window begins
 * at `{ time: start, skip: 0 }`; a cursor holds the position of the next row.
 */
export interface Position {
  /** HHMMSSmmm as a number, Beijing time. */
  time: number;
  /** The number of rows of the millisecond `time` that were already read. */
  skip: number;
}

/** The index's facts about a block: its first row's number and position. */
export interface PageBlock {
  firstRow: number;
  t0: number;
  /** The number of rows with time `t0` before this block. */
  k0: number;
}

/** The rows of one security: their number, the last row's time, and their blocks in ascending order. */
export interface PagedRows {
  rows: number;
  lastTime: number;
  blocks: readonly PageBlock[];
}

/** The request: at most `pageSize` rows from `position` (inclusive) to `endTime` (exclusive; null: no end). */
export interface PageAsk {
  position: Position;
  endTime: number | null;
  pageSize: number;
}

/**
 * The blocks to fetch: `firstBlock` (inclusive) to `endBlock` (exclusive). When equal, the page is empty and nothing is
 * fetched.
 */
export interface PagePlan {
  firstBlock: number;
  endBlock: number;
}

/**
 * The rows of a page, `startRow` (inclusive) to `endRow` (exclusive), and where the next page begins (null: no rows
 * follow).
 */
export interface PageRows {
  startRow: number;
  endRow: number;
  next: Position | null;
}

/** The position skips more rows than its millisecond has, which no valid cursor does (contract 5.5). */
export interface PositionBeyondRows {
  reason: "position_beyond_rows";
}

const NOTHING: PagePlan = { firstBlock: 0, endBlock: 0 };

/**
 * Returns the blocks that contain the page. A page of at most one full block needs at most two blocks, on a day of any
 * size. Blocks that begin at or after the window's end are excluded.
 */
export function planPage(paged: PagedRows, { position, endTime, pageSize }: PageAsk): PagePlan {
  const { rows, blocks, lastTime } = paged;
  const firstBlock = blockOf(blocks, position);
  const first = blocks[firstBlock];
  if (first === undefined || isPast(first.t0, endTime) || isPast(position.time, endTime)) return NOTHING;
  if (position.time > lastTime) return NOTHING;

  const firstEnd = blockEnd(paged, firstBlock);
  const exactRow = exactStart(first, position);
  if (exactRow !== null && exactRow > firstEnd) return NOTHING;
  const lastRow = Math.min(rows, (exactRow ?? firstEnd) + pageSize) - 1;

  let endBlock = firstBlock + 1;
  for (let next = blocks[endBlock]; next !== undefined; next = blocks[++endBlock]) {
    if (next.firstRow > lastRow || isPast(next.t0, endTime)) break;
  }
  return { firstBlock, endBlock };
}

/**
 * Returns the rows of the page in the blocks of `plan`. `timeAt(row)` returns the time of any row in these blocks. It
 * is called for as few rows as possible, because a block may be decoded on its first call. `next` is null exactly when
 * no row of the window follows. Refuses a position that skips more rows than its millisecond has; a position that skips
 * exactly all rows of a millisecond is valid.
 */
export function findPage(
  paged: PagedRows,
  plan: PagePlan,
  { position, endTime, pageSize }: PageAsk,
  timeAt: (row: number) => number,
): Result<PageRows, PositionBeyondRows> {
  const first = paged.blocks[plan.firstBlock];
  if (plan.firstBlock === plan.endBlock || first === undefined) {
    if (position.skip > 0) return refused({ reason: "position_beyond_rows" });
    return ok({ startRow: 0, endRow: 0, next: null });
  }
  const firstEnd = blockEnd(paged, plan.firstBlock);
  const startRow =
    exactStart(first, position) ??
    lowerBound(timeAt, position.time, first.firstRow, firstEnd) + position.skip;
  if (position.skip > 0 && startRow !== first.firstRow) {
    if (startRow > firstEnd || timeAt(startRow - 1) !== position.time)
      return refused({ reason: "position_beyond_rows" });
  }

  const plannedEnd = blockEnd(paged, plan.endBlock - 1);
  const fullEnd = Math.min(startRow + pageSize, plannedEnd);
  if (fullEnd > startRow && isPast(timeAt(fullEnd - 1), endTime)) {
    return ok({ startRow, endRow: lowerBound(timeAt, endTime ?? 0, startRow, fullEnd), next: null });
  }
  return ok({ startRow, endRow: fullEnd, next: nextPosition(paged, fullEnd, endTime, timeAt) });
}

/**
 * Returns the row at `position` if the block's first row determines it, that is, if the block begins in the position's
 * millisecond or later. It begins later only if it is the security's first block. Returns infinity when the position is
 * before all rows but skips some. Returns null when the row can be anywhere up to the block's end.
 */
function exactStart(first: PageBlock, { time, skip }: Position): number | null {
  if (first.t0 === time) return first.firstRow + skip - first.k0;
  if (first.t0 > time) return skip === 0 ? first.firstRow : Number.POSITIVE_INFINITY;
  return null;
}

/** Returns the position of `row`, or null when there is no such row or it is beyond the window. */
function nextPosition(
  paged: PagedRows,
  row: number,
  endTime: number | null,
  timeAt: (row: number) => number,
): Position | null {
  if (row >= paged.rows) return null;
  const block = paged.blocks[lastBlock(paged.blocks, (each) => each.firstRow <= row)];
  if (block === undefined) return null;
  // The index has the time of a block's first row. Any other row is in the same block as the row before it, and that
  // block has been decoded.
  const time = block.firstRow === row ? block.t0 : timeAt(row);
  if (isPast(time, endTime)) return null;
  if (block.t0 === time) return { time, skip: block.k0 + row - block.firstRow };
  return { time, skip: row - lowerBound(timeAt, time, block.firstRow, row) };
}

/**
 * Returns the last block that begins at or before `position`, or the first block when the position is before all rows.
 */
function blockOf(blocks: readonly PageBlock[], { time, skip }: Position): number {
  return Math.max(
    0,
    lastBlock(blocks, ({ t0, k0 }) => t0 < time || (t0 === time && k0 <= skip)),
  );
}

/** Returns the index of the last of the ascending `blocks` for which `holds` is true, or -1. */
function lastBlock(blocks: readonly PageBlock[], holds: (block: PageBlock) => boolean): number {
  const isBeyond = (index: number) => {
    const block = blocks[index];
    return block === undefined || !holds(block);
  };
  return firstOf(0, blocks.length, isBeyond) - 1;
}

/** Returns the first row from `start` (inclusive) to `end` (exclusive) whose time is at least `time`, or `end`. */
function lowerBound(timeAt: (row: number) => number, time: number, start: number, end: number): number {
  return firstOf(start, end, (row) => timeAt(row) >= time);
}

/** Returns the first number for which `holds` is true, from `start` (inclusive) to `end` (exclusive), or `end`. */
function firstOf(start: number, end: number, holds: (number: number) => boolean): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function blockEnd({ rows, blocks }: PagedRows, block: number): number {
  return blocks[block + 1]?.firstRow ?? rows;
}

function isPast(time: number, endTime: number | null): boolean {
  return endTime !== null && time >= endTime;
}

/** The lower and upper bound of a count, both inclusive. */
export interface Bounds {
  atLeast: number;
  atMost: number;
}

/**
 * Returns bounds for the number of rows from `start` (inclusive) to `end` (exclusive). Only the times of the blocks'
 * first rows are known, so the result is a range. The bounds are equal if `start` and `end` are each before the first
 * row, after the last row, or at the time of a block's first row.
 */
export function rowsInWindow(paged: PagedRows, { start, end }: TimeWindow): Bounds {
  const before = rowsBefore(paged, start);
  const upTo = rowsBefore(paged, end);
  return {
    atLeast: Math.max(0, upTo.atLeast - before.atMost),
    atMost: upTo.atMost - before.atLeast,
  };
}

/** Returns a lower and an upper bound for the number of rows before `time`. */
function rowsBefore({ rows, blocks, lastTime }: PagedRows, time: number): Bounds {
  const next = blocks.findIndex(({ t0 }) => t0 >= time);
  const following = blocks[next];
  if (following?.t0 === time) return exactly(following.firstRow - following.k0);
  if (next === 0 || rows === 0) return exactly(0);
  if (lastTime < time) return exactly(rows);
  const last = following === undefined ? blocks.at(-1) : blocks[next - 1];
  // The block's first row is before `time`, and its other rows may be. The security's last row is not before `time`.
  return { atLeast: (last?.firstRow ?? 0) + 1, atMost: following?.firstRow ?? rows - 1 };
}

function exactly(rows: number): Bounds {
  return { atLeast: rows, atMost: rows };
}
