/** Builds admin API paths, requests and messages about the datasets of days. */
import * as wire from "../admin/wire.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { chineseName } from "../datasets/day-name.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { AdminClient } from "./admin-client.ts";
import { countText } from "./command-line.ts";

/** The options of a command that applies to one dataset or, when `dataset` is absent, to all of them. */
export type DatasetOptions = { dataset?: DatasetName | undefined };

/** Returns the datasets that a command with these options applies to. */
export function datasetsOf({ dataset }: DatasetOptions): DatasetName[] {
  return DATASET_NAMES.filter((name) => name === (dataset ?? name));
}

/** Returns the path of a dataset's day, followed by `step`, relative to the service's URL. */
export function dayPath(tradedate: string, dataset: DatasetName, step = ""): string {
  return inDataset(`/admin/days/${tradedate}${step}`, dataset);
}

/** Adds the dataset to a path, except orders: earlier services have no other dataset. */
export function inDataset(path: string, dataset: DatasetName): string {
  if (dataset === "orders") return path;
  return `${path}${path.includes("?") ? "&" : "?"}dataset=${dataset}`;
}

/** Returns the days of `dataset` that were ever loaded, ascending; withdrawn days are included. */
export async function loadedDays(client: AdminClient, dataset: DatasetName): Promise<BeijingDate[]> {
  return (await client.get(wire.loadedDaysSchema, inDataset("/admin/days/loaded", dataset))).days;
}

/**
 * Returns the current revision of `dataset` for each day that customers can read. The result covers the whole months of
 * the days in `wanted`.
 */
export async function availableDays(client: AdminClient, wanted: BeijingDate[], dataset: DatasetName) {
  const available = new Map<string, number | null>();
  for (const month of new Set(wanted.map((day) => day.slice(0, 6)))) {
    const path = inDataset(`/admin/days?month=${month}`, dataset);
    const { days } = await client.get(wire.dayListSchema, path);
    for (const { tradedate, state, revision } of days) {
      if (state === "available" || state === "degraded") available.set(tradedate, revision);
    }
  }
  return available;
}

/** Returns the datasets that other days at the service have and `delivered` lacks. */
export async function lackingDatasets(client: AdminClient, delivered: readonly DatasetName[]) {
  const { datasets } = await client.get(wire.datasetListSchema, "/admin/days/datasets");
  const loaded = datasets.filter(({ newest }) => newest !== null).map(({ dataset }) => dataset);
  return loaded.filter((dataset) => !delivered.includes(dataset));
}

/** Returns the numbers of securities and rows of a day or pack as text. */
export function countsOf(of: DatasetOptions & { securities: number; rows: number }): string {
  const { dataset = "orders", securities, rows } = of;
  return `${countText(securities)} securities, ${countText(rows)} ${DATASETS[dataset].rows}`;
}

/** Returns a clause which says that a delivery lacks `dataset`. */
export function lackingText(dataset: DatasetName): { zh: string; en: string } {
  return {
    zh: `数据中没有${chineseName(dataset)}，而其他交易日有`,
    en: `the delivery has no ${DATASETS[dataset].rows}, which other days have`,
  };
}
