/** How messages and commands name a dataset's day. Orders, the first dataset, need no name. */
import type { DatasetName } from "./registry.ts";

/** Returns what messages call the day: `20260311` for orders, `20260311 (trades)` for another dataset. */
export function dayName(tradedate: string, dataset: DatasetName): string {
  return dataset === "orders" ? tradedate : `${tradedate} (${dataset})`;
}

/** Returns the command-line option that names the dataset, after a blank; empty for orders. */
export function datasetFlag(dataset: DatasetName): string {
  return dataset === "orders" ? "" : ` --dataset ${dataset}`;
}
