/**
 * Replays a Shanghai security. The row of an order contains what remains after its immediate fills. A trade therefore
 * reduces only the resting order: the seller's for `B`, the buyer's for `S`, both for `N` (auctions).
 */
import type { OrderColumns, Security } from "../orders/record.ts";
import { NEVER, Replay } from "./replay.ts";
import { BUY, CANCEL, coded, LIMIT, SELL, type TradeColumns } from "./security-rows.ts";
import type { FaultKind } from "./verdict.ts";

const AUCTION = 3;

/**
 * Replays the rows by time. Within one millisecond new orders come first, then trades, then cancels, each in file
 * order. With this sequence, a real sample agrees completely: each of its 39,588 cancels has exactly the volume that
 * remains of its order, and each of its 108,026 fills finds its orders.
 */
export function replayShanghai(security: Security, orders: OrderColumns, trades: TradeColumns): Replay {
  const replay = new ShanghaiReplay(security, orders, trades);
  const { kinds } = replay.orders;
  let [order, trade] = [0, 0];
  while (order < orders.rows || trade < trades.rows) {
    const time = Math.min(orders.time[order] ?? NEVER, trades.time[trade] ?? NEVER);
    replay.reach(time);
    const from = order;
    for (; orders.time[order] === time; order++) if (kinds[order] === LIMIT) replay.add(order);
    for (; trades.time[trade] === time; trade++) replay.trade(trade);
    for (let row = from; row < order; row++) if (kinds[row] === CANCEL) replay.cancel(row);
  }
  replay.reach(NEVER);
  return replay;
}

class ShanghaiReplay extends Replay {
  private readonly flags = coded(this.trades.bsFlag, (flag) =>
    flag === "B" ? BUY : flag === "S" ? SELL : flag === "N" ? AUCTION : 0,
  );

  cancel(row: number): void {
    const { orders, counts } = this;
    const { exchangeOrderId, priceE4, volume } = orders.rows;
    counts.cancels += 1;
    const ordered = orders.find(exchangeOrderId[row] ?? 0);
    if (ordered < 0) {
      this.faultOfOrder("cancel_unknown", row);
      return;
    }
    if (orders.sides[row] !== orders.sides[ordered] || priceE4[row] !== priceE4[ordered]) {
      this.faultOfOrder("cancel_differs", row);
    } else if (volume[row] !== orders.left[ordered]) this.faultOfOrder("cancel_remainder", row);
    else counts.cancelsExact += 1;
    orders.left[ordered] = 0;
  }

  trade(row: number): void {
    const { trades, counts } = this;
    const flag = this.flags[row];
    if (flag === AUCTION) {
      this.addToAuction(row);
      this.fill(row, BUY, null);
      this.fill(row, SELL, null);
      return;
    }
    counts.fills += 1;
    if (flag === BUY || flag === SELL) {
      // Order numbers ascend, so the aggressor's order has the higher number. All 134,598 real fills confirm this.
      const isBuyer = (trades.buyOrderId[row] ?? 0) > (trades.sellOrderId[row] ?? 0);
      if (isBuyer !== (flag === BUY)) this.faultOfTrade("flag_aggressor", row);
      if (this.fill(row, flag === BUY ? SELL : BUY, trades.priceE4[row] ?? 0)) counts.fillsFound += 1;
    } else this.faultOfTrade("flag_unknown", row);
  }

  /**
   * Subtracts the trade in `row` from its order on `side`. The order must have the price `price`, unless `price` is
   * `null`. Returns whether the order fits the trade.
   */
  private fill(row: number, side: number, price: number | null): boolean {
    const { orders, trades } = this;
    const resting = orders.find((side === BUY ? trades.buyOrderId[row] : trades.sellOrderId[row]) ?? 0);
    if (resting >= 0 && price !== null) this.priority.add(orders.best(side) === resting, row, trades);
    let wrong: FaultKind | null = null;
    if (resting < 0) wrong = "fill_unknown";
    else if (orders.sides[resting] !== side) wrong = "fill_side";
    else if (price !== null && orders.rows.priceE4[resting] !== price) wrong = "fill_price";
    return this.take(row, resting, wrong);
  }
}
