import { describe, expect, it } from "vitest";
import { call, type Snapshot } from "../auction/quotes.ts";
import { checked, type Day } from "./checked.ts";
import type { OrderRow, TradeRow } from "./rows.ts";

/** Returns the result of the check. The opening auction has no snapshots unless the day says otherwise. */
function check({ quotes = [], ...day }: Day) {
  const { checks, counts } = checked({ ...day, quotes });
  return { verdict: checks.auction_rows, found: [counts.auctionRowsFound, counts.auctionRows] };
}

/**
 * Returns `passed`; otherwise the faults, each as its kind, count and first row. When the result is not provable, the
 * reason precedes them.
 */
function short(day: Day): string {
  const { verdict } = check(day);
  if (verdict.verdict === "passed") return "passed";
  const faults = (verdict.faults ?? []).map(
    ({ kind, count, first }) => `${kind} ${count} ${first?.row ?? "-"}`,
  );
  return [...(verdict.verdict === "failed" ? [] : [verdict.reason]), ...faults].join(", ");
}

/**
 * At first 200 shares match at 10.10 and buys of 100 are left. Ten seconds later 300 shares match at 10.00 and sells of
 * 100 are left. After another ten seconds the first state returns.
 */
const ORDERS: readonly OrderRow[] = [
  [91500000, 1, "A", "B", 10.1, 300],
  [91501000, 2, "A", "S", 10.05, 200],
  [91510000, 3, "A", "S", 10, 400],
  [91520000, 3, "D", "S", 10, 400],
  [92400000, 4, "A", "B", 10.1, 50],
];
const RESULT: Snapshot = { time: 92501000, close: 101_000, volume: 200, bid: [[101_000, 150]] };
const QUOTES: readonly Snapshot[] = [
  { time: 91500000 },
  call(91503000, 101_000, 200, 100),
  call(91512000, 100_000, 300, -100),
  call(91524000, 101_000, 200, 100),
  RESULT,
];

describe("the auction-pack check in Shanghai", () => {
  it("passes if each row equals the match of a book from 5 s before to 1 s after it, and the result equals the last match", () => {
    expect(check({ orders: ORDERS, quotes: QUOTES })).toEqual({
      ...{ verdict: { verdict: "passed" }, found: [5, 5] },
    });
  });

  it("fails for a different price, match, remainder or side", () => {
    const wrong = [
      call(91512000, 100_500, 300, -100),
      call(91512000, 100_000, 400, -100),
      call(91512000, 100_000, 300, -200),
      call(91512000, 100_000, 300, 100),
      { time: 91512000 },
    ];
    for (const snapshot of wrong) {
      const quotes = QUOTES.with(2, snapshot);
      expect(short({ orders: ORDERS, quotes })).toBe("auction_row 1 2");
      expect(check({ orders: ORDERS, quotes }).found).toEqual([4, 5]);
    }
  });

  it("fails if the matching state of the order book ended 5 s or more before the row, or began more than 1 s after it", () => {
    const at = (time: number) =>
      short({ orders: ORDERS, quotes: QUOTES.with(2, call(time, 101_000, 200, 100)) });
    expect([91514990, 91519000].map(at)).toEqual(["passed", "passed"]);
    expect([91515000, 91518990].map(at)).toEqual(["auction_row 1 2", "auction_row 1 2"]);
  });

  it("fails for any difference in the result, and for crossing orders without a result", () => {
    for (const said of [
      { volume: 100 },
      { close: 100_900, bid: [[100_900, 150]] as const },
      { bid: [[101_000, 160]] as const },
      { bid: [[100_900, 150]] as const },
      { bid: [], ask: [[101_000, 150]] as const },
    ]) {
      expect(short({ orders: ORDERS, quotes: QUOTES.with(4, { ...RESULT, ...said }) })).toBe(
        "auction_result 1 4",
      );
    }
    expect(short({ orders: ORDERS, quotes: QUOTES.slice(0, 4) })).toBe("auction_missing 1 -");
    expect(short({ orders: ORDERS.slice(0, 1), quotes: [{ time: 91503000 }] })).toBe("passed");
  });

  it("reports snapshots that are impossible in an auction", () => {
    const strange = { ...call(91512000, 100_000, 300, -100), volume: 7 };
    expect(short({ orders: ORDERS, quotes: QUOTES.with(2, strange) })).toBe("auction_snapshot 1 2");
    expect(short({ orders: null, quotes: QUOTES.with(2, strange) })).toBe("auction_snapshot 1 2");
  });

  it("is not provable without quotes, orders or auction rows", () => {
    expect(short({ orders: ORDERS, quotes: null })).toBe("no_quotes");
    expect(short({ orders: null, quotes: QUOTES })).toBe("no_orders");
    expect(short({ orders: [], quotes: QUOTES })).toBe("no_orders");
    expect(short({ orders: ORDERS.slice(0, 1), quotes: [] })).toBe("too_few_rows");
  });
});

describe("the auction-pack check in Shenzhen", () => {
  const SZ: readonly OrderRow[] = [
    [91500000, 1, "0", "B", 10.1, 300],
    [91501000, 2, "0", "S", 10, 200],
    [91510000, 3, "0", "B", 10.1, 100],
    // An order at or after 09:25 is for the following session and does not take part in the opening auction.
    [92500000, 5, "0", "S", 10, 700],
  ];
  const cancel: TradeRow = { time: 91520000, price: 0, volume: 300, buy: 1, sell: 0, code: "C" };
  // Without order 1, a buy of 100 matches a sell of 200 at any price from 10.00 to 10.10. The previous close is 10.00.
  const result: Snapshot = { time: 92503000, close: 100_000, volume: 100, ask: [[100_000, 100]] };
  const day: Day = { security: { symbol: "000001", market: "SZ" }, orders: SZ, trades: [cancel] };

  it("applies the cancels in the trades, and passes at the price nearest to the previous close", () => {
    const calls = [call(91503000, 101_000, 200, 100), call(91523000, 100_000, 100, -100)];
    expect(short({ ...day, quotes: [...calls, result] })).toBe("unmeasured_market, auction_row 1 0");
    const [first = result, ...others] = calls;
    expect(short({ ...day, quotes: [{ ...first, preClose: 101_000 }, ...others, result] })).toBe("passed");
  });

  it("passes only at the previous close, if this is between two tied prices, and at the tied price nearest to it", () => {
    const at = (price: number) =>
      short({ ...day, quotes: [{ ...call(91523000, price, 100, -100), preClose: 100_400 }, result] });
    expect([100_000, 100_400].map(at)).toEqual(["passed", "passed"]);
    expect([100_300, 101_000].map(at)).toEqual(Array(2).fill("unmeasured_market, auction_row 1 0"));
  });

  it("lists a row without failing if only the choice among tied prices differs", () => {
    const other = { ...result, close: 101_000, ask: [[101_000, 0]] } as const;
    expect(short({ ...day, quotes: [other] })).toBe("unmeasured_market, auction_result 1 0");
  });

  it("is not provable without trades", () => {
    expect(short({ ...day, trades: null, quotes: [result] })).toBe("no_trades");
  });

  it("lists a row without failing if an order without a price may take part", () => {
    const market: OrderRow = [91505000, 4, "1", "B", 0, 100];
    const orders = SZ.toSpliced(2, 0, market);
    expect(short({ ...day, orders, quotes: [result] })).toBe("passed");
    const wrong = { ...result, volume: 200 };
    expect(short({ ...day, orders, quotes: [wrong] })).toBe("market_orders, auction_result 1 0");
    expect(short({ ...day, quotes: [wrong] })).toBe("auction_result 1 0");
  });
});
