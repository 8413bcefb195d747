/** The quantity at each price on one side of a sample order book. */

export class Levels {
  /** The number of changes to the levels so far. */
  changes = 0;
  /** The sum of the quantities of all levels, in shares. */
  volume = 0;
  /** The sum of price × quantity over all levels, in ten-thousandths of a yuan. */
  worth = 0;
  /** The prices that have a quantity, the best first. */
  readonly prices: number[] = [];
  /** The quantity at each of these prices, in shares. */
  readonly volumes: number[] = [];
  private readonly sign: number;

  /** Buys are sorted by descending price, sells by ascending price. */
  constructor(isBuy: boolean) {
    this.sign = isBuy ? -1 : 1;
  }

  /** Adds shares at a price; a negative number removes shares. */
  change(priceE4: number, volume: number): void {
    if (volume === 0) return;
    const { prices, volumes } = this;
    const at = this.placeOf(priceE4);
    this.changes += 1;
    this.volume += volume;
    this.worth += volume * priceE4;
    if (prices[at] !== priceE4) {
      prices.splice(at, 0, priceE4);
      volumes.splice(at, 0, volume);
      return;
    }
    volumes[at] = (volumes[at] ?? 0) + volume;
    if (volumes[at] > 0) return;
    prices.splice(at, 1);
    volumes.splice(at, 1);
  }

  /** Returns the first index whose price is not better than `priceE4`. */
  private placeOf(priceE4: number): number {
    let [low, high] = [0, this.prices.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (((this.prices[middle] ?? 0) - priceE4) * this.sign < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
