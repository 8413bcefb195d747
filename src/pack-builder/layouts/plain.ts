import type { Layout } from "./layout.ts";

/** The API's own field names, also the legacy ones; CSV, or Parquet that is turned into it on the way. */
export const plain: Layout = {
  name: "plain",
  recognised: { byColumns: ["symbol", "time", "order_type", "price", "volume"] },
  delimiter: ",",
  security: { column: "symbol", marketColumn: "market" },
  date: "tradedate",
  time: "time",
  orderId: "order_id",
  exchangeOrderId: "exchange_order_id|order_no",
  orderType: { column: "order_type" },
  orderCode: { column: "order_code|side" },
  price: { column: "price", unit: "yuan" },
  volume: "volume",
};

/** The same behind tabs: what a Parquet file becomes, because a text in it may hold a comma. */
export const plainTabbed: Layout = { ...plain, delimiter: "\t" };
