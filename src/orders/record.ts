/** The order record (contract 4.1): its fields in standard order, and its columnar form. */
import type { RowsOf } from "../datasets/dataset.ts";
import { orders } from "../datasets/orders.ts";

export type Field = (typeof orders)["columns"][number]["name"];

/** The standard fields of an order record, in the order of the default answer (contract 4.1). */
export const FIELDS: readonly Field[] = orders.columns.map(({ name }) => name);

/** The exchange on which a security trades, written as in the suffix of a code. */
export type Market = "SH" | "SZ";

/** A security in packs and answers. */
export interface Security {
  /** Exactly six digits. */
  symbol: string;
  market: Market;
}

/**
 * The orders of one security on one day as columns of `rows` elements, sorted by time, then by the source's order. Ids
 * and volumes are integers below 2^53; `priceE4` is yuan × 10000 and negative only for some Shenzhen market orders.
 */
export type OrderColumns = RowsOf<typeof orders>;

/**
 * Returns the amount in yuan: the double nearest to the exact `priceE4 × volume / 10000` (contract 4.2). JSON, Parquet
 * and the pack contain this value.
 */
export function amountOf(priceE4: number, volume: number): number {
  const product = priceE4 * volume;
  // Adding 0 converts -0, the product of a negative price and a volume of 0, to 0.
  if (Math.abs(product) <= Number.MAX_SAFE_INTEGER) return product / 10_000 + 0;
  // Beyond 2^53 the product itself would be rounded, so exact integers are divided and rounded once.
  return Number(`${BigInt(priceE4) * BigInt(volume)}e-4`);
}
