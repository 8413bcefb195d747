/** The operations of `POST /api` by their `apiname`: those of contract 1.2, then those of contract 9. */

import { DATASET_NAMES } from "../datasets/registry.ts";
import { accountInfo } from "./account-info.ts";
import { dataChanges } from "./data-changes.ts";
import { dataStatus } from "./data-status.ts";
import { dataSymbols } from "./data-symbols.ts";
import { fileDownload } from "./file-download.ts";
import { estimateOf } from "./history/estimate.ts";
import { historyOf } from "./history/history.ts";
import type { Operation } from "./operation.ts";

const ALL: Operation[] = [
  fileDownload,
  ...DATASET_NAMES.map(historyOf),
  accountInfo,
  dataStatus,
  dataChanges,
  dataSymbols,
  ...DATASET_NAMES.map(estimateOf),
];

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  ALL.map((operation) => [operation.apiname, operation]),
);

/** Operations that may be called without `params`. */
export const PARAMS_OPTIONAL: ReadonlySet<string> = new Set(
  [...OPERATIONS.values()].filter(({ paramsOptional }) => paramsOptional).map(({ apiname }) => apiname),
);
