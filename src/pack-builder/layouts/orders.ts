/** The layouts of order files. */
import {
  both,
  DATAYES_SHANGHAI_MERGED,
  INSIGHT,
  type LayoutEntry,
  PLAIN,
  SHANGHAI,
  SHENZHEN,
  VENDOR,
} from "./layout.ts";

/** The layout that most operators receive: a folder for each security with one file of orders, usually in GBK. */
const vendor: LayoutEntry = {
  ...VENDOR,
  recognised: { ...VENDOR.recognised, byName: /^逐笔委托\.csv$/ },
  cells: {
    orderId: { column: "委托编号", optional: true },
    exchangeOrderId: { column: "交易所委托号" },
    orderType: { column: "委托类型" },
    orderCode: { column: "委托代码" },
    priceE4: { column: "委托价格" },
    volume: { column: "委托数量" },
  },
};

const insight: LayoutEntry = {
  ...INSIGHT,
  cells: {
    exchangeOrderId: { column: "OrderNO" },
    orderType: {
      column: "OrderType",
      map: { SH: { 2: "A", 10: "D", 11: "S" }, SZ: { 1: "1", 2: "0", 3: "U" } },
    },
    orderCode: { column: "OrderBSFlag", map: both({ 1: "B", 2: "S" }) },
    priceE4: { column: "OrderPrice" },
    volume: { column: "OrderQty" },
  },
};

/** DataYes: Shanghai orders from 2021-06-07 to 2023-12. */
const datayesShanghai: LayoutEntry = {
  ...SHANGHAI,
  name: "datayes-sse-orders",
  recognised: {
    byName: /^mdl_4_19_0\.csv$/i,
    byFirstColumns: ["DataStatus", "OrderIndex", "OrderChannel"],
  },
  time: "OrderTime",
  cells: {
    exchangeOrderId: { column: "OrderNO" },
    orderType: { column: "OrderType" },
    orderCode: { column: "OrderBSFlag" },
    priceE4: { column: "OrderPrice" },
    volume: { column: "Balance" },
  },
  sequence: { channel: "OrderChannel", number: "BizIndex", ordersRows: true },
};

const datayesShanghaiMerged: LayoutEntry = {
  ...DATAYES_SHANGHAI_MERGED,
  cells: {
    exchangeOrderId: { column: { by: "orderCode", columns: { B: "BuyOrderNO", S: "SellOrderNO" } } },
    orderType: { column: "Type" },
    orderCode: { column: "TickBSFlag" },
    priceE4: { column: "Price" },
    volume: { column: "Qty" },
  },
  trades: ["T"],
};

/** DataYes: Shenzhen orders; codes are characters or their ASCII numbers (49 is `1`, 70 is `F`). */
const datayesShenzhen: LayoutEntry = {
  ...SHENZHEN,
  name: "datayes-szse-orders",
  recognised: {
    byName: /^mdl_6_33_0\.csv$/i,
    byFirstColumns: ["ChannelNo", "ApplSeqNum", "MDStreamID", "SecurityID"],
  },
  cells: {
    exchangeOrderId: { column: "ApplSeqNum" },
    orderType: { column: "OrdType", map: { SZ: { 1: "1", 2: "0", 49: "1", 50: "0", 85: "U" } } },
    orderCode: { column: "Side", map: both({ 1: "B", 2: "S", 49: "B", 50: "S", 70: "F", 71: "G" }) },
    priceE4: { column: "Price" },
    volume: { column: "OrderQty" },
  },
};

const ENTRUST_COLUMNS =
  "SecurityID TransactTime OrderNo Price Balance OrderBSFlag OrdType OrderIndex ChannelNo BizIndex".split(
    " ",
  );

/**
 * The Shanghai exchange's order history until 2023-12-03. Its files begin with a line like `HEAD:v2,2021/04/03
 * 17:10:56` and do not name their columns.
 */
const shanghaiEntrust: LayoutEntry = {
  ...SHANGHAI,
  name: "sse-entrust",
  recognised: { byName: /^Entrust\.csv$/i, byFirstColumns: ENTRUST_COLUMNS.slice(0, 7) },
  withoutHeader: ENTRUST_COLUMNS,
  headMark: /^HEAD:/,
  time: "TransactTime",
  cells: {
    exchangeOrderId: { column: "OrderNo" },
    orderType: { column: "OrdType" },
    orderCode: { column: "OrderBSFlag" },
    priceE4: { column: "Price" },
    volume: { column: "Balance" },
  },
  sequence: { channel: "ChannelNo", number: "BizIndex", ordersRows: true },
};

/** The Shanghai exchange's history since 2023-12-04: orders and trades in one stream. */
const { withoutHeader: _columns, headMark: _mark, ...shanghaiHistory } = shanghaiEntrust;
const shanghaiStockTick: LayoutEntry = {
  ...shanghaiHistory,
  name: "sse-stock-tick",
  recognised: { byName: /^StockTick\.csv$/i, byColumns: ["SecurityID", "TransactTime", "TradeQty", "Type"] },
  cells: {
    ...shanghaiHistory.cells,
    orderType: { column: "Type" },
    orderCode: { column: "OrderBSFlag|TickBSFlag" },
  },
  trades: ["T"],
};

const SPOT_COLUMNS = (
  "tradedate OrigTime SendTime recvtime dbtime ChannelNo MDStreamID ApplSeqNum SecurityID SecurityIDSource " +
  "Price OrderQty TransactTime Side OrderType ConfirmID Contactor ContactInfo ExpirationDays ExpirationType"
).split(" ");

/** The Shenzhen exchange's order history: one file for the morning and one for the afternoon. */
const shenzhenHistory: LayoutEntry = {
  ...SHENZHEN,
  name: "szse-order-spot",
  recognised: { byName: /^[ap]m_hq_order_spot\.txt$/i },
  withoutHeader: SPOT_COLUMNS,
  delimiter: "\t",
  date: "tradedate",
  cells: {
    exchangeOrderId: { column: "ApplSeqNum" },
    orderType: { column: "OrderType", map: { SZ: { 1: "1", 2: "0" } } },
    orderCode: { column: "Side", map: both({ 1: "B", 2: "S" }) },
    priceE4: { column: "Price" },
    volume: { column: "OrderQty" },
  },
};

/** Files with the API's own field names, including legacy names: CSV, or Parquet that is converted to text first. */
const plain: LayoutEntry = {
  ...PLAIN,
  recognised: { byColumns: ["symbol", "time", "order_type", "price", "volume"] },
  cells: {
    orderId: { column: "order_id", optional: true },
    exchangeOrderId: { column: "exchange_order_id|order_no" },
    orderType: { column: "order_type" },
    orderCode: { column: "order_code|side" },
    priceE4: { column: "price" },
    volume: { column: "volume" },
  },
};

/** All layouts of orders. The first one that matches a header is used. */
export const ORDER_LAYOUTS: readonly LayoutEntry[] = [
  vendor,
  insight,
  datayesShanghai,
  datayesShanghaiMerged,
  datayesShenzhen,
  shanghaiEntrust,
  shanghaiStockTick,
  shenzhenHistory,
  plain,
];
