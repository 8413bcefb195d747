/** The call auctions of sample days, by the exchanges' rules. */

/** An order that takes part. */
export interface CallOrder {
  row: number;
  isBuy: boolean;
  priceE4: number;
  /** Shares. */
  volume: number;
}

export interface CallMatch {
  priceE4: number;
  /** Rows of a buy and a sell, and shares, in the order of the trades. */
  pairs: { buy: number; sell: number; volume: number }[];
}

/**
 * Matches `orders`: at the price with the most volume, then the least remainder. `choose` picks among tied prices, which
 * ascend, by the surplus of buys (negative: of sells) at each. `null` when nothing crosses.
 */
export function matchCall(
  orders: readonly CallOrder[],
  choose: (tied: readonly { priceE4: number; surplus: number }[]) => number,
): CallMatch | null {
  const atPrice = new Map<number, { buys: number; sells: number }>();
  for (const { priceE4, isBuy, volume } of orders) {
    const level = atPrice.get(priceE4) ?? { buys: 0, sells: 0 };
    if (isBuy) level.buys += volume;
    else level.sells += volume;
    atPrice.set(priceE4, level);
  }
  const prices = [...atPrice.keys()].sort((a, b) => a - b);
  const sum = (side: "buys" | "sells", isIn: (price: number) => boolean) =>
    prices.filter(isIn).reduce((total, price) => total + (atPrice.get(price)?.[side] ?? 0), 0);
  const candidates = prices.map((priceE4) => {
    const buys = sum("buys", (price) => price >= priceE4);
    const sells = sum("sells", (price) => price <= priceE4);
    return { priceE4, matched: Math.min(buys, sells), surplus: buys - sells };
  });
  const most = Math.max(0, ...candidates.map(({ matched }) => matched));
  if (most === 0) return null;
  const largest = candidates.filter(({ matched }) => matched === most);
  const least = Math.min(...largest.map(({ surplus }) => Math.abs(surplus)));
  const priceE4 = choose(largest.filter(({ surplus }) => Math.abs(surplus) === least));
  return { priceE4, pairs: pairsOf(orders, priceE4) };
}

/** Shanghai's choice: the lowest price when sells are left over, the highest when buys are, else the middle. */
export function shanghaiChoice(tickE4: number) {
  return (tied: readonly { priceE4: number; surplus: number }[]): number => {
    const [low, high] = [tied[0]?.priceE4 ?? 0, tied.at(-1)?.priceE4 ?? 0];
    if (tied.every(({ surplus }) => surplus < 0)) return low;
    if (tied.every(({ surplus }) => surplus > 0)) return high;
    return Math.floor((low + high) / 2 / tickE4 + 0.5) * tickE4;
  };
}

/** Shenzhen's choice: the price nearest to `lastE4`. */
export function shenzhenChoice(lastE4: number) {
  return (tied: readonly { priceE4: number }[]): number =>
    tied.reduce(
      (best, { priceE4 }) => (Math.abs(priceE4 - lastE4) < Math.abs(best - lastE4) ? priceE4 : best),
      tied[0]?.priceE4 ?? 0,
    );
}

/** Pairs the best buys with the best sells, by price, then time, until one side is used up. */
function pairsOf(orders: readonly CallOrder[], priceE4: number): CallMatch["pairs"] {
  const queue = (isBuy: boolean) =>
    orders
      .filter(
        (order) => order.isBuy === isBuy && (isBuy ? order.priceE4 >= priceE4 : order.priceE4 <= priceE4),
      )
      .sort((a, b) => (isBuy ? b.priceE4 - a.priceE4 : a.priceE4 - b.priceE4) || a.row - b.row)
      .map(({ row, volume }) => ({ row, left: volume }));
  const [buys, sells] = [queue(true), queue(false)];
  const pairs: CallMatch["pairs"] = [];
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
