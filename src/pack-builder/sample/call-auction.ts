/** Computes the call auctions of sample days by the exchanges' rules. */

/** An order in the auction. */
export interface CallOrder {
  row: number;
  isBuy: boolean;
  priceE4: number;
  /** Shares. */
  volume: number;
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

/** Picks one of the tied prices. They are in ascending order, each with the surplus of buys at that price. */
type Choice = (tied: readonly { priceE4: number; surplus: number }[]) => number;

/** Orders that take part in an auction, and the exchange's choice among tied prices. */
export interface Call {
  orders: readonly CallOrder[];
  choose: Choice;
}

/**
 * Returns the price with the largest matched volume and, among those, the smallest remainder; `null` when no buy meets
 * a sell.
 */
export function callPrice({ orders, choose }: Call): CallPrice | null {
  const levels = levelsOf(orders);
  const matchedAt = ({ buys, sells }: Level) => Math.min(buys, sells);
  const most = levels.reduce((best, level) => Math.max(best, matchedAt(level)), 0);
  if (most === 0) return null;
  const largest = levels
    .filter((level) => matchedAt(level) === most)
    .map(({ priceE4, buys, sells }) => ({ priceE4, surplus: buys - sells }));
  const least = Math.min(...largest.map(({ surplus }) => Math.abs(surplus)));
  const priceE4 = choose(largest.filter(({ surplus }) => Math.abs(surplus) === least));
  // The chosen price may lie between two orders' prices.
  const buys = levels.find((level) => level.priceE4 >= priceE4)?.buys ?? 0;
  const sells = levels.findLast((level) => level.priceE4 <= priceE4)?.sells ?? 0;
  return { priceE4, matched: Math.min(buys, sells), surplus: buys - sells };
}

/** A price at which there are orders, with the buys at or above it and the sells at or below it, in shares. */
interface Level {
  priceE4: number;
  buys: number;
  sells: number;
}

/** Returns the levels by ascending price. */
function levelsOf(orders: readonly CallOrder[]): Level[] {
  const atPrice = new Map<number, Level>();
  for (const { priceE4, isBuy, volume } of orders) {
    const level = atPrice.get(priceE4) ?? { priceE4, buys: 0, sells: 0 };
    if (isBuy) level.buys += volume;
    else level.sells += volume;
    atPrice.set(priceE4, level);
  }
  const levels = [...atPrice.values()].sort((a, b) => a.priceE4 - b.priceE4);
  for (const [at, level] of levels.entries()) level.sells += levels[at - 1]?.sells ?? 0;
  for (let at = levels.length - 2; at >= 0; at--) {
    const level = levels[at];
    if (level !== undefined) level.buys += levels[at + 1]?.buys ?? 0;
  }
  return levels;
}

/**
 * Returns Shanghai's choice among tied prices: the lowest when sells are left over, the highest when buys are, else the
 * middle.
 */
export function shanghaiChoice(tickE4: number): Choice {
  return (tied) => {
    const [low, high] = [tied[0]?.priceE4 ?? 0, tied.at(-1)?.priceE4 ?? 0];
    if (tied.every(({ surplus }) => surplus < 0)) return low;
    if (tied.every(({ surplus }) => surplus > 0)) return high;
    return Math.floor((low + high) / 2 / tickE4 + 0.5) * tickE4;
  };
}

/** Returns Shenzhen's choice among tied prices: the one nearest to `lastE4`. */
export function shenzhenChoice(lastE4: number): Choice {
  return (tied) =>
    tied.reduce(
      (best, { priceE4 }) => (Math.abs(priceE4 - lastE4) < Math.abs(best - lastE4) ? priceE4 : best),
      tied[0]?.priceE4 ?? 0,
    );
}

/** Pairs the best buys with the best sells at `priceE4`, by price, then time, until one side is used up. */
export function callPairs(orders: readonly CallOrder[], priceE4: number): CallPair[] {
  const queue = (isBuy: boolean) =>
    orders
      .filter(
        (order) => order.isBuy === isBuy && (isBuy ? order.priceE4 >= priceE4 : order.priceE4 <= priceE4),
      )
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
