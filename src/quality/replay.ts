/**
 * Holds the state and the results of a replay of a security's orders and trades. `shanghai.ts` and `shenzhen.ts` extend
 * the class.
 */
import type { OrderColumns, Security } from "../orders/record.ts";
import { AuctionCheck } from "./auction-check.ts";
import { LiveOrders } from "./live-orders.ts";
import type { TradeColumns } from "./security-rows.ts";
import {
  FaultCounter,
  type FaultKind,
  type FaultPlace,
  notProvable,
  rowPlace,
  type Verdict,
} from "./verdict.ts";

export interface ReplayCounts {
  cancels: number;
  /**
   * The number of cancels that have the side of a live order and cancel all of its remaining quantity. In Shanghai, the
   * price must also be equal.
   */
  cancelsExact: number;
  /** The number of trades outside the auctions, without Shenzhen's cancels. */
  fills: number;
  /**
   * The number of fills whose resting order is live, large enough, on the right side and at the right price. In
   * Shenzhen, this must be true of both orders.
   */
  fillsFound: number;
}

/** The times at which the phases of a trading day begin, as HHMMSSmmm. */
export const [OPENING_CALL, CONTINUOUS, CLOSING_CALL] = [91500000, 93000000, 145700000] as const;

/** A value later than the time of any row. */
export const NEVER = 999_999_999;

/** The state that the replays of Shanghai and Shenzhen have in common. */
export class Replay {
  readonly matching = new FaultCounter();
  readonly counts: ReplayCounts = { cancels: 0, cancelsExact: 0, fills: 0, fillsFound: 0 };
  readonly priority = new Priority();
  readonly opening: AuctionCheck;
  readonly closing: AuctionCheck;
  readonly orders: LiveOrders;
  protected readonly trades: TradeColumns;

  constructor(
    security: Security,
    orders: OrderColumns,
    { trades, kindOf }: { trades: TradeColumns; kindOf: (orderType: string) => number },
  ) {
    this.opening = new AuctionCheck(security);
    this.closing = new AuctionCheck(security);
    this.orders = new LiveOrders(orders, kindOf);
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

  protected faultOfOrder(kind: FaultKind, row: number): void {
    this.matching.add(kind, rowPlace("orders", row, this.orders.rows));
  }

  protected faultOfTrade(kind: FaultKind, row: number): void {
    this.matching.add(kind, this.placeOfTrade(row));
  }

  protected placeOfTrade(row: number): FaultPlace {
    return rowPlace("trades", row, this.trades);
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
