/** Computes the call auctions of sample days by the exchanges' rules. */
import { type AuctionOrder, levelsOf, matchOfLevels } from "../../quality/auction.ts";

/** An order in the auction. */
export interface CallOrder extends AuctionOrder {
  row: number;
}

/** A match: the rows of a buy and a sell order, and the number of shares. */
export interface CallPair {
  buy: number;
  sell: number;
  volume: number;
}

/** The virtual match of an auction: matched shares, and the surplus of buys (negative: of sells) at that price. */
export interface CallPrice {
  priceE4: number;
  matched: number;
  surplus: number;
}

/** Orders that take part in an auction, and the values by which one of several tied prices is chosen. */
export interface Call {
  orders: readonly CallOrder[];
  tickE4: number;
  /** The last price, because Shenzhen takes the tied price nearest to the last price; `null` in Shanghai. */
  lastE4: number | null;
}

/** Returns the virtual match by the exchange's rule; `null` when no buy meets a sell. */
export function callPrice({ orders, tickE4, lastE4 }: Call): CallPrice | null {
  const levels = levelsOf(orders);
  const match = matchOfLevels(levels, tickE4);
  if (match === null) return null;
  const tied = levels.flatMap(({ price }) => (price >= match.low && price <= match.high ? price : []));
  const priceE4 = lastE4 === null ? match.priceE4 : nearestTo(lastE4, tied);
  // The chosen price can lie between the prices of two orders, so the surplus is computed for this price.
  const sum = (isBuy: boolean) =>
    orders.reduce(
      (total, order) => (order.isBuy === isBuy && meets(order, priceE4) ? total + order.volume : total),
      0,
    );
  return { priceE4, matched: match.matched, surplus: sum(true) - sum(false) };
}

/** Returns whether the order's limit allows a trade at `priceE4`. */
function meets(order: AuctionOrder, priceE4: number): boolean {
  return order.isBuy ? order.priceE4 >= priceE4 : order.priceE4 <= priceE4;
}

/** Returns the price nearest to `lastE4`, or the lower of two equally near prices. `prices` are in ascending order. */
function nearestTo(lastE4: number, prices: readonly number[]): number {
  return prices.reduce((best, price) => (Math.abs(price - lastE4) < Math.abs(best - lastE4) ? price : best));
}

/** Pairs the best buys with the best sells at `priceE4`, by price, then time, until one side is used up. */
export function callPairs(orders: readonly CallOrder[], priceE4: number): CallPair[] {
  const queue = (isBuy: boolean) =>
    orders
      .filter((order) => order.isBuy === isBuy && meets(order, priceE4))
      .sort((a, b) => (isBuy ? b.priceE4 - a.priceE4 : a.priceE4 - b.priceE4) || a.row - b.row)
      .map(({ row, volume }) => ({ row, left: volume }));
  const [buys, sells] = [queue(true), queue(false)];
  const pairs: CallPair[] = [];
  let [b, s] = [0, 0];
  for (;;) {
    const [buy, sell] = [buys[b], sells[s]];
    if (buy === undefined || sell === undefined) return pairs;
    const volume = Math.min(buy.left, sell.left);
    pairs.push({ buy: buy.row, sell: sell.row, volume });
    buy.left -= volume;
    sell.left -= volume;
    if (buy.left === 0) b += 1;
    if (sell.left === 0) s += 1;
  }
}
