/** Rows of one security on their way into order: gathered from a chunk, joined, sorted. */
import type { CodeColumn, OrderColumns } from "../orders/record.ts";
import type { CellPlan } from "./parse/cell-plan.ts";
import type { ParsedChunk } from "./parse/chunk-parser.ts";
import { securityOfKey } from "./parse/security-cell.ts";

/** Rows in the source's order. */
export interface OrderBatch {
  columns: OrderColumns;
  /** The source's sequence numbers where they order the rows of a millisecond; `null`: their order here does. */
  sequence: Float64Array | null;
}

/** The rows of `chunk` by `securityKey`, each security's in the order of the file, codes mapped to the API's. */
export function batchesOf(chunk: ParsedChunk, plan: CellPlan): Map<number, OrderBatch> {
  const { table } = chunk;
  const counts = new Map<number, number>();
  for (let row = 0; row < table.rows; row++) {
    const key = table.security[row] ?? 0;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const rowsOf = new Map<number, { rows: Int32Array; filled: number }>();
  for (const [key, count] of counts) rowsOf.set(key, { rows: new Int32Array(count), filled: 0 });
  for (let row = 0; row < table.rows; row++) {
    const list = rowsOf.get(table.security[row] ?? 0);
    if (list !== undefined) list.rows[list.filled++] = row;
  }
  const batches = new Map<number, OrderBatch>();
  for (const [key, { rows }] of rowsOf) batches.set(key, gather(chunk, plan, key, rows));
  return batches;
}

function gather(chunk: ParsedChunk, plan: CellPlan, key: number, rows: Int32Array): OrderBatch {
  const { table, typeValues, codeValues } = chunk;
  const typeMap = plan.typeMaps[securityOfKey(key).market] ?? {};
  return {
    columns: {
      rows: rows.length,
      time: picked(table.time, new Int32Array(rows.length), rows),
      orderId: picked(table.orderId, new Float64Array(rows.length), rows),
      exchangeOrderId: picked(table.exchangeOrderId, new Float64Array(rows.length), rows),
      orderType: {
        values: typeValues.map((text) => typeMap[text] ?? text),
        index: picked(table.orderType, new Uint16Array(rows.length), rows),
      },
      orderCode: {
        values: codeValues.map((text) => plan.codeMap[text] ?? text),
        index: picked(table.orderCode, new Uint16Array(rows.length), rows),
      },
      priceE4: picked(table.priceE4, new Float64Array(rows.length), rows),
      volume: picked(table.volume, new Float64Array(rows.length), rows),
    },
    sequence: plan.places.sequence < 0 ? null : picked(table.sequence, new Float64Array(rows.length), rows),
  };
}

/** Copies `from[rows[i]]` to `to[i]`. */
function picked<T extends Int32Array | Uint16Array | Float64Array>(from: T, to: T, rows: Int32Array): T {
  for (let i = 0; i < rows.length; i++) to[i] = from[rows[i] ?? 0] ?? 0;
  return to;
}

/** The rows sorted by time, then by the source's sequence, then as they stand. */
export function inOrder({ columns, sequence }: OrderBatch): OrderColumns {
  const { time, rows } = columns;
  const before = (a: number, b: number): number =>
    (time[a] ?? 0) - (time[b] ?? 0) || (sequence === null ? 0 : (sequence[a] ?? 0) - (sequence[b] ?? 0));
  let sorted = true;
  for (let row = 1; row < rows && sorted; row++) sorted = before(row - 1, row) <= 0;
  if (sorted) return columns;
  const order = Int32Array.from({ length: rows }, (_, row) => row).sort((a, b) => before(a, b) || a - b);
  return {
    rows,
    time: picked(time, new Int32Array(rows), order),
    orderId: picked(columns.orderId, new Float64Array(rows), order),
    exchangeOrderId: picked(columns.exchangeOrderId, new Float64Array(rows), order),
    orderType: pickedCodes(columns.orderType, order),
    orderCode: pickedCodes(columns.orderCode, order),
    priceE4: picked(columns.priceE4, new Float64Array(rows), order),
    volume: picked(columns.volume, new Float64Array(rows), order),
  };
}

function pickedCodes({ values, index }: CodeColumn, order: Int32Array): CodeColumn {
  return { values, index: picked(index, new Uint16Array(order.length), order) };
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
