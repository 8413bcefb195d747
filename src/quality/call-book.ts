/** Replays the orders of an opening call auction, and sums them by price. */
import { AUCTION_END } from "../auction/rows.ts";
import type { Market, OrderColumns, Security } from "../orders/record.ts";
import { type AuctionLevel, type AuctionMatch, matchOfLevels } from "./auction.ts";
import { tickE4 } from "./security-kind.ts";
import {
  BUY,
  CANCEL,
  LIMIT,
  orderKinds,
  orderSides,
  shenzhenCancels,
  sinceMidnightMs,
  type TradeColumns,
  UNPRICED,
} from "./security-rows.ts";

/** The end of Shenzhen's opening call, HHMMSSmmm. Later orders are for the session that follows. */
const SHENZHEN_END = 92500000;

/** An order or a cancel; `shares` is negative for a cancel. */
interface CallEvent {
  /** Milliseconds since midnight. */
  atMs: number;
  isBuy: boolean;
  level: AuctionLevel;
  shares: number;
}

export class CallBook {
  readonly market: Market;
  /** Whether orders without a price take part, in which case the price cannot be determined. */
  hasUnpriced = false;
  /** The levels in the order of ascending prices. Some can have no orders. */
  readonly levels: readonly AuctionLevel[];
  private readonly events: CallEvent[] = [];
  private readonly tick: number;
  /** Number of applied events. */
  private done = 0;

  /** `trades` contains Shenzhen's cancels. For Shanghai it is not used. */
  constructor(security: Security, orders: OrderColumns, trades: TradeColumns | null) {
    this.market = security.market;
    this.tick = tickE4(security);
    const [kinds, sides] = [orderKinds(orders, this.market), orderSides(orders)];
    const levels = new Map<number, AuctionLevel>();
    const add = (row: number, shares: number, time: number) => {
      if (sides[row] === 0) return;
      const price = orders.priceE4[row] ?? 0;
      const level = levels.get(price) ?? { price, buys: 0, sells: 0 };
      levels.set(price, level);
      this.events.push({ atMs: sinceMidnightMs(time), isBuy: sides[row] === BUY, level, shares });
    };
    const end = this.market === "SH" ? AUCTION_END : SHENZHEN_END;
    /** Shenzhen's orders by number. */
    const rowOf = new Map<number, number>();
    for (let row = 0; row < orders.rows; row++) {
      const [time, volume] = [orders.time[row] ?? 0, orders.volume[row] ?? 0];
      if (time >= end) break;
      if (kinds[row] === UNPRICED) this.hasUnpriced = true;
      if (kinds[row] === CANCEL) add(row, -volume, time);
      if (kinds[row] !== LIMIT) continue;
      add(row, volume, time);
      if (this.market === "SZ") rowOf.set(orders.exchangeOrderId[row] ?? 0, row);
    }
    if (this.market === "SZ" && trades !== null) {
      const isCancel = shenzhenCancels(trades);
      for (let row = 0; row < trades.rows; row++) {
        const time = trades.time[row] ?? 0;
        if (time >= end) break;
        const ordered = rowOf.get(trades.buyOrderId[row] || (trades.sellOrderId[row] ?? 0));
        if (isCancel[row] === 1 && ordered !== undefined) add(ordered, -(trades.volume[row] ?? 0), time);
      }
      this.events.sort((a, b) => a.atMs - b.atMs);
    }
    this.levels = [...levels.values()].sort((a, b) => a.price - b.price);
  }

  /** Applies and returns the next event up to `untilMs`; `null` when there is none. */
  step(untilMs: number): CallEvent | null {
    const event = this.events[this.done];
    if (event === undefined || event.atMs > untilMs) return null;
    put(event, event.shares);
    this.done += 1;
    return event;
  }

  /** Reverses the last `count` events. */
  undo(count: number): void {
    const undone = this.events.slice(this.done - count, this.done);
    for (const event of undone) put(event, -event.shares);
    this.done -= count;
  }

  /** Returns the quantity bid at `priceE4` or above and the quantity asked at `priceE4` or below, in shares. */
  meeting(priceE4: number): { buys: number; sells: number } {
    let [buys, sells] = [0, 0];
    for (const level of this.levels) {
      if (level.price >= priceE4) buys += level.buys;
      if (level.price <= priceE4) sells += level.sells;
    }
    return { buys, sells };
  }

  /** Returns the quantities bid and asked at a price. */
  at(priceE4: number): Pick<AuctionLevel, "buys" | "sells"> {
    return this.levels.find(({ price }) => price === priceE4) ?? { buys: 0, sells: 0 };
  }

  /** Returns how the orders would match now; `null` when no buy meets a sell. */
  match(): AuctionMatch | null {
    return matchOfLevels(this.levels, this.tick);
  }
}

function put({ isBuy, level }: CallEvent, shares: number): void {
  if (isBuy) level.buys += shares;
  else level.sells += shares;
}
