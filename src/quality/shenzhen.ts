/**
 * Replays a Shenzhen security. Order rows contain the full original volume. A fill reduces both of its orders. Cancels
 * are rows of the trades, and each cancels an order's whole remaining volume.
 */
import type { OrderColumns, Security } from "../orders/record.ts";
import { BUY, LIMIT, SELL, UNPRICED } from "./live-orders.ts";
import { CLOSING_CALL, CONTINUOUS, NEVER, Replay } from "./replay.ts";
import { coded, type TradeColumns } from "./security-rows.ts";
import type { FaultKind } from "./verdict.ts";

/** Returns the kind of an order type in Shenzhen. Only a limit order (0) has its own price. */
export function shenzhenKind(type: string): number {
  return type === "0" ? LIMIT : UNPRICED;
}

/** Returns 1 for each trade that is a cancel, else 0. */
export function shenzhenCancels({ tradeCode }: TradeColumns): Uint8Array {
  return coded(tradeCode, isCancelCode);
}

function isCancelCode(code: string): number {
  return code === "C" ? 1 : 0;
}

/**
 * Replays the rows in the order of the numbers that orders and trades share, if the numbers of both ascend. Otherwise
 * replays them by time; orders come before trades of the same millisecond.
 */
export function replayShenzhen(security: Security, orders: OrderColumns, trades: TradeColumns): Replay {
  const replay = new ShenzhenReplay(security, orders, trades);
  const isCommon = isAscending(orders.exchangeOrderId) && isAscending(trades.tradeId);
  const [orderAt, tradeAt] = isCommon ? [orders.exchangeOrderId, trades.tradeId] : [orders.time, trades.time];
  let [order, trade] = [0, 0];
  while (order < orders.rows || trade < trades.rows) {
    const isOrder =
      trade >= trades.rows || (order < orders.rows && (orderAt[order] ?? 0) <= (tradeAt[trade] ?? 0));
    replay.reach((isOrder ? orders.time[order] : trades.time[trade]) ?? NEVER);
    if (isOrder) replay.add(order++);
    else replay.trade(trade++);
  }
  replay.reach(NEVER);
  return replay;
}

function isAscending(numbers: Float64Array): boolean {
  for (let row = 0; row < numbers.length; row++) {
    if ((numbers[row] ?? 0) <= (row === 0 ? 0 : (numbers[row - 1] ?? 0))) return false;
  }
  return true;
}

class ShenzhenReplay extends Replay {
  private readonly isCancel: Uint8Array;

  constructor(security: Security, orders: OrderColumns, trades: TradeColumns) {
    super(security, orders, { trades, kindOf: shenzhenKind });
    this.isCancel = shenzhenCancels(trades);
  }

  trade(row: number): void {
    if (this.isCancel[row] === 1) this.cancel(row);
    else this.fill(row);
  }

  private cancel(row: number): void {
    const { trades, orders, counts } = this;
    counts.cancels += 1;
    const [buy, sell] = [trades.buyOrderId[row] ?? 0, trades.sellOrderId[row] ?? 0];
    const ordered = orders.find(buy === 0 ? sell : buy);
    if (buy > 0 === sell > 0 || ordered < 0) this.faultOfTrade("cancel_unknown", row);
    else if (isWrongSide(orders.sides[ordered], buy > 0 ? BUY : SELL))
      this.faultOfTrade("cancel_differs", row);
    else if (orders.left[ordered] !== trades.volume[row]) this.faultOfTrade("cancel_remainder", row);
    else counts.cancelsExact += 1;
    if (ordered >= 0) orders.left[ordered] = 0;
  }

  private fill(row: number): void {
    const { trades, orders, counts } = this;
    const time = trades.time[row] ?? 0;
    const [price, volume] = [trades.priceE4[row] ?? 0, trades.volume[row] ?? 0];
    const isAuction = time < CONTINUOUS || time >= CLOSING_CALL;
    if (isAuction) {
      const auction = time < CONTINUOUS ? this.opening : this.closing;
      auction.begin(orders);
      auction.trade(price, volume, this.placeOfTrade(row));
    }
    const [buy, sell] = [trades.buyOrderId[row] ?? 0, trades.sellOrderId[row] ?? 0];
    const [buyer, seller] = [orders.find(buy), orders.find(sell)];
    // The resting order of a fill is the older one, which has the lower number.
    if (!isAuction) this.judgePriority(row, buy < sell ? buyer : seller, buy < sell ? BUY : SELL);
    const isBought = this.take(row, buyer, BUY);
    const isSold = this.take(row, seller, SELL);
    if (isAuction) return;
    counts.fills += 1;
    if (isBought && isSold) counts.fillsFound += 1;
  }

  private judgePriority(row: number, resting: number, side: number): void {
    const { orders, trades } = this;
    if (resting < 0 || orders.kinds[resting] !== LIMIT) return;
    this.priority.add(orders.best(side) === resting, row, trades);
  }

  /**
   * Subtracts the fill in `row` from the order in row `ordered` (-1: unknown), which must be on `side`. Returns whether
   * the order fits the fill.
   */
  private take(row: number, ordered: number, side: number): boolean {
    const { trades, orders } = this;
    const volume = trades.volume[row] ?? 0;
    let kind: FaultKind | null = null;
    if (ordered < 0) kind = "fill_unknown";
    else {
      if (isWrongSide(orders.sides[ordered], side)) kind = "fill_side";
      else if (this.isBeyondLimit(ordered, side, trades.priceE4[row] ?? 0)) kind = "fill_price";
      else if ((orders.left[ordered] ?? 0) < volume) kind = "fill_exceeds";
      orders.take(ordered, volume);
    }
    if (kind !== null) this.faultOfTrade(kind, row);
    return kind === null;
  }

  private isBeyondLimit(ordered: number, side: number, price: number): boolean {
    if (this.orders.kinds[ordered] !== LIMIT) return false;
    const limit = this.orders.rows.priceE4[ordered] ?? 0;
    return side === BUY ? price > limit : price < limit;
  }
}

/** Returns whether an order has a known side that is not the expected one. */
function isWrongSide(side: number | undefined, expected: number): boolean {
  return side !== 0 && side !== expected;
}
