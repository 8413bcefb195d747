import { describe, expect, it } from "vitest";
import type { DayTotals } from "../../../src/quality/security-rows.ts";
import { lastSnapshot } from "../../../src/quality/sums.ts";
import { checked, verdictOf } from "./checked.ts";
import type { TradeRow } from "./rows.ts";

describe("the sums check", () => {
  const trades: TradeRow[] = [
    { time: 93000000, price: 10, volume: 100, buy: 1, sell: 2, flag: "B" },
    { time: 150000000, price: 12, volume: 100, buy: 1, sell: 2, flag: "N" },
    { time: 151000000, price: 99, volume: 100, buy: 1, sell: 2, flag: "N" },
  ];
  const right = { volume: 200, amount: 2_200, highE4: 120_000, lowE4: 100_000 };
  const sums = (said: Partial<DayTotals>) =>
    verdictOf("sums", { trades, lastSnapshot: { ...right, ...said } });

  it("compares the trades with the last snapshot before 15:05, and lets the amount differ by 1 yuan", () => {
    expect(sums({})).toBe("passed");
    expect(sums({ amount: 2_201 })).toBe("passed");
    expect(sums({ amount: 2_201.01 })).toBe("sum_amount");
    expect(sums({ amount: 0.22 })).toBe("sum_amount");
    expect(sums({ volume: 20_000 })).toBe("sum_volume");
    expect(sums({ highE4: 119_900, lowE4: 100_100 })).toBe("price_range 2");
  });

  it("is exact beyond 2^53", () => {
    const trade: TradeRow = { time: 93000000, price: 900_000_000, volume: 1_001, buy: 1, sell: 2, flag: "B" };
    const huge = Array<TradeRow>(3).fill(trade);
    const snapshot = { volume: 3_003, amount: 2_702_700_000_000, highE4: 9e12, lowE4: 9e12 };
    expect(verdictOf("sums", { trades: huge, lastSnapshot: snapshot })).toBe("passed");
  });

  it("is not provable without quotes", () => {
    expect(verdictOf("sums", { trades })).toBe("no_quotes");
  });
});

describe("the last snapshot of the sums check", () => {
  const column = (...values: number[]) => Float64Array.from(values);
  const quotes = (...times: number[]) => ({
    rows: times.length,
    time: Int32Array.from(times),
    volume: column(1, 2, 3),
    amount: column(1.5, 2.5, 3.5),
    highE4: column(10, 20, 30),
    lowE4: column(9, 8, 7),
  });

  it("is the latest before 15:05, or the last one in the file if several have that time", () => {
    const second = { volume: 2, amount: 2.5, highE4: 20, lowE4: 8 };
    expect(lastSnapshot(quotes(150000000, 150459999, 150500000))).toEqual(second);
    expect(lastSnapshot(quotes(150000000, 150000000, 151500000))).toEqual(second);
    expect(lastSnapshot(quotes(91500000, 91500000, 91500000))?.volume).toBe(3);
  });

  it("is null if no snapshot is before 15:05", () => {
    expect(lastSnapshot(quotes(150500000, 150500000, 150500000))).toBeNull();
    expect(lastSnapshot(quotes())).toBeNull();
  });
});

describe("the span of quotes in the calendar check", () => {
  const times = Array.from({ length: 500 }, (_, n) => (n < 250 ? 93000000 + n : 145000000 + n));
  const trades = times.map((time) => ({ time, price: 10, volume: 100, buy: 9, sell: 7, flag: "B" }));
  const calendar = (first: number, last: number) =>
    checked({ orders: null, trades, quoteSpan: { rows: 900, first, last } }).checks.calendar;

  it("must begin at most half an hour after the first trade and end at most half an hour before the last", () => {
    expect(calendar(91500000, 150300000)).toEqual({ verdict: "passed" });
    expect(calendar(100000000, 142001000)).toEqual({ verdict: "passed" });
    expect(calendar(100100000, 150300000)).toEqual({
      verdict: "failed",
      faults: [{ kind: "begins_late", count: 1, first: { dataset: "quotes", row: 0, time: 100100000 } }],
    });
    expect(calendar(91500000, 141900000)).toEqual({
      verdict: "failed",
      faults: [{ kind: "ends_early", count: 1, first: { dataset: "quotes", row: 899, time: 141900000 } }],
    });
  });
});
