/** Keeps the remaining quantity of each order while the rows of a day are replayed. */
import type { OrderColumns } from "../orders/record.ts";
import type { AuctionOrder } from "./auction.ts";
import { OrderTable } from "./order-table.ts";
import { RestingSide } from "./resting-side.ts";
import { coded } from "./security-rows.ts";

/** The kind of an order row. `UNPRICED`: a market order or a best-own-side order in Shenzhen. */
export const [IGNORED, LIMIT, UNPRICED, CANCEL] = [0, 1, 2, 3] as const;
/** The sides of orders. The side is 0 for a code other than B and S. */
export const [BUY, SELL] = [1, 2] as const;

/** Returns the side of an order code. */
export function sideOf(code: string): number {
  return code === "B" ? BUY : code === "S" ? SELL : 0;
}

export class LiveOrders {
  readonly rows: OrderColumns;
  /** The kind of each row: `IGNORED`, `LIMIT`, `UNPRICED` or `CANCEL`. */
  readonly kinds: Uint8Array;
  /** The side of each row: `BUY`, `SELL` or 0. */
  readonly sides: Uint8Array;
  /** The remaining quantity of each row's order, in shares; 0 for a row that was not added. */
  readonly left: Float64Array;
  private readonly table: OrderTable;
  private readonly buys: RestingSide;
  private readonly sells: RestingSide;

  /** `kindOfType` returns the kind of an order type. */
  constructor(rows: OrderColumns, kindOfType: (type: string) => number) {
    this.rows = rows;
    this.kinds = coded(rows.orderType, kindOfType);
    this.sides = coded(rows.orderCode, sideOf);
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
