/** The resting orders of one side in a heap of rows, which gives the best order first: by price, then time. */
import type { OrderColumns } from "../orders/record.ts";

export class RestingSide {
  private readonly heap: Int32Array;
  private readonly prices: Float64Array;
  private readonly left: Float64Array;
  private readonly sign: 1 | -1;
  private size = 0;

  /**
   * `left` holds the remainder of the order in each row; a row without a remainder is dropped when it reaches the top.
   * Each row may be added once.
   */
  constructor({ rows, priceE4 }: OrderColumns, left: Float64Array, { isBuy }: { isBuy: boolean }) {
    this.heap = new Int32Array(rows);
    this.prices = priceE4;
    this.left = left;
    this.sign = isBuy ? -1 : 1;
  }

  /** Returns the row of the best order with a remainder, -1 when there is none. */
  best(): number {
    while (this.size > 0) {
      const row = this.heap[0] ?? 0;
      if ((this.left[row] ?? 0) > 0) return row;
      this.removeTop();
    }
    return -1;
  }

  add(row: number): void {
    const { heap } = this;
    let at = this.size++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = heap[above] ?? 0;
      if (!this.isBefore(row, other)) break;
      heap[at] = other;
      at = above;
    }
    heap[at] = row;
  }

  private removeTop(): void {
    const { heap } = this;
    const last = heap[--this.size] ?? 0;
    let at = 0;
    for (;;) {
      let next = 2 * at + 1;
      if (next >= this.size) break;
      if (next + 1 < this.size && this.isBefore(heap[next + 1] ?? 0, heap[next] ?? 0)) next += 1;
      const other = heap[next] ?? 0;
      if (!this.isBefore(other, last)) break;
      heap[at] = other;
      at = next;
    }
    heap[at] = last;
  }

  private isBefore(a: number, b: number): boolean {
    const difference = this.sign * ((this.prices[a] ?? 0) - (this.prices[b] ?? 0));
    return difference < 0 || (difference === 0 && a < b);
  }
}
