import { describe, expect, it } from "vitest";
import { checked, type Day, short, verdictOf } from "./checked.ts";
import type { OrderRow, TradeRow } from "./rows.ts";

const SZ_SHARE = { symbol: "000001", market: "SZ" } as const;

/** The auction counts of a security without quotes. */
const NO_AUCTION = { auctionRows: 0, auctionRowsFound: 0 };

/** A resting sell of 300 shares at 10 yuan, and the cancel of its last 100. `TRADES` has the two fills in between. */
const ORDERS: OrderRow[] = [
  [93000000, 7, "A", "S", 10, 300],
  [93002000, 7, "D", "S", 10, 100],
];
const TRADES: TradeRow[] = [
  { time: 93000000, price: 10, volume: 100, buy: 8, sell: 7, flag: "B" },
  { time: 93002000, price: 10, volume: 100, buy: 9, sell: 7, flag: "B" },
];

describe("the matching check in Shanghai", () => {
  it("accepts fills of resting orders whose aggressors have no row, and cancels of the remainder", () => {
    const { checks, counts } = checked({ orders: ORDERS, trades: TRADES });
    expect(checks.matching).toEqual({ verdict: "passed" });
    expect(counts).toEqual({ cancels: 1, cancelsExact: 1, fills: 2, fillsFound: 2, ...NO_AUCTION });
  });

  it("applies new orders, then trades, then cancels within one millisecond", () => {
    const orders: OrderRow[] = [
      [93000000, 7, "A", "S", 10, 300],
      [93000000, 7, "D", "S", 10, 200],
    ];
    expect(verdictOf("matching", { orders, trades: TRADES.slice(0, 1) })).toBe("passed");
  });

  it.each([
    ["a doubled order", { orders: [ORDERS[0], ...ORDERS] }, "order_repeated"],
    ["a cancel without an order", { orders: [ORDERS[0], [93001000, 6, "D", "S", 10, 1]] }, "cancel_unknown"],
    ["a cancel of another side", { orders: [ORDERS[0], [93002000, 7, "D", "B", 10, 100]] }, "cancel_differs"],
    [
      "a cancel of another price",
      { orders: [ORDERS[0], [93002000, 7, "D", "S", 11, 100]] },
      "cancel_differs",
    ],
    ["a wrong remainder", { orders: [ORDERS[0], [93002000, 7, "D", "S", 10, 200]] }, "cancel_remainder"],
    ["a doubled trade", { trades: [TRADES[0], ...TRADES] }, "cancel_unknown"],
    ["a lost trade", { trades: [TRADES[0]] }, "cancel_remainder"],
    [
      "a swapped flag",
      { trades: [TRADES[0], { ...TRADES[1], flag: "S" }] },
      "flag_aggressor, fill_unknown, cancel_remainder",
    ],
    ["a fill at another price", { trades: [TRADES[0], { ...TRADES[1], price: 10.01 }] }, "fill_price"],
    [
      "a fill of too many shares",
      { trades: [TRADES[0], { ...TRADES[1], volume: 300 }] },
      "fill_exceeds, cancel_unknown",
    ],
    ["an empty flag", { trades: [TRADES[0], { ...TRADES[1], flag: "" }] }, "flag_unknown, cancel_remainder"],
  ] as [string, Day, string][])("finds %s", (_, day, kinds) => {
    expect(verdictOf("matching", { orders: ORDERS, trades: TRADES, ...day })).toBe(kinds);
  });

  it("reports the row in which a fault first occurs", () => {
    const { checks } = checked({ orders: ORDERS, trades: [TRADES[0] as TradeRow] });
    expect(checks.matching).toEqual({
      verdict: "failed",
      faults: [{ kind: "cancel_remainder", count: 1, first: { dataset: "orders", row: 1, time: 93002000 } }],
    });
  });

  it("is not provable without orders, trades or flags", () => {
    expect(verdictOf("matching", { orders: null, trades: TRADES })).toBe("no_orders");
    expect(verdictOf("matching", { orders: ORDERS, trades: null })).toBe("no_trades");
    const trades = TRADES.map((trade) => ({ ...trade, flag: "" }));
    expect(verdictOf("matching", { orders: ORDERS, trades })).toBe("no_flag");
  });

  it("never fails for a bond, but lists its findings", () => {
    const security = { symbol: "113050", market: "SH" } as const;
    const { checks } = checked({ orders: ORDERS, trades: [], security });
    expect(checks.matching).toMatchObject({
      verdict: "not_provable",
      reason: "unmeasured_market",
      faults: [{ kind: "cancel_remainder" }],
    });
  });
});

