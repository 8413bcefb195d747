/** The operations of each dataset, and what one of its rows is called. */
import type { orders } from "../../datasets/orders.ts";
import type { trades } from "../../datasets/trades.ts";
import type { DatasetName } from "./types.ts";

interface Described {
  orders: typeof orders;
  trades: typeof trades;
}

export const OPERATIONS = {
  orders: { read: "level2_order_history", estimate: "order_history_estimate" },
  trades: { read: "level2_trade_history", estimate: "trade_history_estimate" },
} as const satisfies { [Name in DatasetName]: { read: Described[Name]["apiname"]; estimate: string } };

/** The parameter that names a dataset. Orders need none: older services do not know it. */
export function only(dataset: DatasetName | undefined): { dataset?: DatasetName } {
  return dataset === undefined || dataset === "orders" ? {} : { dataset };
}
