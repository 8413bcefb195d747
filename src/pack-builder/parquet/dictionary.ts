/**
 * Builds sorted dictionaries of a row group: the distinct values in ascending order and each row's rank. Sorted values
 * compress far better than values in order of appearance.
 */
import type { CodeColumn } from "../../datasets/dataset.ts";
import { ROW_GROUP_ROWS } from "../../packs/layout.ts";

/**
 * The number of slots, a power of two. It is far larger than the number of distinct values in a row group, so a search
 * takes few steps.
 */
const SLOTS = 1 << 15;

/** For each slot, 1 plus the index of the slot's value in `distinct`; 0 for an empty slot. */
const slots = new Uint16Array(SLOTS);
const distinct = new Float64Array(ROW_GROUP_ROWS);
const ranks = new Uint16Array(ROW_GROUP_ROWS);

const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);

/** Returns the slot that holds `value`, or else the empty slot in which to store `value`. */
function slotOf(value: number): number {
  double[0] = value;
  // The low half of a double is often zero for prices and volumes, so both halves are mixed.
  const mixed = Math.imul((halves[0] ?? 0) ^ Math.imul(halves[1] ?? 0, 0x9e3779b1), 0x85ebca6b);
  let slot = (mixed ^ (mixed >>> 15)) & (SLOTS - 1);
  for (;;) {
    const held = slots[slot] ?? 0;
    if (held === 0 || distinct[held - 1] === value) return slot;
    slot = (slot + 1) & (SLOTS - 1);
  }
}

/**
 * Returns the distinct values of `values[from, to)` (at most one row group, all finite) in ascending order. Writes each
 * row's rank to `indices[0, to - from)`.
 */
export function numberDictionary(
  values: Float64Array,
  from: number,
  to: number,
  indices: Uint16Array,
): Float64Array {
  slots.fill(0);
  let count = 0;
  for (let i = from; i < to; i++) {
    const value = values[i] ?? 0;
    const slot = slotOf(value);
    let held = slots[slot] ?? 0;
    if (held === 0) {
      distinct[count] = value;
      count += 1;
      held = count;
      slots[slot] = held;
    }
    indices[i - from] = held - 1;
  }
  const sorted = distinct.slice(0, count).sort();
  for (let rank = 0; rank < count; rank++) {
    ranks[(slots[slotOf(sorted[rank] ?? 0)] ?? 0) - 1] = rank;
  }
  for (let i = 0; i < to - from; i++) indices[i] = ranks[indices[i] ?? 0] ?? 0;
  return sorted;
}

/**
 * Returns the distinct texts in the rows `[from, to)` of `column`, in ascending order. Writes each row's rank to
 * `indices[0, to - from)`.
 */
export function textDictionary(column: CodeColumn, from: number, to: number, indices: Uint16Array): string[] {
  const occurs = new Uint8Array(column.values.length);
  for (let i = from; i < to; i++) occurs[column.index[i] ?? 0] = 1;
  const sorted = [...new Set(column.values.filter((_, value) => occurs[value] === 1))].sort();
  const rankOf = new Map(sorted.map((text, rank) => [text, rank]));
  const ranks = Uint16Array.from(column.values, (text) => rankOf.get(text) ?? 0);
  for (let i = from; i < to; i++) indices[i - from] = ranks[column.index[i] ?? 0] ?? 0;
  return sorted;
}
