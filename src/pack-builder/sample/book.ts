/** The resting orders of a sample security: their rows by side, the best first, and their remaining shares. */
import type { OrderColumns } from "../../orders/record.ts";
import { RestingSide } from "../../quality/resting-side.ts";
import type { CallOrder } from "./call-auction.ts";
import { BUY, SELL, type Side } from "./columns.ts";
import { Levels } from "./levels.ts";

export class Book {
  /** For each row, the shares that remain of its order. */
  readonly left: Float64Array;
  /** The quantities by price and side, for snapshots; `null` when no snapshots are made. */
  readonly levels: Readonly<Record<Side, Levels>> | null;
  private readonly orders: OrderColumns;
  private readonly sides: Readonly<Record<Side, RestingSide>>;

  constructor(orders: OrderColumns, { hasLevels }: { hasLevels: boolean }) {
    this.orders = orders;
    this.levels = hasLevels ? { [BUY]: new Levels(true), [SELL]: new Levels(false) } : null;
    this.left = new Float64Array(orders.rows);
    this.sides = {
      [BUY]: new RestingSide(orders, this.left, { isBuy: true }),
      [SELL]: new RestingSide(orders, this.left, { isBuy: false }),
    };
  }

  add(row: number, volume: number): void {
    this.left[row] = volume;
    this.sides[this.side(row)].add(row);
    this.levels?.[this.side(row)].change(this.orders.priceE4[row] ?? 0, volume);
  }

  take(row: number, volume: number): void {
    this.left[row] = (this.left[row] ?? 0) - volume;
    this.levels?.[this.side(row)].change(this.orders.priceE4[row] ?? 0, -volume);
  }

  /** Removes the remainder of the order in `row` and returns it. */
  remove(row: number): number {
    const volume = this.left[row] ?? 0;
    this.take(row, volume);
    return volume;
  }

  side(row: number): Side {
    return this.orders.orderCode.index[row] === BUY ? BUY : SELL;
  }

  /**
   * Returns the row of the best opposite order that an order at this price would match; `undefined` when there is none.
   */
  crossed(side: Side, priceE4: number): number | undefined {
    const resting = this.sides[side === BUY ? SELL : BUY].best();
    if (resting < 0) return undefined;
    const other = this.orders.priceE4[resting] ?? 0;
    return (side === BUY ? other <= priceE4 : other >= priceE4) ? resting : undefined;
  }

  /** Returns, in row order, all orders with a remainder for which `takesPart` returns true. */
  forCall(takesPart: (row: number) => boolean): CallOrder[] {
    const { orders, left } = this;
    const all: CallOrder[] = [];
    for (let row = 0; row < orders.rows; row++) {
      const volume = left[row] ?? 0;
      if (volume > 0 && takesPart(row)) {
        all.push({ row, isBuy: this.side(row) === BUY, priceE4: orders.priceE4[row] ?? 0, volume });
      }
    }
    return all;
  }
}
