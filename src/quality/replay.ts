/**
 * Holds the state and the results of a replay of a security's orders and trades. `shanghai.ts` and `shenzhen.ts` extend
 * the class.
 */
import type { OrderColumns, Security } from "../orders/record.ts";
import { type AuctionMatch, levelsOf, matchOfLevels } from "./auction.ts";
import { LiveOrders } from "./live-orders.ts";
import { kindOf, tickE4 } from "./security-kind.ts";
import type { TradeColumns } from "./security-rows.ts";
import type { FaultPlace, Verdict } from "./sheet.ts";
import { FaultCounter, type FaultKind, notProvable, rowPlace, unproven } from "./verdict.ts";

/** The times at which the phases of a trading day begin, as HHMMSSmmm. */
export const [OPENING_CALL, CONTINUOUS, CLOSING_CALL] = [91500000, 93000000, 145700000] as const;

/** A value later than the time of any row. */
export const NEVER = 999_999_999;

/** The state that the replays of Shanghai and Shenzhen have in common. */
export class Replay {
  readonly matching = new FaultCounter();
  /** `counts` of the schema in `sheet.ts` describes each count. */
  readonly counts = { cancels: 0, cancelsExact: 0, fills: 0, fillsFound: 0 };
  readonly priority = new Priority();
  readonly opening: AuctionCheck;
  readonly closing: AuctionCheck;
  readonly orders: LiveOrders;
  protected readonly trades: TradeColumns;

  constructor(security: Security, orders: OrderColumns, trades: TradeColumns) {
    this.opening = new AuctionCheck(security);
    this.closing = new AuctionCheck(security);
    this.orders = new LiveOrders(orders, security.market);
    this.trades = trades;
  }

  /** Matches the auctions that have ended by `time`. */
  reach(time: number): void {
    if (time >= CONTINUOUS) this.opening.begin(this.orders);
    if (time === NEVER) this.closing.begin(this.orders);
  }

  /** Adds the order in `row` to those that can be filled. */
  add(row: number): void {
    if (!this.orders.add(row)) this.faultOfOrder("order_repeated", row);
  }

  /** Adds the trade in `row` to the auction at its time. */
  protected addToAuction(row: number): void {
    const { time, priceE4, volume } = this.trades;
    const auction = (time[row] ?? 0) < CLOSING_CALL ? this.opening : this.closing;
    auction.begin(this.orders);
    auction.trade(priceE4[row] ?? 0, volume[row] ?? 0, rowPlace("trades", row, this.trades));
  }

  /**
   * Subtracts the trade in `row` from the order in row `ordered`. `wrong` says why that is the wrong order;
   * `fill_unknown` if `ordered` is -1. Returns whether the order fits the trade.
   */
  protected take(row: number, ordered: number, wrong: FaultKind | null): boolean {
    const { orders, trades } = this;
    const volume = trades.volume[row] ?? 0;
    const kind = wrong ?? ((orders.left[ordered] ?? 0) < volume ? "fill_exceeds" : null);
    if (ordered >= 0) orders.take(ordered, volume);
    if (kind !== null) this.faultOfTrade(kind, row);
    return kind === null;
  }

  protected faultOfOrder(kind: FaultKind, row: number): void {
    this.matching.add(kind, rowPlace("orders", row, this.orders.rows));
  }

  protected faultOfTrade(kind: FaultKind, row: number): void {
    this.matching.add(kind, rowPlace("trades", row, this.trades));
  }
}

/** Computes a call auction from the orders, and compares the result with the auction's trades. */
class AuctionCheck {
  private readonly security: Security;
  /** The match of the orders; absent before `begin`, and `null` if no buy met a sell. */
  private match?: AuctionMatch | null;
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
    if (this.match !== undefined) return;
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
    const { match = null, first } = this;
    const faults = new FaultCounter();
    if (match === null && first !== null) faults.add("auction_volume", first);
    if (match !== null && first === null) faults.add("auction_missing");
    if (match !== null && first !== null) {
      if (!this.isPriceOf(match)) faults.add("auction_price", first);
      if (this.volume !== match.matched) faults.add("auction_volume", first);
    }
    const verdict = faults.verdict();
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

/**
 * The tolerated fraction of fills that pass over the best order. A few fills do so on real days, because the order of
 * rows within a millisecond is uncertain.
 */
const MOST_PASSED_OVER = 0.02;
const LEAST_FILLS = 500;

/** Counts the fills that passed over a better order: one with a better price, or the same price and an earlier time. */
class Priority {
  judged = 0;
  passedOver = 0;
  private first: FaultPlace | null = null;

  /** Judges the fill in `row` of the trades. */
  add(isBest: boolean, row: number, trades: TradeColumns): void {
    this.judged += 1;
    if (isBest) return;
    this.passedOver += 1;
    this.first ??= rowPlace("trades", row, trades);
  }

  /** Returns `failed` when more than 2 % of at least 500 fills passed over a better order. */
  verdict(): Verdict {
    if (this.judged < LEAST_FILLS) return notProvable("too_few_rows");
    const faults = new FaultCounter();
    if (this.passedOver > this.judged * MOST_PASSED_OVER) faults.add("priority", this.first, this.passedOver);
    return faults.verdict();
  }
}
