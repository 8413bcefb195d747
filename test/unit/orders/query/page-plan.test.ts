import { describe, expect, it } from "vitest";
import {
  findPage,
  type PageAsk,
  type PagedRows,
  type Position,
  planPage,
  rowsInWindow,
} from "../../../../src/orders/query/page-plan.ts";
import { printedRandom, type Random } from "../../../support/random.ts";
import { bare } from "../../../support/result.ts";

/** Returns times in blocks of `blockRows` rows, with the index that a pack would have. */
function paged(times: readonly number[], blockRows: number): PagedRows & { times: readonly number[] } {
  const blocks = [];
  for (let firstRow = 0; firstRow < times.length; firstRow += blockRows) {
    const t0 = times[firstRow] ?? 0;
    blocks.push({ firstRow, t0, k0: firstRow - times.indexOf(t0) });
  }
  return { rows: times.length, lastTime: times.at(-1) ?? 0, blocks, times };
}

/** Returns one page. Throws if a row that was not fetched is read. */
function page(rows: ReturnType<typeof paged>, ask: PageAsk) {
  const plan = planPage(rows, ask);
  const fetchedFrom = rows.blocks[plan.firstBlock]?.firstRow ?? 0;
  const fetchedTo = plan.firstBlock === plan.endBlock ? fetchedFrom : endOf(rows, plan.endBlock - 1);
  const touched = new Set<number>();
  const result = findPage(rows, plan, ask, (row) => {
    if (row < fetchedFrom || row >= fetchedTo) throw new Error(`row ${row} was not fetched`);
    touched.add(rows.blocks.findLastIndex((block) => block.firstRow <= row));
    return rows.times[row] ?? Number.NaN;
  });
  return { plan, found: bare(result), touched };
}

function endOf(rows: PagedRows, block: number): number {
  return rows.blocks[block + 1]?.firstRow ?? rows.rows;
}

/** Pages through a window and compares each page with a plain scan of the times. */
function pageThrough(
  rows: ReturnType<typeof paged>,
  start: number,
  endTime: number | null,
  pageSize: number,
): void {
  const wanted = rows.times.flatMap((time, row) =>
    time >= start && (endTime === null || time < endTime) ? [row] : [],
  );
  const seen = new Set<string>();
  let position: Position | null = { time: start, skip: 0 };
  let read = 0;
  while (position !== null) {
    const { found } = page(rows, { position, endTime, pageSize });
    if ("reason" in found) throw new Error(`a position was refused: ${JSON.stringify(position)}`);
    const size = Math.min(pageSize, wanted.length - read);
    expect(found.endRow - found.startRow).toBe(size);
    if (size > 0) expect([found.startRow, found.endRow - 1]).toEqual([wanted[read], wanted[read + size - 1]]);
    read += size;
    expect(found.next !== null).toBe(read < wanted.length);
    position = found.next;
    if (position === null) break;
    const row = wanted[read] ?? 0;
    const time = rows.times[row] ?? 0;
    expect(position).toEqual({ time, skip: row - rows.times.indexOf(time) });
    seen.add(JSON.stringify(position));
  }
  expect(read).toBe(wanted.length);
  expect(seen.size).toBe(Math.max(0, Math.ceil(wanted.length / pageSize) - 1));
}

/** Returns ascending times with bursts: most milliseconds have one or two rows, some up to `longest`. */
function burstyTimes(random: Random, rows: number, longest: number): number[] {
  const times: number[] = [];
  let time = 91_500_000;
  while (times.length < rows) {
    const count = random.chance(0.1) ? random.integer(1, longest) : random.integer(1, 2);
    for (let index = 0; index < count && times.length < rows; index++) times.push(time);
    time += 10 * random.integer(1, 30);
  }
  return times;
}

