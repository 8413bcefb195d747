/** Replays the orders of an opening call auction, and sums them by price. */
import { AUCTION_END } from "../auction/rows.ts";
import type { OrderColumns, Security } from "../orders/record.ts";
import { type AuctionLevel, type AuctionMatch, matchOfLevels } from "./auction.ts";
import { BUY, CANCEL, LIMIT, sideOf, UNPRICED } from "./live-orders.ts";
import { tickE4 } from "./security-kind.ts";
import { coded, sinceMidnightMs, type TradeColumns } from "./security-rows.ts";
import { shanghaiKind } from "./shanghai.ts";
import { shenzhenCancels, shenzhenKind } from "./shenzhen.ts";

/** The end of Shenzhen's opening call, HHMMSSmmm. Later orders are for the session that follows. */
const SHENZHEN_END = 92500000;

/** An order or a cancel; `shares` is negative for a cancel. */
export interface CallEvent {
  /** Milliseconds since midnight. */
  atMs: number;
  isBuy: boolean;
  priceE4: number;
  shares: number;
}

export class CallBook {
  /** Whether orders without a price take part, in which case the price cannot be determined. */
  readonly hasUnpriced: boolean;
  private readonly events: readonly CallEvent[];
  /** The levels in the order of ascending prices. Some can have no orders. */
  readonly levels: readonly AuctionLevel[];
  /** The level of each event. */
  private readonly levelOf: readonly AuctionLevel[];
  private readonly tick: number;
  /** Number of applied events. */
  private done = 0;

  /** `trades` contains Shenzhen's cancels. For Shanghai it is not used. */
  constructor(security: Security, orders: OrderColumns, trades: TradeColumns | null) {
    const isShanghai = security.market === "SH";
    this.events = isShanghai ? shanghaiEvents(orders) : shenzhenEvents(orders, trades);
    this.hasUnpriced = !isShanghai && hasUnpriced(orders);
    this.tick = tickE4(security);
    const prices = [...new Set(this.events.map(({ priceE4 }) => priceE4))].sort((a, b) => a - b);
    const byPrice = new Map(prices.map((price) => [price, { price, buys: 0, sells: 0 }]));
    this.levels = [...byPrice.values()];
    this.levelOf = this.events.flatMap(({ priceE4 }) => byPrice.get(priceE4) ?? []);
  }

  /** Applies and returns the next event up to `untilMs`; `null` when there is none. */
  step(untilMs: number): CallEvent | null {
    const event = this.events[this.done];
    if (event === undefined || event.atMs > untilMs) return null;
    this.put(this.done, event.shares);
    this.done += 1;
    return event;
  }

  /** Reverses the last `count` events. */
  undo(count: number): void {
    for (let n = 0; n < count; n++) {
      this.done -= 1;
      this.put(this.done, -(this.events[this.done]?.shares ?? 0));
    }
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

  private put(place: number, shares: number): void {
    const level = this.levelOf[place];
    if (level === undefined) return;
    if (this.events[place]?.isBuy) level.buys += shares;
    else level.sells += shares;
  }
}

function shanghaiEvents(orders: OrderColumns): CallEvent[] {
  const kinds = coded(orders.orderType, shanghaiKind);
  const events: CallEvent[] = [];
  for (let row = 0; row < orders.rows && (orders.time[row] ?? 0) < AUCTION_END; row++) {
    const kind = kinds[row];
    if (kind !== LIMIT && kind !== CANCEL) continue;
    const shares = orders.volume[row] ?? 0;
    add(events, orders, row, kind === CANCEL ? -shares : shares);
  }
  return events;
}

function shenzhenEvents(orders: OrderColumns, trades: TradeColumns | null): CallEvent[] {
  const kinds = coded(orders.orderType, shenzhenKind);
  const events: CallEvent[] = [];
  const rowOf = new Map<number, number>();
  for (let row = 0; row < orders.rows && (orders.time[row] ?? 0) < SHENZHEN_END; row++) {
    if (kinds[row] !== LIMIT) continue;
    rowOf.set(orders.exchangeOrderId[row] ?? 0, row);
    add(events, orders, row, orders.volume[row] ?? 0);
  }
  if (trades === null) return events;
  const isCancel = shenzhenCancels(trades);
  for (let row = 0; row < trades.rows && (trades.time[row] ?? 0) < SHENZHEN_END; row++) {
    if (isCancel[row] !== 1) continue;
    const ordered = rowOf.get(trades.buyOrderId[row] || (trades.sellOrderId[row] ?? 0));
    if (ordered === undefined) continue;
    add(events, orders, ordered, -(trades.volume[row] ?? 0), trades.time[row]);
  }
  return events.sort((a, b) => a.atMs - b.atMs);
}

/** Adds an event for the order in `row`, with the quantity `shares` and the time `time`, by default the order's. */
function add(
  events: CallEvent[],
  orders: OrderColumns,
  row: number,
  shares: number,
  time = orders.time[row],
): void {
  const side = coded(orders.orderCode, sideOf)[row];
  if (side === 0) return;
  const atMs = sinceMidnightMs(time ?? 0);
  events.push({ atMs, isBuy: side === BUY, priceE4: orders.priceE4[row] ?? 0, shares });
}

function hasUnpriced(orders: OrderColumns): boolean {
  const kinds = coded(orders.orderType, shenzhenKind);
  return kinds.some((kind, row) => kind === UNPRICED && (orders.time[row] ?? 0) < SHENZHEN_END);
}
