import type { Layout } from "./layout.ts";

/** One file of all securities; its `Symbol` is the security's name, `SecurityID` its code. */
export const insight: Layout = {
  name: "insight",
  recognised: { byFirstColumns: ["MDDate", "MDTime"] },
  delimiter: ",",
  security: { column: "SecurityID", sourceColumn: "SecurityIDSource" },
  date: "MDDate",
  time: "MDTime",
  exchangeOrderId: "OrderNO",
  orderType: {
    column: "OrderType",
    map: { SH: { 2: "A", 10: "D", 11: "S" }, SZ: { 1: "1", 2: "0", 3: "U" } },
  },
  orderCode: { column: "OrderBSFlag", map: { 1: "B", 2: "S" } },
  price: { column: "OrderPrice", unit: "yuan" },
  volume: "OrderQty",
  sequence: { channel: "ChannelNo", number: "ApplSeqNum", ordersRows: false },
};
