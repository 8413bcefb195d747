/** Computes a call auction of a security from the orders, and compares the result with the auction's trades. */
import type { Security } from "../orders/record.ts";
import { type AuctionMatch, levelsOf, matchOfLevels } from "./auction.ts";
import type { LiveOrders } from "./live-orders.ts";
import { kindOf, tickE4 } from "./security-kind.ts";
import { FaultCounter, type FaultPlace, notProvable, unproven, type Verdict } from "./verdict.ts";

export class AuctionCheck {
  private readonly security: Security;
  private match: AuctionMatch | null = null;
  private isMatched = false;
  private hasUnpriced = false;
  private first: FaultPlace | null = null;
  private lowest = Number.POSITIVE_INFINITY;
  private highest = 0;
  private volume = 0;

  constructor(security: Security) {
    this.security = security;
  }

  /**
   * Matches the orders as they are now. The first call must come before the auction's first trade; further calls have
   * no effect.
   */
  begin(orders: LiveOrders): void {
    if (this.isMatched) return;
    this.isMatched = true;
    this.match = matchOfLevels(levelsOf(orders.forAuction()), tickE4(this.security));
    this.hasUnpriced = orders.hasUnpriced();
  }

  trade(priceE4: number, volume: number, place: FaultPlace): void {
    this.first ??= place;
    this.lowest = Math.min(this.lowest, priceE4);
    this.highest = Math.max(this.highest, priceE4);
    this.volume += volume;
  }

  /**
   * Returns `failed` unless all trades have the price and volume that the orders give. Shenzhen chooses among tied
   * prices by the last price, which only quotes contain, so any tied price passes in Shenzhen. Faults are not provable
   * when orders without a price took part.
   */
  verdict(): Verdict {
    const { match, first, volume } = this;
    const faults = new FaultCounter();
    if (match === null && first !== null) faults.add("auction_volume", first);
    if (match !== null && first === null) faults.add("auction_missing");
    if (match !== null && first !== null) {
      if (!this.isPriceOf(match)) faults.add("auction_price", first);
      if (volume !== match.matched) faults.add("auction_volume", first);
    }
    const verdict = faults.verdict();
    if (verdict.verdict !== "failed") return verdict;
    if (this.hasUnpriced) return unproven(verdict, "market_orders");
    // For years, Shanghai's funds had no closing auction, so missing trades are no proof of a fault.
    const isMissing = match !== null && first === null;
    return isMissing && kindOf(this.security) !== "share" ? notProvable("unmeasured_market") : verdict;
  }

  private isPriceOf({ priceE4, low, high }: AuctionMatch): boolean {
    if (this.lowest !== this.highest) return false;
    if (this.security.market === "SH") return this.lowest === priceE4;
    return this.lowest >= low && this.lowest <= high;
  }
}
