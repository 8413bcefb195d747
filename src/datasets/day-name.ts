/** How messages and commands name a dataset and its day. The name of the first dataset, orders, is often omitted. */
import { DATASETS, type DatasetName } from "./registry.ts";

/** Returns the Chinese name of a dataset: 逐笔委托 for orders, 行情快照 for quotes. */
export function chineseName(dataset: DatasetName): string {
  return `${dataset === "quotes" ? "行情" : "逐笔"}${DATASETS[dataset].rowName.zh}`;
}

/** Returns the day's name in messages: `20260311` for orders, `20260311 (trades)` for trades. */
export function dayName(tradedate: string, dataset: DatasetName): string {
  return dataset === "orders" ? tradedate : `${tradedate} (${dataset})`;
}

/**
 * Returns the command-line option that selects the dataset, with a leading space. Returns an empty string for orders.
 */
export function datasetFlag(dataset: DatasetName): string {
  return dataset === "orders" ? "" : ` --dataset ${dataset}`;
}
