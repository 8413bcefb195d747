/** Keeps the remaining quantity of each order while the rows of a day are replayed. */
import type { Market, OrderColumns } from "../orders/record.ts";
import type { AuctionOrder } from "./auction.ts";
import { OrderTable } from "./order-table.ts";
import { RestingSide } from "./resting-side.ts";
import { BUY, LIMIT, orderKinds, orderSides, SELL, UNPRICED } from "./security-rows.ts";

export class LiveOrders {
  readonly rows: OrderColumns;
  /** The kind of each row (see `orderKinds`). */
  readonly kinds: Uint8Array;
  /** The side of each row: `BUY`, `SELL` or 0. */
  readonly sides: Uint8Array;
  /** The remaining quantity of each row's order, in shares; 0 for a row that was not added. */
  readonly left: Float64Array;
  private readonly table: OrderTable;
  private readonly buys: RestingSide;
  private readonly sells: RestingSide;

  constructor(rows: OrderColumns, market: Market) {
    this.rows = rows;
    this.kinds = orderKinds(rows, market);
    this.sides = orderSides(rows);
    this.left = new Float64Array(rows.rows);
    this.table = new OrderTable(rows.rows);
    this.buys = new RestingSide(rows, this.left, { isBuy: true });
    this.sells = new RestingSide(rows, this.left, { isBuy: false });
  }

  /** Adds the order in `row`. Returns false when the order's number already exists. */
  add(row: number): boolean {
    const { rows, sides, kinds } = this;
    if (!this.table.add(rows.exchangeOrderId[row] ?? 0, row)) return false;
    this.left[row] = rows.volume[row] ?? 0;
    if (kinds[row] === LIMIT && sides[row] === BUY) this.buys.add(row);
    if (kinds[row] === LIMIT && sides[row] === SELL) this.sells.add(row);
    return true;
  }

  /** Returns the row of the order with the number `number`, or -1 if no part of this order is left. */
  find(number: number): number {
    const row = this.table.find(number);
    return row >= 0 && (this.left[row] ?? 0) > 0 ? row : -1;
  }

  /** Subtracts up to `volume` shares from the order in `row`. */
  take(row: number, volume: number): void {
    this.left[row] = Math.max(0, (this.left[row] ?? 0) - volume);
  }

  /** Returns the row of the best limit order on `side`, -1 when there is none. */
  best(side: number): number {
    return (side === BUY ? this.buys : this.sells).best();
  }

  /** Returns the orders that a call auction would match now. */
  forAuction(): AuctionOrder[] {
    const { rows, kinds, sides, left } = this;
    const orders: AuctionOrder[] = [];
    for (let row = 0; row < rows.rows; row++) {
      const volume = left[row] ?? 0;
      if (volume === 0 || kinds[row] !== LIMIT || sides[row] === 0) continue;
      orders.push({ isBuy: sides[row] === BUY, priceE4: rows.priceE4[row] ?? 0, volume });
    }
    return orders;
  }

  /** Returns whether an order without a price has a remainder. */
  hasUnpriced(): boolean {
    return this.kinds.some((kind, row) => kind === UNPRICED && (this.left[row] ?? 0) > 0);
  }
}
