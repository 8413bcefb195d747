import { describe, expect, it } from "vitest";
import { compare, type MarketCounts } from "../../../src/catalog/plausibility.ts";

const counts = (market: "SH" | "SZ", securities: number, rows: number): MarketCounts => ({
  market,
  securities,
  rows,
});
const usual = [counts("SH", 100, 1_000), counts("SZ", 200, 3_000)];
const days = (count: number) => Array.from({ length: count }, () => usual);

describe("a day compared with the median of other days", () => {
  it("is plausible if each exchange has at least 90 % of the median number of orders and of securities", () => {
    const plausible = (...own: MarketCounts[]) => compare(own, days(5)).markets.map((each) => each.plausible);
    expect(plausible(counts("SH", 90, 900), counts("SZ", 180, 2_700))).toEqual([true, true]);
    expect(plausible(counts("SH", 89, 1_000), counts("SZ", 180, 2_699))).toEqual([false, false]);
    expect(plausible(counts("SH", 100, 899), counts("SZ", 200, 6_000))).toEqual([false, true]);
  });

  it("is plausible if each exchange has at most twice the median number of orders and of securities", () => {
    const plausible = (...own: MarketCounts[]) => compare(own, days(5)).markets.map((each) => each.plausible);
    expect(plausible(counts("SH", 200, 2_000), counts("SZ", 400, 6_000))).toEqual([true, true]);
    expect(plausible(counts("SH", 201, 2_000), counts("SZ", 400, 6_001))).toEqual([false, false]);
  });

  it("is not plausible if it lacks an exchange that the other days have", () => {
    expect(compare([counts("SZ", 200, 3_000)], days(5)).markets).toEqual([
      { market: "SH", securities: 0, rows: 0, medianSecurities: 100, medianRows: 1_000, plausible: false },
      {
        market: "SZ",
        securities: 200,
        rows: 3_000,
        medianSecurities: 200,
        medianRows: 3_000,
        plausible: true,
      },
    ]);
  });

  it("is always plausible while fewer than 5 days are loaded", () => {
    const tiny = [counts("SH", 1, 1)];
    expect(compare(tiny, days(4)).markets.every(({ plausible }) => plausible)).toBe(true);
    expect(compare(tiny, days(5)).markets.every(({ plausible }) => plausible)).toBe(false);
  });

  it("gets the same result even if a few of the other days are unusual", () => {
    const others = [...days(4), [counts("SH", 1, 1)], [counts("SH", 9_000, 90_000)]];
    expect(compare(usual, others).markets).toMatchObject([{ medianSecurities: 100, medianRows: 1_000 }, {}]);
    const even = [1, 2, 3, 10].map((rows) => [counts("SH", rows, rows)]);
    expect(compare([], even).markets).toMatchObject([{ medianRows: 3 }]);
  });
});
