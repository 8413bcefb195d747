/** The operations of `POST /api` by their `apiname`: the two of contract 1.2, then those of contract 9. */
import { accountInfo } from "./account-info.ts";
import { dataChanges } from "./data-changes.ts";
import { dataStatus } from "./data-status.ts";
import { dataSymbols } from "./data-symbols.ts";
import { fileDownload } from "./file-download/file-download.ts";
import type { Operation } from "./operation.ts";
import { orderHistoryEstimate } from "./order-history/estimate.ts";
import { orderHistory } from "./order-history/order-history.ts";

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  [fileDownload, orderHistory, accountInfo, dataStatus, dataChanges, dataSymbols, orderHistoryEstimate].map(
    (operation) => [operation.apiname, operation],
  ),
);

/** Those that may be asked without `params`. */
export const PARAMS_OPTIONAL: ReadonlySet<string> = new Set(
  [...OPERATIONS.values()].filter(({ paramsOptional }) => paramsOptional).map(({ apiname }) => apiname),
);
