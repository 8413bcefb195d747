/** All datasets. */
import type { Dataset } from "./dataset.ts";
import { orders } from "./orders.ts";
import { quotes } from "./quotes.ts";
import { trades } from "./trades.ts";

const ALL = { orders, trades, quotes } as const satisfies Record<string, Dataset>;

export type DatasetName = keyof typeof ALL;

/** The datasets by name. */
export const DATASETS: Readonly<Record<DatasetName, Dataset>> = ALL;

/** The dataset names in the order in which commands and reports list them. */
export const DATASET_NAMES = Object.keys(ALL) as DatasetName[];

/**
 * Returns an object with one entry for each dataset, in the order of `DATASET_NAMES`. The key is what `member` selects:
 * the dataset's name, interface or estimate interface. The value is what `entryOf` returns.
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