describe("the matching and sequence checks in Shenzhen", () => {
  const orders: OrderRow[] = [
    [93000000, 1, "0", "S", 10, 300],
    [93001000, 2, "0", "B", 10, 100],
    [93002000, 4, "1", "B", 0, 100],
  ];
  const trades: TradeRow[] = [
    { id: 3, time: 93001000, price: 10, volume: 100, buy: 2, sell: 1, code: "0" },
    { id: 5, time: 93002000, price: 10, volume: 100, buy: 4, sell: 1, code: "0" },
    { id: 6, time: 93003000, price: 0, volume: 100, buy: 0, sell: 1, code: "C" },
  ];
  const day = { orders, trades, security: SZ_SHARE };
  const [first, second, cancel] = trades as [TradeRow, TradeRow, TradeRow];

  it("accept a fill of two orders, and a cancel of everything that remains of an order", () => {
    const { checks, counts } = checked(day);
    expect(checks.matching).toEqual({ verdict: "passed" });
    expect(counts).toEqual({ cancels: 1, cancelsExact: 1, fills: 2, fillsFound: 2, ...NO_AUCTION });
  });

  it.each([
    ["a doubled order", { orders: [orders[0], ...orders] }, "order_repeated"],
    ["a lost order", { orders: orders.slice(1) }, "fill_unknown 2, cancel_unknown"],
    ["a swapped side", { orders: [orders[0], [93001000, 2, "0", "S", 10, 100], orders[2]] }, "fill_side"],
    ["a price beyond the limit", { trades: [{ ...first, price: 10.01 }, second, cancel] }, "fill_price"],
    [
      "a fill of too many shares",
      { trades: [first, { ...second, volume: 200 }, cancel] },
      "fill_exceeds, cancel_unknown",
    ],
    ["a wrong remainder", { trades: [first, second, { ...cancel, volume: 200 }] }, "cancel_remainder"],
    ["a cancel of two orders", { trades: [first, second, { ...cancel, buy: 4 }] }, "cancel_unknown"],
  ] as [string, Day, string][])("find %s", (_, changed, kinds) => {
    expect(verdictOf("matching", { ...day, ...changed })).toBe(kinds);
  });

  it("find trade numbers that repeat or precede their orders, and trades after a cancel", () => {
    expect(verdictOf("sequence", day)).toBe("passed");
    expect(verdictOf("sequence", { ...day, trades: [first, first, second, cancel] })).toBe("trade_repeated");
    expect(verdictOf("sequence", { ...day, trades: [{ ...first, id: 2 }, second, cancel] })).toBe(
      "trade_number",
    );
    const late = { ...second, id: 7, time: 93004000 };
    expect(verdictOf("sequence", { ...day, trades: [first, cancel, late] })).toBe("after_cancel");
  });
});

describe("the priority check", () => {
  /** Returns `count` pairs of filled sells at 10.00 and 10.01. In `worse` pairs of them, 10.01 is filled first. */
  function pairs(count: number, worse: number): Day {
    const orders: OrderRow[] = [];
    const trades: TradeRow[] = [];
    for (let pair = 0; pair < count; pair++) {
      const time = 93000000 + pair * 10;
      orders.push([time, 2 * pair + 1, "A", "S", 10, 100], [time, 2 * pair + 2, "A", "S", 10.01, 100]);
      for (const number of pair < worse ? [2, 1] : [1, 2]) {
        const price = number === 1 ? 10 : 10.01;
        trades.push({ time, price, volume: 100, buy: 9e6, sell: 2 * pair + number, flag: "B" });
      }
    }
    return { orders, trades };
  }

  it("fails when more than 2 % of at least 500 fills bypass a better order", () => {
    const priority = (count: number, worse: number) => verdictOf("priority", pairs(count, worse));
    expect(priority(250, 10)).toBe("passed");
    expect(priority(250, 11)).toBe("priority 11");
    expect(priority(249, 249)).toBe("too_few_rows");
  });

  it("fails when later orders at the same price are filled first", () => {
    const orders: OrderRow[] = [];
    const trades: TradeRow[] = [];
    for (let row = 0; row < 500; row++) {
      orders.push([93000000, row + 1, "A", "B", 10, 100]);
      trades.push({ time: 93000010, price: 10, volume: 100, buy: 500 - row, sell: 9e6, flag: "S" });
    }
    // The fills of 499 later orders precede the fill of the first order.
    expect(verdictOf("priority", { orders, trades })).toBe("priority 499");
    expect(verdictOf("priority", { orders, trades: trades.toReversed() })).toBe("passed");
  });
});

