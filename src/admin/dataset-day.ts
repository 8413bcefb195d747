/** A dataset's day. Each dataset's day is published, revised, withdrawn and restored independently. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { dayName } from "../datasets/day-name.ts";
import type { DatasetName } from "../datasets/registry.ts";

export interface DatasetDay {
  dataset: DatasetName;
  tradedate: BeijingDate;
}

/** Returns the day's name in messages. */
export function calledOf({ dataset, tradedate }: DatasetDay): string {
  return dayName(tradedate, dataset);
}

/**
 * Returns the member of an answer that names the dataset; none for orders, because commands of earlier versions accept
 * none.
 */
export function nameOf(dataset: DatasetName): { dataset?: DatasetName } {
  return dataset === "orders" ? {} : { dataset };
}
