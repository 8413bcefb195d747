/**
 * Where a page lies. A page is asked for by a position in time, not by a row number (contract 5.2),
 * and a security's rows are stored in blocks of which only the first row's position is known beforehand. So a
 * page is found in two steps with one read between them: `planPage` says which blocks to fetch, `findPage`
 * which of their rows the page holds and where the next page begins.
 */

/**
 * A place in the rows of one security: before the row that has `skip` rows of the same millisecond before it.
 * The start of a time window is `{ time: start, skip: 0 }`; a cursor is the position of the next row.
 */
export interface Position {
  /** HHMMSSmmm as a number, Beijing time. */
  time: number;
  /** Rows of that millisecond that were already read. */
  skip: number;
}

/** What is known of a block before it is read: its first row's number and position. */
export interface PageBlock {
  firstRow: number;
  t0: number;
  /** Rows with time `t0` that stand before this block. */
  k0: number;
}

/** The rows of one security: how many, when the last one stands, and the blocks they lie in, ascending. */
export interface PagedRows {
  rows: number;
  lastTime: number;
  blocks: readonly PageBlock[];
}

/** What is asked for: from `position` (inclusive) to `endTime` (exclusive, null: no end), `pageSize` rows at most. */
export interface PageAsk {
  position: Position;
  endTime: number | null;
  pageSize: number;
}

/** The blocks to fetch: `firstBlock` up to but not including `endBlock`. Equal: the page is empty, fetch nothing. */
export interface PagePlan {
  firstBlock: number;
  endBlock: number;
}

/** The rows of a page, `startRow` up to but not including `endRow`, and where the next page begins (null: at the end). */
export interface PageRows {
  startRow: number;
  endRow: number;
  next: Position | null;
}

/** The position names more rows of its millisecond than there are: no cursor of ours (contract 5.5). */
export interface PositionBeyondRows {
  reason: "position_beyond_rows";
}

const NOTHING: PagePlan = { firstBlock: 0, endBlock: 0 };

/**
 * The blocks that certainly hold the page: at most two for a page of up to one full block, whatever the size
 * of the day. Blocks that begin at or after the window's end are left out.
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
 * The rows of the page that `plan` was made for. `timeAt(row)` gives the time of any row in the planned blocks
 * and is asked for as few of them as possible, so blocks can be decoded when they are first touched. `next` is
 * null exactly when no row of the window follows. Refuses a position with more rows to skip than its
 * millisecond has; exactly as many is the place before the next millisecond.
 */
export function findPage(
  paged: PagedRows,
  plan: PagePlan,
  { position, endTime, pageSize }: PageAsk,
  timeAt: (row: number) => number,
): PageRows | PositionBeyondRows {
  const first = paged.blocks[plan.firstBlock];
  if (plan.firstBlock === plan.endBlock || first === undefined) {
    return position.skip === 0 ? { startRow: 0, endRow: 0, next: null } : { reason: "position_beyond_rows" };
  }
  const firstEnd = blockEnd(paged, plan.firstBlock);
  const startRow =
    exactStart(first, position) ??
    lowerBound(timeAt, position.time, first.firstRow, firstEnd) + position.skip;
  if (position.skip > 0 && startRow !== first.firstRow) {
    if (startRow > firstEnd || timeAt(startRow - 1) !== position.time)
      return { reason: "position_beyond_rows" };
  }

  const plannedEnd = blockEnd(paged, plan.endBlock - 1);
  const fullEnd = Math.min(startRow + pageSize, plannedEnd);
  if (fullEnd > startRow && isPast(timeAt(fullEnd - 1), endTime)) {
    return { startRow, endRow: lowerBound(timeAt, endTime ?? 0, startRow, fullEnd), next: null };
  }
  return { startRow, endRow: fullEnd, next: nextPosition(paged, fullEnd, endTime, timeAt) };
}

/**
 * The row at `position` when the block's first row alone tells it: the block begins inside the position's
 * millisecond, or after it (only the first block can). Null: it is somewhere up to the block's end.
 */
function exactStart(first: PageBlock, { time, skip }: Position): number | null {
  if (first.t0 === time) return first.firstRow + skip - first.k0;
  if (first.t0 > time) return skip === 0 ? first.firstRow : Number.POSITIVE_INFINITY;
  return null;
}

/** The position of `row`, or null when no row stands there or it is past the window. */
function nextPosition(
  paged: PagedRows,
  row: number,
  endTime: number | null,
  timeAt: (row: number) => number,
): Position | null {
  if (row >= paged.rows) return null;
  const block = paged.blocks[lastBlock(paged.blocks, (each) => each.firstRow <= row)];
  if (block === undefined) return null;
  // A block's first row is known without decoding it; any other row shares its block with the row before.
  const time = block.firstRow === row ? block.t0 : timeAt(row);
  if (isPast(time, endTime)) return null;
  if (block.t0 === time) return { time, skip: block.k0 + row - block.firstRow };
  return { time, skip: row - lowerBound(timeAt, time, block.firstRow, row) };
}

/** The last block that begins at or before `position`; the first one when the position is before all rows. */
function blockOf(blocks: readonly PageBlock[], { time, skip }: Position): number {
  return Math.max(
    0,
    lastBlock(blocks, ({ t0, k0 }) => t0 < time || (t0 === time && k0 <= skip)),
  );
}

/** The last of the ascending `blocks` for which `holds`, -1 when there is none. */
function lastBlock(blocks: readonly PageBlock[], holds: (block: PageBlock) => boolean): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const block = blocks[middle];
    if (block !== undefined && holds(block)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The first row of `start` up to but not including `end` whose time is at least `time`; `end` when there is none. */
function lowerBound(timeAt: (row: number) => number, time: number, start: number, end: number): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeAt(middle) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function blockEnd({ rows, blocks }: PagedRows, block: number): number {
  return blocks[block + 1]?.firstRow ?? rows;
}

function isPast(time: number, endTime: number | null): boolean {
  return endTime !== null && time >= endTime;
}