describe("the calendar check", () => {
  const order = (time: number, type = "A"): OrderRow => [time, time, type, "B", 10, 100];
  const trade = (time: number, flag: string): TradeRow => ({
    ...{ time, price: 10, volume: 100, buy: 1, sell: 2, flag },
  });

  it.each([
    ["accepts", [91500000, 92459990, 93000000, 112959990, 130000000, 145959990], "passed"],
    [
      "refuses",
      [91459990, 92500000, 92959990, 120000000, 125959990, 150000000, 153000000],
      "order_outside_hours",
    ],
  ])("%s an order at each of %j", (_, times, verdict) => {
    for (const time of times) expect(verdictOf("calendar", { orders: [order(time)] })).toBe(verdict);
  });

  it.each([92000000, 92459990, 145700000, 145959990])("refuses a cancel at %d", (time) => {
    expect(verdictOf("calendar", { orders: [order(time), order(time, "D")] })).toBe("cancel_outside_hours");
  });

  it("accepts Shenzhen orders from 09:25 to 09:30, and after-hours orders of STAR and ChiNext", () => {
    const security = SZ_SHARE;
    const limit = (time: number): OrderRow[] => [[time, 1, "0", "B", 10, 100]];
    expect(verdictOf("calendar", { orders: limit(92600000), security })).toBe("passed");
    expect(verdictOf("calendar", { orders: limit(151000000), security })).toBe("order_outside_hours");
    const chiNext = { symbol: "300750", market: "SZ" } as const;
    expect(verdictOf("calendar", { orders: limit(151000000), security: chiNext })).toBe("passed");
    const star = { symbol: "688981", market: "SH" } as const;
    expect(verdictOf("calendar", { orders: [order(151000000)], security: star })).toBe("passed");
  });

  it("expects the flag N only in the auctions, and B and S only between them", () => {
    const flags = (...trades: TradeRow[]) => verdictOf("calendar", { trades });
    const [opening, closing] = [trade(92500010, "N"), trade(150000010, "N")];
    expect(flags(opening, trade(93000000, "B"), closing)).toBe("passed");
    expect(flags(trade(92500010, "B"))).toBe("flag_outside_phase");
    expect(flags(trade(93000000, "B"), trade(93000010, "N"))).toBe("flag_outside_phase");
    expect(flags(trade(145800000, "S"))).toBe("flag_outside_phase");
    expect(flags(trade(92400000, "N"))).toBe("trade_outside_hours");
    expect(flags(trade(121500000, "S"))).toBe("trade_outside_hours");
  });

  it("accepts the auction that ends a halt of ten minutes", () => {
    const trades = [
      trade(100000000, "B"),
      trade(101000000, "N"),
      trade(101000000, "N"),
      trade(101000010, "S"),
    ];
    expect(verdictOf("calendar", { trades })).toBe("passed");
    expect(verdictOf("calendar", { trades: [...trades, trade(101000020, "N")] })).toBe("flag_outside_phase");
  });

  it("finds a dataset that begins half an hour after the other, or ends half an hour before it", () => {
    const every = (from: number, to: number, count = 500) =>
      Array.from({ length: count }, (_, row) => Math.floor(from + ((to - from) * row) / (count - 1)));
    const orders = every(93000000, 93059000).map((time) => order(time));
    const late = every(95900000, 95959000).map((time) => order(time));
    const trades = every(93000000, 93059000).map((time) => trade(time, "B"));
    const lateTrades = every(100100000, 100159000).map((time) => trade(time, "B"));
    expect(verdictOf("calendar", { orders, trades })).toBe("passed");
    expect(verdictOf("calendar", { orders, trades: lateTrades })).toBe("begins_late, ends_early");
    expect(verdictOf("calendar", { orders: late, trades })).toBe("begins_late");
    expect(verdictOf("calendar", { orders: [...orders, order(103000000)], trades })).toBe("ends_early");
  });
});

