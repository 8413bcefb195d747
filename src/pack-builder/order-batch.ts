/** Rows of one security on their way into order: gathered from a chunk, joined, sorted. */
import type { CodeColumn, OrderColumns } from "../orders/record.ts";
import type { CellPlan } from "./parse/cell-plan.ts";
import type { ParsedChunk } from "./parse/chunk-parser.ts";
import type { RowTable } from "./parse/row-table.ts";
import { securityOfKey } from "./parse/security-cell.ts";

/** Rows in the source's order. */
export interface OrderBatch {
  columns: OrderColumns;
  /** The numbers that the source gives its rows, 0 for none; `null` when it has no such column. */
  sequence: Float64Array | null;
  /** Whether these order the rows of a millisecond; otherwise their order here does. */
  sequenceOrders: boolean;
}

/**
 * The rows of `chunk` by `securityKey`, each security's in the order of the file, codes mapped to the API's.
 * The columns may be views of the chunk's table: they hold until the next chunk.
 */
export function batchesOf(chunk: ParsedChunk, plan: CellPlan): Map<number, OrderBatch> {
  const { table } = chunk;
  const batches = new Map<number, OrderBatch>();
  if (table.rows === 0) return batches;
  const groups = groupsOf(table);
  const rows = groups.order === null ? table : picked(table, groups.order);
  for (const { key, from, to } of groups.groups) batches.set(key, batchOf(chunk, plan, key, rows, from, to));
  return batches;
}

interface Groups {
  groups: { key: number; from: number; to: number }[];
  /** Row numbers with every security's together; `null` when they are already. */
  order: Int32Array | null;
}

/** Sorts the rows by security without moving those of one security against each other. */
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

type Columns = Omit<RowTable, "rows" | "security" | "clear" | "reserve">;

/** The columns of `table` with row `order[i]` in place `i`. */
function picked(table: RowTable, order: Int32Array): Columns {
  return {
    time: picked32(table.time, order),
    orderId: picked64(table.orderId, order),
    exchangeOrderId: picked64(table.exchangeOrderId, order),
    orderType: picked16(table.orderType, order),
    orderCode: picked16(table.orderCode, order),
    priceE4: picked64(table.priceE4, order),
    volume: picked64(table.volume, order),
    sequence: picked64(table.sequence, order),
  };
}

function batchOf(
  { typeValues, codeValues }: ParsedChunk,
  plan: CellPlan,
  key: number,
  rows: Columns,
  from: number,
  to: number,
): OrderBatch {
  const typeMap = plan.typeMaps[securityOfKey(key).market] ?? {};
  return {
    columns: {
      rows: to - from,
      time: rows.time.subarray(from, to),
      orderId: rows.orderId.subarray(from, to),
      exchangeOrderId: rows.exchangeOrderId.subarray(from, to),
      orderType: {
        values: typeValues.map((text) => typeMap[text] ?? text),
        index: rows.orderType.subarray(from, to),
      },
      orderCode: {
        values: codeValues.map((text) => plan.codeMap[text] ?? text),
        index: rows.orderCode.subarray(from, to),
      },
      priceE4: rows.priceE4.subarray(from, to),
      volume: rows.volume.subarray(from, to),
    },
    sequence: plan.places.sequence < 0 ? null : rows.sequence.subarray(from, to),
    sequenceOrders: plan.sequenceOrders,
  };
}

// One function per kind of array: a loop that meets several kinds is many times slower.

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
 * The row numbers by time, then by the source's numbers where they order rows, then as the rows stand; `null` when
 * they stand so already.
 */
export function orderOf({ columns, sequence, sequenceOrders }: OrderBatch): Int32Array | null {
  const { time, rows } = columns;
  const numbers = sequenceOrders ? sequence : null;
  const before = (a: number, b: number): number =>
    (time[a] ?? 0) - (time[b] ?? 0) || (numbers === null ? 0 : (numbers[a] ?? 0) - (numbers[b] ?? 0));
  let sorted = true;
  for (let row = 1; row < rows && sorted; row++) sorted = before(row - 1, row) <= 0;
  if (sorted) return null;
  return Int32Array.from({ length: rows }, (_, row) => row).sort((a, b) => before(a, b) || a - b);
}

/** The rows `order`, in that order. */
export function taken(columns: OrderColumns, order: Int32Array): OrderColumns {
  const { time, orderType, orderCode } = columns;
  return {
    rows: order.length,
    time: picked32(time, order),
    orderId: picked64(columns.orderId, order),
    exchangeOrderId: picked64(columns.exchangeOrderId, order),
    orderType: { values: orderType.values, index: picked16(orderType.index, order) },
    orderCode: { values: orderCode.values, index: picked16(orderCode.index, order) },
    priceE4: picked64(columns.priceE4, order),
    volume: picked64(columns.volume, order),
  };
}

/** Several batches of one security as one, in the order given. */
export function joined(batches: readonly OrderBatch[]): OrderBatch {
  const [first] = batches;
  if (batches.length === 1 && first !== undefined) return first;
  const rows = batches.reduce((sum, { columns }) => sum + columns.rows, 0);
  const all = batches.map(({ columns }) => columns);
  // Sequence numbers of one part only would order nothing.
  const sequences = batches.map(({ sequence }) => sequence);
  const known = sequences.every((sequence) => sequence !== null);
  return {
    columns: {
      rows,
      time: chained(
        all.map(({ time }) => time),
        new Int32Array(rows),
      ),
      orderId: chained(
        all.map(({ orderId }) => orderId),
        new Float64Array(rows),
      ),
      exchangeOrderId: chained(
        all.map(({ exchangeOrderId }) => exchangeOrderId),
        new Float64Array(rows),
      ),
      orderType: chainedCodes(
        all.map(({ orderType }) => orderType),
        rows,
      ),
      orderCode: chainedCodes(
        all.map(({ orderCode }) => orderCode),
        rows,
      ),
      priceE4: chained(
        all.map(({ priceE4 }) => priceE4),
        new Float64Array(rows),
      ),
      volume: chained(
        all.map(({ volume }) => volume),
        new Float64Array(rows),
      ),
    },
    sequence: known
      ? chained(
          sequences.filter((each) => each !== null),
          new Float64Array(rows),
        )
      : null,
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
