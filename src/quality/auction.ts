/** Computes a call auction from its orders: the price with the largest matched volume. */

/** An order in an auction; market orders do not take part. */
export interface AuctionOrder {
  isBuy: boolean;
  priceE4: number;
  /** Shares. */
  volume: number;
}

export interface AuctionMatch {
  /**
   * The lowest of the tied prices, in ten-thousandths of a yuan. Tied prices match the largest volume with the smallest
   * remainder.
   */
  low: number;
  /** The highest of the tied prices. */
  high: number;
  /** Shanghai's choice among the tied prices, from `low` to `high`. */
  priceE4: number;
  /** The matched volume in shares. */
  matched: number;
  /** Shares that stay unmatched on the larger side at `low`; positive for buys, negative for sells. */
  surplusLow: number;
  /** Shares that stay unmatched on the larger side at `high`; positive for buys, negative for sells. */
  surplusHigh: number;
}

/** The quantities bid and asked at one price, in shares. */
export interface AuctionLevel {
  price: number;
  buys: number;
  sells: number;
}

/** Returns the volumes of `orders` at each price, by ascending price. */
export function levelsOf(orders: readonly AuctionOrder[]): AuctionLevel[] {
  const levels = new Map<number, AuctionLevel>();
  for (const { isBuy, priceE4, volume } of orders) {
    const level = levels.get(priceE4) ?? { price: priceE4, buys: 0, sells: 0 };
    if (isBuy) level.buys += volume;
    else level.sells += volume;
    levels.set(priceE4, level);
  }
  return [...levels.values()].sort((a, b) => a.price - b.price);
}

/**
 * Returns the match of `levels`, which must be sorted by ascending price. The price is the one with the largest matched
 * volume; if several have it, the one with the smallest remainder. Of several tied prices, Shanghai uses the lowest
 * when sells remain, the highest when buys remain, and otherwise the middle, rounded half up to `tickE4`. Returns
 * `null` when no buy meets a sell.
 */
export function matchOfLevels(levels: readonly AuctionLevel[], tickE4: number): AuctionMatch | null {
  let sellsUpTo = 0;
  let buysFrom = levels.reduce((sum, { buys }) => sum + buys, 0);
  let best: Omit<AuctionMatch, "priceE4"> | null = null;
  for (const { price, buys, sells } of levels) {
    if (buys === 0 && sells === 0) continue;
    sellsUpTo += sells;
    const matched = Math.min(buysFrom, sellsUpTo);
    const surplus = buysFrom - sellsUpTo;
    const most: number = best?.matched ?? 0;
    const least: number = Math.abs(best?.surplusLow ?? 0);
    if (matched > most || (matched === most && Math.abs(surplus) < least)) {
      best = { low: price, high: price, matched, surplusLow: surplus, surplusHigh: surplus };
    } else if (best !== null && matched === most && Math.abs(surplus) === least) {
      best.high = price;
      best.surplusHigh = surplus;
    }
    buysFrom -= buys;
  }
  if (best === null) return null;
  const { low, high, surplusLow, surplusHigh } = best;
  const middle = Math.floor((low + high) / 2 / tickE4 + 0.5) * tickE4;
  const priceE4 = surplusLow < 0 && surplusHigh < 0 ? low : surplusLow > 0 && surplusHigh > 0 ? high : middle;
  return { ...best, priceE4 };
}

/**
 * Returns whether `priceE4` is Shenzhen's choice among the tied prices of a match of `levels`: the one nearest to
 * `lastE4` (in the opening call, the previous close). The rule does not say whether a price without an order counts, so
 * both the nearest tied price and the nearest tied price that has an order pass.
 */
export function isShenzhenChoice(
  priceE4: number,
  { low, high, surplusLow, surplusHigh }: AuctionMatch,
  { levels, lastE4 }: { levels: readonly AuctionLevel[]; lastE4: number },
): boolean {
  // If buys remain at `low` and sells at `high`, or the reverse, the prices between the two are not tied.
  if (surplusLow === surplusHigh && priceE4 === Math.min(high, Math.max(low, lastE4))) return true;
  const isTied = ({ price, buys, sells }: AuctionLevel) => price >= low && price <= high && buys + sells > 0;
  const distances = levels.filter(isTied).map(({ price }) => Math.abs(price - lastE4));
  const isOfOrder = levels.some((level) => level.price === priceE4 && isTied(level));
  return isOfOrder && Math.abs(priceE4 - lastE4) === Math.min(...distances);
}
