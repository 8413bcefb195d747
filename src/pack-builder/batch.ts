/** Groups the rows of a chunk into one batch for each security, joins batches and sorts their rows. */
import {
  type CodeColumn,
  codesOf,
  type Dataset,
  numbersOf,
  type Rows,
  storedColumns,
} from "../datasets/dataset.ts";
import type { CellPlan } from "./parse/cell-plan.ts";
import type { ParsedChunk } from "./parse/chunk-parser.ts";
import type { RowTable } from "./parse/row-table.ts";
import { securityOfKey } from "./parse/security-cell.ts";

/** Rows of one security in the source's order. */
export interface Batch {
  rows: Rows;
  /** The sequence number of each row, 0 for a row without one; `null` when the source has no such column. */
  sequence: Float64Array | null;
  /** Whether rows of the same millisecond are sorted by sequence number; otherwise they keep the batch's order. */
  sequenceOrders: boolean;
}

/**
 * Returns the rows of `chunk` by `securityKey`, in file order, with codes mapped to the API's codes. The columns may be
 * views of the chunk's table, which are valid only until the next chunk is parsed.
 */
export function batchesOf(chunk: ParsedChunk, plan: CellPlan, dataset: Dataset): Map<number, Batch> {
  const { table } = chunk;
  const batches = new Map<number, Batch>();
  if (table.rows === 0) return batches;
  const { groups, order } = groupsOf(table);
  const stored = storedColumns(dataset);
  const time = order === null ? table.time : picked32(table.time, order);
  const sequence = order === null ? table.sequence : picked64(table.sequence, order);
  const numbers = stored.map(({ key }) => inOrder(table.columns[key], order));
  for (const { key, from, to } of groups) {
    const { market } = securityOfKey(key);
    const cells = stored.map((column, place): [string, Float64Array | CodeColumn] => {
      const part = numbers[place]?.subarray(from, to);
      if (part instanceof Float64Array) return [column.key, part];
      const map = plan.codeMaps[column.key]?.[market] ?? {};
      const values = (chunk.texts[column.key] ?? []).map((text) => map[text] ?? text);
      return [column.key, { values, index: part ?? new Uint16Array(0) }];
    });
    batches.set(key, {
      rows: { rows: to - from, time: time.subarray(from, to), ...Object.fromEntries(cells) },
      sequence: plan.places.sequence < 0 ? null : sequence.subarray(from, to),
      sequenceOrders: plan.sequenceOrders,
    });
  }
  return batches;
}

function inOrder(column: Float64Array | Uint16Array | undefined, order: Int32Array | null) {
  if (column === undefined || order === null) return column;
  return column instanceof Float64Array ? picked64(column, order) : picked16(column, order);
}

interface Groups {
  groups: { key: number; from: number; to: number }[];
  /** The row numbers, grouped by security; `null` when all rows belong to one security. */
  order: Int32Array | null;
}

/** Groups the rows by security, in the order of first occurrence. Rows of a security keep their order. */
function groupsOf({ rows, security }: RowTable): Groups {
  const ordinals = new Map<number, number>();
  const counts: number[] = [];
  const ordinalOf = new Int32Array(rows);
  let [lastKey, last] = [-1, 0];
  for (let row = 0; row < rows; row++) {
    const key = security[row] ?? 0;
    if (key !== lastKey) {
      lastKey = key;
      last = ordinals.get(key) ?? ordinals.size;
      if (last === ordinals.size) ordinals.set(key, last);
    }
    ordinalOf[row] = last;
    counts[last] = (counts[last] ?? 0) + 1;
  }
  const groups: Groups["groups"] = [];
  const next = new Int32Array(counts.length);
  let from = 0;
  for (const [key, ordinal] of ordinals) {
    next[ordinal] = from;
    groups.push({ key, from, to: from + (counts[ordinal] ?? 0) });
    from += counts[ordinal] ?? 0;
  }
  if (groups.length === 1) return { groups, order: null };
  const order = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    const ordinal = ordinalOf[row] ?? 0;
    const at = next[ordinal] ?? 0;
    order[at] = row;
    next[ordinal] = at + 1;
  }
  return { groups, order };
}

