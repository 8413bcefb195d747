import type { Layout } from "./layout.ts";

/** Shanghai orders from 2021-06-07 to 2023-12. */
export const datayesShanghai: Layout = {
  name: "datayes-sse-orders",
  recognised: {
    byName: /^mdl_4_19_0\.csv$/i,
    byFirstColumns: ["DataStatus", "OrderIndex", "OrderChannel"],
  },
  delimiter: ",",
  security: { column: "SecurityID", market: "SH" },
  time: "OrderTime",
  exchangeOrderId: "OrderNO",
  orderType: { column: "OrderType" },
  orderCode: { column: "OrderBSFlag" },
  price: { column: "OrderPrice", unit: "yuan" },
  volume: "Balance",
  sequence: { channel: "OrderChannel", number: "BizIndex", ordersRows: true },
};

/** Shanghai orders and trades in one stream, from 2023-12 on. */
export const datayesShanghaiMerged: Layout = {
  name: "datayes-sse-merged",
  recognised: {
    byName: /^mdl_4_24_0\.csv$/i,
    byFirstColumns: ["BizIndex", "Channel", "SecurityID", "TickTime"],
  },
  delimiter: ",",
  security: { column: "SecurityID", market: "SH" },
  time: "TickTime",
  exchangeOrderId: { B: "BuyOrderNO", S: "SellOrderNO" },
  orderType: { column: "Type" },
  orderCode: { column: "TickBSFlag" },
  price: { column: "Price", unit: "yuan" },
  volume: "Qty",
  sequence: { channel: "Channel", number: "BizIndex", ordersRows: true },
  trades: ["T"],
};

/** Shenzhen orders; codes come as characters or as their numbers (49 is `1`, 70 is `F`). */
export const datayesShenzhen: Layout = {
  name: "datayes-szse-orders",
  recognised: {
    byName: /^mdl_6_33_0\.csv$/i,
    byFirstColumns: ["ChannelNo", "ApplSeqNum", "MDStreamID", "SecurityID"],
  },
  delimiter: ",",
  security: { column: "SecurityID", market: "SZ", sourceColumn: "SecurityIDSource" },
  time: "TransactTime",
  exchangeOrderId: "ApplSeqNum",
  orderType: { column: "OrdType", map: { SZ: { 1: "1", 2: "0", 49: "1", 50: "0", 85: "U" } } },
  orderCode: { column: "Side", map: { 1: "B", 2: "S", 49: "B", 50: "S", 70: "F", 71: "G" } },
  price: { column: "Price", unit: "yuan" },
  volume: "OrderQty",
  sequence: { channel: "ChannelNo", number: "ApplSeqNum", ordersRows: false },
};
