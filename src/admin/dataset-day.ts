/** Names a dataset and a day in messages and answers. */
import type { DatasetDay } from "../catalog/days.ts";
import { dayName } from "../datasets/day-name.ts";
import type { DatasetName } from "../datasets/registry.ts";

/** Returns the day's name for messages, such as `20260312` or `20260312 (trades)`. */
export function calledOf({ dataset, tradedate }: DatasetDay): string {
  return dayName(tradedate, dataset);
}

/**
 * Returns an object with the `dataset` property of an answer. For orders the object is empty, because earlier versions
 * of the CLI refuse the property.
 */
export function nameOf(dataset: DatasetName): { dataset?: DatasetName } {
  return dataset === "orders" ? {} : { dataset };
}
