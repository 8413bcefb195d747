import type { Layout } from "./layout.ts";

/** The Shanghai exchange's history of orders, to 2023-12-03. */
export const shanghaiEntrust: Layout = {
  name: "sse-entrust",
  recognised: {
    byName: /^Entrust\.csv$/i,
    byFirstColumns: ["SecurityID", "TransactTime", "OrderNo", "Price", "Balance", "OrderBSFlag", "OrdType"],
  },
  delimiter: ",",
  security: { column: "SecurityID", market: "SH" },
  time: "TransactTime",
  exchangeOrderId: "OrderNo",
  orderType: { column: "OrdType" },
  orderCode: { column: "OrderBSFlag" },
  price: { column: "Price", unit: "yuan" },
  volume: "Balance",
  sequence: "BizIndex",
};

/** The same afterwards: orders and trades in one stream. */
export const shanghaiStockTick: Layout = {
  ...shanghaiEntrust,
  name: "sse-stock-tick",
  recognised: { byName: /^StockTick\.csv$/i, byColumns: ["SecurityID", "TransactTime", "TradeQty", "Type"] },
  orderType: { column: "Type" },
  orderCode: { column: "OrderBSFlag|TickBSFlag" },
  trades: ["T"],
};

/** The Shenzhen exchange's history, a morning and an afternoon file. */
export const shenzhenHistory: Layout = {
  name: "szse-order-spot",
  recognised: { byName: /^[ap]m_hq_order_spot\.txt$/i },
  withoutHeader: [
    "tradedate",
    "OrigTime",
    "SendTime",
    "recvtime",
    "dbtime",
    "ChannelNo",
    "MDStreamID",
    "ApplSeqNum",
    "SecurityID",
    "SecurityIDSource",
    "Price",
    "OrderQty",
    "TransactTime",
    "Side",
    "OrderType",
    "ConfirmID",
    "Contactor",
    "ContactInfo",
    "ExpirationDays",
    "ExpirationType",
  ],
  delimiter: "\t",
  security: { column: "SecurityID", market: "SZ" },
  date: "tradedate",
  time: "TransactTime",
  exchangeOrderId: "ApplSeqNum",
  orderType: { column: "OrderType", map: { SZ: { 1: "1", 2: "0" } } },
  orderCode: { column: "Side", map: { 1: "B", 2: "S" } },
  price: { column: "Price", unit: "yuan" },
  volume: "OrderQty",
};