describe("the shape and scale checks", () => {
  const many = (said: { type?: string; price?: number; volume?: number; from?: number; count?: number }) => {
    const { type = "A", price = 10, volume = 100, from = 93000000, count = 200 } = said;
    return Array.from(
      { length: count },
      (_, row): OrderRow => [from + row, from + row, type, "B", price, volume],
    );
  };
  const cancel: OrderRow = [93000000, 93000000, "D", "B", 10, 100];

  it("report missing cancels for 200 orders, but not for 199", () => {
    expect(verdictOf("shape", { orders: many({}) })).toBe("no_cancels");
    expect(verdictOf("shape", { orders: [...many({}), cancel] })).toBe("passed");
    expect(verdictOf("shape", { orders: many({ count: 199 }) })).toBe("too_few_rows");
  });

  it("report that one dataset has no rows after noon", () => {
    const orders = [...many({ count: 20 }), cancel, ...many({ from: 130000000 })];
    const trade = (time: number): TradeRow => ({ time, price: 10, volume: 100, buy: 1, sell: 2, flag: "B" });
    const trades = Array.from({ length: 20 }, (_, row) => trade(93000000 + row));
    expect(verdictOf("shape", { orders, trades })).toBe("nothing_after_noon");
    expect(verdictOf("shape", { orders, trades: [...trades, trade(140000000)] })).toBe("passed");
  });

  it("report a wrong factor in prices or volumes of shares", () => {
    expect(verdictOf("scale", { orders: many({}) })).toBe("passed");
    expect(verdictOf("scale", { orders: many({ price: 100_000 }) })).toBe("price_factor 200");
    expect(verdictOf("scale", { orders: many({ price: 0.001 }) })).toBe("price_factor 200");
    expect(verdictOf("scale", { orders: many({ volume: 10_000 }) })).toBe("volume_factor 200");
    expect(verdictOf("scale", { orders: many({ volume: 1 }) })).toBe("volume_factor 200");
    const bond = { symbol: "113050", market: "SH" } as const;
    expect(verdictOf("scale", { orders: many({ volume: 1 }), security: bond })).toBe("unmeasured_market");
  });
});

describe("the auction check", () => {
  const orders: OrderRow[] = [
    [91500000, 1, "A", "B", 10.2, 300],
    [91600000, 2, "A", "S", 10.1, 500],
    [91700000, 3, "A", "S", 10.3, 100],
    [145800000, 4, "A", "B", 10.1, 400],
  ];
  const auction = (time: number, said: Partial<TradeRow>): TradeRow => ({
    ...{ time, price: 10.1, volume: 300, buy: 1, sell: 2, flag: "N" },
    ...said,
  });
  const closing = auction(150000000, { buy: 4, volume: 200 });
  const both = (opening: Partial<TradeRow>[], last: TradeRow[] = [closing]) => {
    const trades = [...opening.map((said) => auction(92500000, said)), ...last];
    const { checks } = checked({ orders, trades });
    return [checks.opening_auction, checks.closing_auction].map(short);
  };

  it("passes if the trades have the price and volume that follow from the orders", () => {
    expect(both([{}])).toEqual(["passed", "passed"]);
    expect(both([{ volume: 100 }, { volume: 200 }])).toEqual(["passed", "passed"]);
  });

  it("fails if the trades have a wrong price or a wrong volume, or if there is no trade", () => {
    expect(both([{ price: 10.2 }])[0]).toBe("auction_price");
    expect(both([{ volume: 200 }])[0]).toBe("auction_volume");
    expect(both([])[0]).toBe("auction_missing");
    expect(both([{}], [])).toEqual(["passed", "auction_missing"]);
    expect(both([{}], [{ ...closing, volume: 100 }])).toEqual(["passed", "auction_volume"]);
  });

  it("accepts any of the tied prices in Shenzhen, and is not provable with market orders", () => {
    const limits: OrderRow[] = [
      [91500000, 1, "0", "B", 10.2, 300],
      [91600000, 2, "0", "S", 10.1, 300],
    ];
    const at = (price: number, rows: OrderRow[] = limits) =>
      short(
        checked({
          orders: rows,
          trades: [{ id: 9, time: 92500000, price, volume: 300, buy: 1, sell: 2, code: "0" }],
          security: SZ_SHARE,
        }).checks.opening_auction,
      );
    expect([at(10.1), at(10.15), at(10.2)]).toEqual(["passed", "passed", "passed"]);
    expect(at(10.21)).toBe("auction_price");
    expect(at(10.21, [...limits, [91700000, 3, "1", "B", 0, 100]])).toBe("market_orders");
  });
});

describe("the check against other days", () => {
  it("fails when a dataset has at least 20 rows and had the same rows on another day", () => {
    const rows = Array.from(
      { length: 20 },
      (_, row): OrderRow => [93000000 + row, row + 1, "A", "B", 10, 100],
    );
    const verdict = (count: number, orders: number) => {
      const others = [{ tradedate: "20230710", contents: { orders, trades: 2 } }];
      return verdictOf("other_days", { orders: rows.slice(0, count), others });
    };
    expect(verdict(20, 1)).toBe("same_as_other_day");
    expect(verdict(20, 4)).toBe("passed");
    expect(verdict(19, 1)).toBe("passed");
    expect(verdictOf("other_days", { orders: rows })).toBe("no_other_days");
  });
});
