/**
 * Finds the row of an order by its number: an open-addressing table over typed arrays. A day has 130 million orders,
 * each of which is looked up once or twice, and a `Map` would take longer than everything else.
 */

/** Spreads consecutive numbers over the table. */
const MULTIPLIER = 0x9e3779b1;
const TWO_32 = 0x1_0000_0000;

export class OrderTable {
  private readonly numbers: Float64Array;
  /** The order's row + 1; 0 for a free place. */
  private readonly rows: Int32Array;
  private readonly mask: number;

  /** Creates a table for up to `capacity` orders. */
  constructor(capacity: number) {
    let places = 16;
    while (places < capacity * 2) places *= 2;
    this.numbers = new Float64Array(places);
    this.rows = new Int32Array(places);
    this.mask = places - 1;
  }

  /** Adds the order `number`, an integer from 0 to 2^53. If it already exists, returns false and changes nothing. */
  add(number: number, row: number): boolean {
    const { numbers, rows, mask } = this;
    for (let at = place(number) & mask; ; at = (at + 1) & mask) {
      if (rows[at] === 0) {
        numbers[at] = number;
        rows[at] = row + 1;
        return true;
      }
      if (numbers[at] === number) return false;
    }
  }

  /** Returns the row of the order `number`, -1 when it was not added. */
  find(number: number): number {
    const { numbers, rows, mask } = this;
    for (let at = place(number) & mask; ; at = (at + 1) & mask) {
      const row = rows[at] ?? 0;
      if (row === 0 || numbers[at] === number) return row - 1;
    }
  }
}

function place(number: number): number {
  const hash = Math.imul((number | 0) ^ ((number / TWO_32) | 0), MULTIPLIER);
  return hash ^ (hash >>> 15);
}