describe("the page plan (contract 5.1, 5.2)", () => {
  it("selects the same rows as a plain scan for 600 random days with small blocks", () => {
    const random = printedRandom("page plan, small blocks");
    for (let run = 0; run < 600; run++) {
      const blockRows = random.integer(1, 12);
      const times = burstyTimes(random, random.integer(1, 90), blockRows * 3);
      const rows = paged(times, blockRows);
      const near = () => random.pick(times) + random.pick([-10, -1, 0, 0, 1, 10]);
      const start = random.chance(0.2) ? 0 : near();
      const endTime = random.chance(0.3) ? null : near();
      if (endTime !== null && endTime <= start) continue;
      pageThrough(rows, start, endTime, random.integer(1, blockRows * 3));
    }
  });

  it("reads one block for a full page that begins with a block, and two for any other full page", () => {
    const times = Array.from({ length: 95_000 }, (_, row) => 91_500_000 + row * 10);
    const rows = paged(times, 10_000);
    for (const row of [0, 10_000, 80_000, 90_000]) {
      const position = { time: times[row] ?? 0, skip: 0 };
      const { plan } = page(rows, { position, endTime: null, pageSize: 10_000 });
      expect(plan).toEqual({ firstBlock: row / 10_000, endBlock: row / 10_000 + 1 });
    }
    for (const row of [1, 9_999, 45_000, 79_999]) {
      const position = { time: times[row] ?? 0, skip: 0 };
      const { plan } = page(rows, { position, endTime: null, pageSize: 10_000 });
      expect(plan.endBlock - plan.firstBlock).toBe(2);
    }
  });

  it("reads only the block that contains a small page", () => {
    const rows = paged(
      Array.from({ length: 30_000 }, (_, row) => 91_500_000 + row * 10),
      10_000,
    );
    const position = { time: 91_500_000 + 150_000, skip: 0 };
    const { touched, found } = page(rows, { position, endTime: null, pageSize: 100 });
    expect(found).toEqual({
      startRow: 15_000,
      endRow: 15_100,
      next: { time: 91_500_000 + 151_000, skip: 0 },
    });
    expect([...touched]).toEqual([1]);
  });

  it("does not read blocks that begin at the window's end or later", () => {
    const rows = paged(
      Array.from({ length: 30_000 }, (_, row) => 91_500_000 + row),
      10_000,
    );
    const ask = { position: { time: 91_500_100, skip: 0 }, endTime: 91_510_000, pageSize: 10_000 };
    expect(page(rows, ask).plan).toEqual({ firstBlock: 0, endBlock: 1 });
    expect(page(rows, ask).found).toEqual({ startRow: 100, endRow: 10_000, next: null });
  });

  it("reads nothing when the index alone shows that the window is empty", () => {
    const rows = paged([91_500_000, 91_500_010, 93_000_000], 2);
    const nothing = { startRow: 0, endRow: 0, next: null };
    for (const [time, endTime] of [
      [0, 91_500_000],
      [80_000_000, 90_000_000],
      [93_000_001, null],
      [93_000_000, 93_000_000],
    ] as const) {
      const { plan, found } = page(rows, { position: { time, skip: 0 }, endTime, pageSize: 10 });
      expect(plan.endBlock - plan.firstBlock).toBe(0);
      expect(found).toEqual(nothing);
    }
    const none = page(paged([], 10), { position: { time: 0, skip: 0 }, endTime: null, pageSize: 10 });
    expect(none.found).toEqual(nothing);
  });

  it("refuses exactly the skips that exceed the number of rows in their millisecond", () => {
    const random = printedRandom("page plan, skips");
    for (let run = 0; run < 300; run++) {
      const blockRows = random.integer(1, 8);
      const rows = paged(burstyTimes(random, random.integer(1, 60), blockRows * 3), blockRows);
      const time = random.pick(rows.times) + random.pick([0, 0, 0, 1, -1]);
      const count = rows.times.filter((each) => each === time).length;
      const before = rows.times.filter((each) => each < time).length;
      for (let skip = 0; skip <= count + 20; skip++) {
        const { found } = page(rows, { position: { time, skip }, endTime: null, pageSize: 5 });
        const size = Math.max(0, Math.min(rows.rows - before - skip, 5));
        if (skip > count) expect(found).toEqual({ reason: "position_beyond_rows" });
        else if (size === 0) expect(found).toMatchObject({ next: null });
        else expect(found).toMatchObject({ startRow: before + skip, endRow: before + skip + size });
      }
    }
  });
});

describe("the bounds on the number of rows in a window", () => {
  it("include the true number for any rows and any window", () => {
    const random = printedRandom("bounds of rows");
    for (let run = 0; run < 3_000; run++) {
      const unsorted = Array.from({ length: random.integer(0, 60) }, () => random.integer(0, 30));
      const times = unsorted.toSorted((a, b) => a - b);
      const start = random.integer(0, 31);
      const end = Math.max(start, random.integer(0, 32));
      const blockRows = random.integer(1, 9);
      const exact = times.filter((time) => time >= start && time < end).length;
      const { atLeast, atMost } = rowsInWindow(paged(times, blockRows), { start, end });
      expect(atLeast).toBeLessThanOrEqual(exact);
      expect(atMost).toBeGreaterThanOrEqual(exact);
      expect(atMost - atLeast).toBeLessThanOrEqual(2 * blockRows);
    }
  });

  it("are exact for the whole day, outside the session, and for a window cut at the start of a block", () => {
    const day = paged([...Array(10_000).fill(93_000_000), ...Array(25).fill(93_000_010)], 10_000);
    const at = (start: number, end: number) => rowsInWindow(day, { start, end });
    expect(at(0, 240_000_000)).toEqual({ atLeast: 10_025, atMost: 10_025 });
    expect(at(150_000_000, 240_000_000)).toEqual({ atLeast: 0, atMost: 0 });
    expect(at(93_000_010, 240_000_000)).toEqual({ atLeast: 25, atMost: 25 });
    expect(at(0, 93_000_010)).toEqual({ atLeast: 10_000, atMost: 10_000 });
    expect(at(93_000_000, 93_000_005)).toEqual({ atLeast: 1, atMost: 10_000 });
  });
});
