import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import type { CodeColumn } from "../../../../src/datasets/dataset.ts";
import type { OrderColumns } from "../../../../src/orders/record.ts";
import { sampleDatasets } from "../../../../src/pack-builder/sample/day.ts";
import type { QuoteColumns } from "../../../../src/pack-builder/sample/snapshots.ts";
import type { TradeColumns } from "../../../../src/quality/security-rows.ts";

const DAY = { tradedate: "20261127" as BeijingDate, rows: 8_000 };
const days = [...sampleDatasets(DAY)];
const traded = days.filter(({ orders }) => orders.rows > 0);

const text = ({ values, index }: CodeColumn, row: number) => values[index[row] ?? 0] ?? "?";
const numbered = (rows: number) => Array.from({ length: rows }, (_, row) => row);
const isCall = (time: number) => time < 92500000 || (time >= 145700000 && time < 150000000);

type Level = [price: number, volume: number];

/** Returns the levels of a snapshot as [price, volume], the best first. */
function levelsOf(quotes: QuoteColumns, row: number, side: "bid" | "ask"): Level[] {
  const of = quotes as unknown as Record<string, Float64Array>;
  return numbered(10).map((at) => [
    of[`${side}${at + 1}E4`]?.[row] ?? -1,
    of[`${side}Volume${at + 1}`]?.[row] ?? -1,
  ]);
}

interface Resting {
  isBuy: boolean;
  isLimit: boolean;
  price: number;
  left: number;
}

/** The order book by order number, rebuilt from orders and trades without the sample's own matching. */
class NaiveBook {
  private readonly live = new Map<number, Resting>();
  private readonly orders: OrderColumns;
  private readonly trades: TradeColumns;
  private readonly events: { time: number; rank: number; row: number }[];
  private next = 0;

  constructor(orders: OrderColumns, trades: TradeColumns) {
    this.orders = orders;
    this.trades = trades;
    const own = numbered(orders.rows).map((row) => {
      const rank = text(orders.orderType, row) === "D" ? 2 : 0;
      return { time: orders.time[row] ?? 0, rank, row };
    });
    const other = numbered(trades.rows).map((row) => ({ time: trades.time[row] ?? 0, rank: 1, row }));
    this.events = [...own, ...other].sort((a, b) => a.time - b.time || a.rank - b.rank);
  }

  /** Applies all events up to and including `time` and returns the orders that remain. */
  at(time: number): Resting[] {
    for (let event = this.events[this.next]; event !== undefined && event.time <= time; ) {
      if (event.rank === 1) this.trade(event.row);
      else this.order(event.row, event.time);
      event = this.events[++this.next];
    }
    return [...this.live.values()].filter(({ left }) => left > 0);
  }

  private order(row: number, time: number): void {
    const { orders } = this;
    const [type, number] = [text(orders.orderType, row), orders.exchangeOrderId[row] ?? 0];
    const isLimit = type !== "1" && type !== "U";
    if (type === "D") this.live.delete(number);
    if (type === "D" || type === "S" || (!isLimit && isCall(time))) return;
    const isBuy = text(orders.orderCode, row) === "B";
    this.live.set(number, {
      isBuy,
      isLimit,
      price: orders.priceE4[row] ?? 0,
      left: orders.volume[row] ?? 0,
    });
  }

  private trade(row: number): void {
    const { trades } = this;
    const flag = text(trades.bsFlag, row);
    const [buy, sell] = [trades.buyOrderId[row] ?? 0, trades.sellOrderId[row] ?? 0];
    // In Shanghai the row of an aggressive order has the volume that remains after the fills.
    const touched = flag === "B" ? [sell] : flag === "S" ? [buy] : [buy, sell];
    for (const number of touched) {
      const order = this.live.get(number);
      if (order !== undefined) order.left -= trades.volume[row] ?? 0;
    }
  }
}

