/**
 * Replays a Shenzhen security. Order rows contain the full original volume. A fill reduces both of its orders. Cancels
 * are rows of the trades, and each cancels an order's whole remaining volume.
 */
import type { OrderColumns, Security } from "../orders/record.ts";
import { CLOSING_CALL, CONTINUOUS, NEVER, Replay } from "./replay.ts";
import { BUY, isAscending, LIMIT, SELL, shenzhenCancels, type TradeColumns } from "./security-rows.ts";
import type { FaultKind } from "./verdict.ts";

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

class ShenzhenReplay extends Replay {
  private readonly isCancel = shenzhenCancels(this.trades);

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
    const isAuction = time < CONTINUOUS || time >= CLOSING_CALL;
    if (isAuction) this.addToAuction(row);
    const [buy, sell] = [trades.buyOrderId[row] ?? 0, trades.sellOrderId[row] ?? 0];
    const [buyer, seller] = [orders.find(buy), orders.find(sell)];
    // The resting order of a fill is the older one, which has the lower number.
    const [resting, side] = buy < sell ? [buyer, BUY] : [seller, SELL];
    if (!isAuction && resting >= 0 && orders.kinds[resting] === LIMIT)
      this.priority.add(orders.best(side) === resting, row, trades);
    const isBought = this.take(row, buyer, this.wrongWith(row, buyer, BUY));
    const isSold = this.take(row, seller, this.wrongWith(row, seller, SELL));
    if (isAuction) return;
    counts.fills += 1;
    if (isBought && isSold) counts.fillsFound += 1;
  }

  /** Returns what is wrong with the order in row `ordered` as the order on `side` of the fill in `row`. */
  private wrongWith(row: number, ordered: number, side: number): FaultKind | null {
    const { orders, trades } = this;
    if (ordered < 0) return "fill_unknown";
    if (isWrongSide(orders.sides[ordered], side)) return "fill_side";
    if (orders.kinds[ordered] !== LIMIT) return null;
    const [price, limit] = [trades.priceE4[row] ?? 0, orders.rows.priceE4[ordered] ?? 0];
    return (side === BUY ? price > limit : price < limit) ? "fill_price" : null;
  }
}

/** Returns whether an order has a known side that is not the expected one. */
function isWrongSide(side: number | undefined, expected: number): boolean {
  return side !== 0 && side !== expected;
}
