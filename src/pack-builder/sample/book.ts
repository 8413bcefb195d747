/** The resting orders of a sample security: their rows by side, the best first, and the remainder of each. */
import type { OrderColumns } from "../../orders/record.ts";
import type { CallOrder } from "./call-auction.ts";
import { BUY, SELL } from "./columns.ts";
import { Levels } from "./levels.ts";

export type Side = typeof BUY | typeof SELL;

export class Book {
  /** The remainder of the order in each row, shares. */
  readonly left: Float64Array;
  /** The quantities by price and side, for snapshots; `null` when no snapshots are made. */
  readonly levels: Readonly<Record<Side, Levels>> | null;
  private readonly orders: OrderColumns;
  private readonly sides: [Heap, Heap];

  constructor(orders: OrderColumns, { hasLevels }: { hasLevels: boolean }) {
    this.orders = orders;
    this.levels = hasLevels ? { [BUY]: new Levels(true), [SELL]: new Levels(false) } : null;
    this.left = new Float64Array(orders.rows);
    this.sides = [new Heap(orders, BUY), new Heap(orders, SELL)];
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

  /** Returns the row of the best order on a side; `undefined` when there is none. */
  best(side: Side): number | undefined {
    const heap = this.sides[side];
    for (let row = heap.best(); row !== undefined; row = heap.best()) {
      if ((this.left[row] ?? 0) > 0) return row;
      heap.removeBest();
    }
    return undefined;
  }

  /**
   * Returns the row of the best opposite order that an order at this price would match; `undefined` when there is none.
   */
  crossed(side: Side, priceE4: number): number | undefined {
    const resting = this.best(side === BUY ? SELL : BUY);
    if (resting === undefined) return undefined;
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

/** Rows of one side's orders, the best one first. */
class Heap {
  private readonly heap: number[] = [];
  private readonly before: (a: number, b: number) => boolean;

  constructor({ priceE4 }: OrderColumns, side: Side) {
    const sign = side === BUY ? -1 : 1;
    this.before = (a, b) => {
      const difference = ((priceE4[a] ?? 0) - (priceE4[b] ?? 0)) * sign;
      return difference < 0 || (difference === 0 && a < b);
    };
  }

  best(): number | undefined {
    return this.heap[0];
  }

  add(row: number): void {
    const { heap } = this;
    let at = heap.push(row) - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.isBefore(at, above); above = (at - 1) >> 1) {
      this.swap(at, above);
      at = above;
    }
  }

  removeBest(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ; ) {
      let next = 2 * at + 1;
      if (next + 1 < heap.length && this.isBefore(next + 1, next)) next += 1;
      if (next >= heap.length || !this.isBefore(next, at)) return;
      this.swap(at, next);
      at = next;
    }
  }

  private isBefore(a: number, b: number): boolean {
    return this.before(this.heap[a] ?? 0, this.heap[b] ?? 0);
  }

  private swap(a: number, b: number): void {
    const { heap } = this;
    [heap[a], heap[b]] = [heap[b] ?? 0, heap[a] ?? 0];
  }
}