function byPrice(orders: readonly Resting[], isBuy: boolean): Level[] {
  const sums = new Map<number, number>();
  for (const order of orders) {
    if (order.isBuy === isBuy) sums.set(order.price, (sums.get(order.price) ?? 0) + order.left);
  }
  const levels = [...sums].sort(([a], [b]) => (isBuy ? b - a : a - b)).slice(0, 10);
  return numbered(10).map((at) => levels[at] ?? [0, 0]);
}

describe.each(traded)("the snapshots of $symbol in $market on a sample day", ({ orders, trades, quotes }) => {
  const rows = numbered(quotes.rows);
  const timeOf = (row: number) => quotes.time[row] ?? 0;

  it("have exactly the totals of the trades up to their time", () => {
    let [volume, amountE4, count, high, low, open, last, next] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (const row of rows) {
      for (; next < trades.rows && (trades.time[next] ?? 0) <= timeOf(row); next++) {
        const [price, shares] = [trades.priceE4[next] ?? 0, trades.volume[next] ?? 0];
        if (price === 0) continue;
        [volume, amountE4, count, last] = [volume + shares, amountE4 + price * shares, count + 1, price];
        [open, high, low] = [open || price, Math.max(high, price), Math.min(low || price, price)];
      }
      expect([
        ...[quotes.volume[row], quotes.amount[row], quotes.numTrades[row]],
        ...[quotes.openE4[row], quotes.highE4[row], quotes.lowE4[row], quotes.closeE4[row]],
      ]).toEqual([volume, amountE4 / 10_000, count, open, high, low, last]);
    }
    expect(next).toBe(trades.rows);
    expect(volume).toBeGreaterThan(0);
  });

  it("have distinct times on multiples of three seconds in the session, including both auction results", () => {
    const times = rows.map(timeOf);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    expect(times.every((time) => (Math.floor(time / 1000) % 100) % 3 === 0 && time % 1000 === 0)).toBe(true);
    const isPause = (time: number) =>
      (time > 92500000 && time < 93000000) || (time > 113000000 && time < 130000000);
    expect(times.filter(isPause)).toEqual([]);
    expect([times[0], times.at(-1)]).toEqual([91500000, 150000000]);
    expect(times).toContain(92500000);
  });

  it("contain, in continuous trading, the ten best levels of the open orders", () => {
    const book = new NaiveBook(orders, trades);
    for (const row of rows) {
      const left = book.at(timeOf(row));
      if (isCall(timeOf(row))) continue;
      const [bids, asks] = [levelsOf(quotes, row, "bid"), levelsOf(quotes, row, "ask")];
      expect({ row, bids, asks }).toEqual({ row, bids: byPrice(left, true), asks: byPrice(left, false) });
      const [bid = 0, ask = 0] = [bids[0]?.[0], asks[0]?.[0]];
      if (bid > 0 && ask > 0) expect(bid).toBeLessThan(ask);
      const total = left.filter(({ isBuy }) => isBuy).reduce((sum, order) => sum + order.left, 0);
      expect(quotes.totalBidVolume[row]).toBe(total);
    }
  });
});

describe("the quotes of a sample day", () => {
  it("have only the previous close for the halted security", () => {
    const quotes = days.find(({ symbol }) => symbol === "603000")?.quotes;
    expect([...(quotes?.time ?? [])]).toEqual([91500000, 92500000, 150000000]);
    expect([...(quotes?.preCloseE4 ?? [])]).toEqual([201_600, 201_600, 201_600]);
    const { rows: _, time: __, preCloseE4: ___, ...others } = quotes ?? {};
    expect(
      Object.values(others).every((column) => (column as Float64Array).every((cell) => cell === 0)),
    ).toBe(true);
  });

  it("do not change the day's orders and trades", () => {
    const without = [...sampleDatasets(DAY, { hasQuotes: false })];
    const bare = ({ orders, trades }: (typeof days)[number]) => ({ orders, trades });
    expect(without.map(bare)).toEqual(days.map(bare));
    expect(without.every(({ quotes }) => quotes.rows === 0)).toBe(true);
  });
});
