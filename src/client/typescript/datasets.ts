/** The operations of each dataset, and the parameter that names it. */
import type { DatasetName } from "./types.ts";

/**
 * Returns the operations that read a dataset and estimate the cost; their names contain the singular (`order` for
 * `orders`). `test/unit/client/answers.test.ts` compares this rule with the service's descriptions.
 */
export function operationsOf(dataset: DatasetName): { read: string; estimate: string } {
  const history = `${dataset.slice(0, -1)}_history`;
  return { read: `level2_${history}`, estimate: `${history}_estimate` };
}

/**
 * Returns the parameter that names a dataset. For orders there is none, because older services refuse the parameter.
 */
export function only(dataset: DatasetName | undefined): { dataset?: DatasetName } {
  return dataset === undefined || dataset === "orders" ? {} : { dataset };
}
