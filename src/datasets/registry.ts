/** All datasets. */
import type { Dataset } from "./dataset.ts";
import { orders } from "./orders.ts";

const ALL = { orders } as const satisfies Record<string, Dataset>;

export type DatasetName = keyof typeof ALL;

/** By name. */
export const DATASETS: Readonly<Record<DatasetName, Dataset>> = ALL;
