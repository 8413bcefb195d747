/** How messages and commands name a dataset's day. The name of the first dataset, orders, is omitted. */
import type { DatasetName } from "./registry.ts";

/** Returns the day's name in messages: `20260311` for orders, `20260311 (trades)` for trades. */
export function dayName(tradedate: string, dataset: DatasetName): string {
  return dataset === "orders" ? tradedate : `${tradedate} (${dataset})`;
}

/** Returns the command-line option for the dataset with a leading space; empty for orders. */
export function datasetFlag(dataset: DatasetName): string {
  return dataset === "orders" ? "" : ` --dataset ${dataset}`;
}
