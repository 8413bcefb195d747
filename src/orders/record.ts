/**
 * The order record (contract 4.1): its fields in their standard order,
 * and the columnar shape in which the rest of the project passes records around.
 */
import type { RowsOf } from "../datasets/dataset.ts";
import { orders } from "../datasets/orders.ts";

export type Field = (typeof orders)["columns"][number]["name"];

/** The standard fields of an order record, in the order of the default answer (contract 4.1). */
export const FIELDS: readonly Field[] = orders.columns.map(({ name }) => name);

/** The exchange a security trades on, as in a code's suffix. */
export type Market = "SH" | "SZ";

/** A security as packs and answers name it. */
export interface Security {
  /** Exactly six digits. */
  symbol: string;
  market: Market;
}

/**
 * The orders of one security on one day as columns, every array `rows` long, sorted by time and then
 * by the source's order. Ids and volumes are integers below 2^53; `priceE4` is yuan × 10000,
 * negative only for Shenzhen market orders whose source has it so.
 */
export type OrderColumns = RowsOf<typeof orders>;

/**
 * Yuan from a raw price × a volume: the double nearest to the exact `priceE4 × volume / 10000`
 * (contract 4.2). JSON, Parquet and the pack all carry this very value.
 */
export function amountOf(priceE4: number, volume: number): number {
  const product = priceE4 * volume;
  // Adding 0 makes 0 of -0, which a negative price times no volume would give.
  if (Math.abs(product) <= Number.MAX_SAFE_INTEGER) return product / 10_000 + 0;
  // Beyond 2^53 the product itself would already be rounded: divide exact integers, round once.
  return Number(`${BigInt(priceE4) * BigInt(volume)}e-4`);
}
