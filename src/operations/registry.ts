/** The operations of `POST /api` by their `apiname` (spec 2.1). */
import { fileDownload } from "./file-download/file-download.ts";
import type { Operation } from "./operation.ts";
import { orderHistory } from "./order-history/order-history.ts";

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  [fileDownload, orderHistory].map((operation) => [operation.apiname, operation]),
);
