/** All datasets. */
import type { Dataset } from "./dataset.ts";
import { orders } from "./orders.ts";
import { quotes } from "./quotes.ts";
import { trades } from "./trades.ts";

const ALL = { orders, trades, quotes } as const satisfies Record<string, Dataset>;

export type DatasetName = keyof typeof ALL;

/** By name. */
export const DATASETS: Readonly<Record<DatasetName, Dataset>> = ALL;

/** The names in the order in which commands and reports list them. */
export const DATASET_NAMES = Object.keys(ALL) as DatasetName[];

/**
 * Returns an object with the entries that `entryOf` returns for each dataset. The key of an entry is the dataset's
 * name, its interface or its estimate; the order is that of `DATASET_NAMES`.
 */
export function perDataset<M extends "name" | "apiname" | "estimate", T>(
  member: M,
  entryOf: (dataset: DatasetName) => T,
): Record<(typeof ALL)[DatasetName][M], T> {
  const entries = DATASET_NAMES.map((name) => [ALL[name][member], entryOf(name)]);
  return Object.fromEntries(entries) as Record<(typeof ALL)[DatasetName][M], T>;
}

/** Returns whether `text` is the name of a dataset. */
export function isDatasetName(text: string): text is DatasetName {
  return Object.hasOwn(ALL, text);
}