// There is one function for each array type, because a loop that handles several types is many times slower.

function picked64(from: Float64Array, order: Int32Array): Float64Array<ArrayBuffer> {
  const to = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) to[i] = from[order[i] ?? 0] ?? 0;
  return to;
}

function picked32(from: Int32Array, order: Int32Array): Int32Array<ArrayBuffer> {
  const to = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) to[i] = from[order[i] ?? 0] ?? 0;
  return to;
}

function picked16(from: Uint16Array, order: Int32Array): Uint16Array<ArrayBuffer> {
  const to = new Uint16Array(order.length);
  for (let i = 0; i < order.length; i++) to[i] = from[order[i] ?? 0] ?? 0;
  return to;
}

/**
 * Returns the row numbers sorted by time, then by sequence number if `sequenceOrders`, then by position; `null` when
 * the rows are already in order.
 */
export function orderOf({ rows: { time, rows }, sequence, sequenceOrders }: Batch): Int32Array | null {
  const numbers = sequenceOrders ? sequence : null;
  const before = (a: number, b: number): number =>
    (time[a] ?? 0) - (time[b] ?? 0) || (numbers === null ? 0 : (numbers[a] ?? 0) - (numbers[b] ?? 0));
  let sorted = true;
  for (let row = 1; row < rows && sorted; row++) sorted = before(row - 1, row) <= 0;
  if (sorted) return null;
  return Int32Array.from({ length: rows }, (_, row) => row).sort((a, b) => before(a, b) || a - b);
}

/** Returns the rows whose numbers `order` lists, in that order. */
export function taken(rows: Rows, order: Int32Array, dataset: Dataset): Rows {
  const cells = storedColumns(dataset).map((column) => {
    if (column.kind !== "code") return [column.key, picked64(numbersOf(rows, column), order)];
    const { values, index } = codesOf(rows, column);
    return [column.key, { values, index: picked16(index, order) }];
  });
  return { rows: order.length, time: picked32(rows.time, order), ...Object.fromEntries(cells) };
}

/** Joins batches of one security in the given order; without batches the result has no rows. */
export function joined(batches: readonly Batch[], dataset: Dataset): Batch {
  const [first] = batches;
  if (batches.length === 1 && first !== undefined) return first;
  const all = batches.map(({ rows }) => rows);
  const rows = all.reduce((sum, each) => sum + each.rows, 0);
  const time = new Int32Array(rows);
  const cells = storedColumns(dataset).map((column) =>
    column.kind === "code"
      ? [
          column.key,
          chainedCodes(
            all.map((each) => codesOf(each, column)),
            rows,
          ),
        ]
      : [
          column.key,
          chained(
            all.map((each) => numbersOf(each, column)),
            new Float64Array(rows),
          ),
        ],
  );
  // The result has sequence numbers only if every batch has them.
  const sequences = batches.flatMap(({ sequence }) => sequence ?? []);
  return {
    rows: {
      rows,
      time: chained(
        all.map((each) => each.time),
        time,
      ),
      ...Object.fromEntries(cells),
    },
    sequence: sequences.length === batches.length ? chained(sequences, new Float64Array(rows)) : null,
    sequenceOrders: first?.sequenceOrders === true,
  };
}

function chained<T extends Int32Array | Uint16Array | Float64Array>(parts: T[], to: T): T {
  let at = 0;
  for (const part of parts) {
    to.set(part, at);
    at += part.length;
  }
  return to;
}

function chainedCodes(parts: CodeColumn[], rows: number): CodeColumn {
  const values = [...new Set(parts.flatMap((part) => part.values))];
  const numbers = new Map(values.map((text, number) => [text, number]));
  const index = new Uint16Array(rows);
  let at = 0;
  for (const part of parts) {
    const renumbered = part.values.map((text) => numbers.get(text) ?? 0);
    for (const number of part.index) index[at++] = renumbered[number] ?? 0;
  }
  return { values, index };
}
