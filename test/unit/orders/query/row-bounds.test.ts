import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowsInWindow } from "../../../../src/orders/query/row-bounds.ts";

const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
console.log(`row bounds: TEST_SEED=${seed}`);

/** Returns blocks of `blockRows` rows over sorted `times`, independently of the code under test. */
function paged(times: number[], blockRows: number) {
  const blocks = [];
  for (let firstRow = 0; firstRow < times.length; firstRow += blockRows) {
    const t0 = times[firstRow] ?? 0;
    blocks.push({ firstRow, t0, k0: firstRow - times.indexOf(t0) });
  }
  return { rows: times.length, blocks, lastTime: times.at(-1) ?? 0 };
}

describe("the bounds on the number of rows in a window", () => {
  it("include the true number for any rows and any window", () => {
    const rows = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 });
    const window = fc.tuple(fc.integer({ min: 0, max: 31 }), fc.integer({ min: 0, max: 32 }));
    fc.assert(
      fc.property(rows, window, fc.integer({ min: 1, max: 9 }), (unsorted, [start, end], blockRows) => {
        const times = unsorted.toSorted((a, b) => a - b);
        const exact = times.filter((time) => time >= start && time < end).length;
        const { atLeast, atMost } = rowsInWindow(paged(times, blockRows), {
          start,
          end: Math.max(start, end),
        });
        expect(atLeast).toBeLessThanOrEqual(exact);
        expect(atMost).toBeGreaterThanOrEqual(exact);
        expect(atMost - atLeast).toBeLessThanOrEqual(2 * blockRows);
      }),
      { seed, numRuns: 3_000 },
    );
  });

  it("are exact for the whole day, outside the session, and at the start of a block", () => {
    const day = paged([...Array(10_000).fill(93_000_000), ...Array(25).fill(93_000_010)], 10_000);
    const at = (start: number, end: number) => rowsInWindow(day, { start, end });
    expect(at(0, 240_000_000)).toEqual({ atLeast: 10_025, atMost: 10_025 });
    expect(at(150_000_000, 240_000_000)).toEqual({ atLeast: 0, atMost: 0 });
    expect(at(93_000_010, 240_000_000)).toEqual({ atLeast: 25, atMost: 25 });
    expect(at(0, 93_000_010)).toEqual({ atLeast: 10_000, atMost: 10_000 });
    expect(at(93_000_000, 93_000_005)).toEqual({ atLeast: 1, atMost: 10_000 });
  });
});
