import type { Layout } from "./layout.ts";

const ENTRUST_COLUMNS = [
  "SecurityID",
  "TransactTime",
  "OrderNo",
  "Price",
  "Balance",
  "OrderBSFlag",
  "OrdType",
  "OrderIndex",
  "ChannelNo",
  "BizIndex",
];

const shanghai = {
  delimiter: ",",
  security: { column: "SecurityID", market: "SH" },
  time: "TransactTime",
  exchangeOrderId: "OrderNo",
  orderType: { column: "OrdType" },
  orderCode: { column: "OrderBSFlag" },
  price: { column: "Price", unit: "yuan" },
  volume: "Balance",
  sequence: { channel: "ChannelNo", number: "BizIndex", ordersRows: true },
} as const satisfies Partial<Layout>;

/**
 * The Shanghai exchange's history of orders, to 2023-12-03. The exchange's own files begin with a line like
 * `HEAD:v2,2021/04/03 17:10:56` and name no columns.
 */
export const shanghaiEntrust: Layout = {
  ...shanghai,
  name: "sse-entrust",
  recognised: { byName: /^Entrust\.csv$/i, byFirstColumns: ENTRUST_COLUMNS.slice(0, 7) },
  withoutHeader: ENTRUST_COLUMNS,
  headMark: /^HEAD:/,
};

/** The same afterwards: orders and trades in one stream. */
export const shanghaiStockTick: Layout = {
  ...shanghai,
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
  security: { column: "SecurityID", market: "SZ", sourceColumn: "SecurityIDSource" },
  date: "tradedate",
  time: "TransactTime",
  exchangeOrderId: "ApplSeqNum",
  orderType: { column: "OrderType", map: { SZ: { 1: "1", 2: "0" } } },
  orderCode: { column: "Side", map: { 1: "B", 2: "S" } },
  price: { column: "Price", unit: "yuan" },
  volume: "OrderQty",
  sequence: { channel: "ChannelNo", number: "ApplSeqNum", ordersRows: false },
};
