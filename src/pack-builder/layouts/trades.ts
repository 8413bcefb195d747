/** The layouts of trade files. */
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

/** One folder per security, with one file of trades. Each row has the sell order number before the buy order number. */
const vendor: LayoutEntry = {
  ...VENDOR,
  recognised: { ...VENDOR.recognised, byName: /^逐笔成交\.csv$/ },
  cells: {
    tradeId: { column: "成交编号" },
    priceE4: { column: "成交价格" },
    volume: { column: "成交数量" },
    bsFlag: { column: "BS标志" },
    tradeCode: { column: "成交代码" },
    buyOrderId: { column: "叫买序号" },
    sellOrderId: { column: "叫卖序号" },
    orderKind: { column: "委托代码", optional: true },
  },
};

const insight: LayoutEntry = {
  ...INSIGHT,
  cells: {
    tradeId: { column: "TradeIndex" },
    priceE4: { column: "TradePrice" },
    volume: { column: "TradeQty" },
    bsFlag: { column: "TradeBSFlag", map: both({ 0: "N", 1: "B", 2: "S" }) },
    buyOrderId: { column: "TradeBuyNo" },
    sellOrderId: { column: "TradeSellNo" },
  },
  onlyRows: { column: "TradeType", codes: ["0"], others: "quarantined" },
};

/** DataYes: Shenzhen fills and cancels; codes are characters or their ASCII numbers (70 is `F`, 52 is `4`). */
const datayesShenzhen: LayoutEntry = {
  ...SHENZHEN,
  name: "datayes-szse-trades",
  recognised: {
    byName: /^mdl_6_36_0\.csv$/i,
    byFirstColumns: ["ChannelNo", "ApplSeqNum", "MDStreamID", "BidApplSeqNum"],
  },
  cells: {
    tradeId: { column: "ApplSeqNum" },
    priceE4: { column: "LastPx" },
    volume: { column: "LastQty" },
    tradeCode: { column: "ExecType", map: { SZ: { 70: "0", F: "0", 52: "C", 4: "C" } } },
    buyOrderId: { column: "BidApplSeqNum" },
    sellOrderId: { column: "OfferApplSeqNum" },
  },
};

const datayesShanghaiMerged: LayoutEntry = {
  ...DATAYES_SHANGHAI_MERGED,
  cells: {
    tradeId: { column: "BizIndex" },
    priceE4: { column: "Price" },
    volume: { column: "Qty" },
    bsFlag: { column: "TickBSFlag" },
    buyOrderId: { column: "BuyOrderNO" },
    sellOrderId: { column: "SellOrderNO" },
  },
  onlyRows: { column: "Type", codes: ["T"], others: "left out" },
};

/** The Shanghai exchange's trade history until 2023-12-03. */
const shanghaiTransaction: LayoutEntry = {
  ...SHANGHAI,
  name: "sse-transaction",
  recognised: { byName: /^Transaction\.csv$/i, byColumns: ["TradeIndex", "TradeChan", "TradTime"] },
  time: "TradTime",
  cells: {
    tradeId: { column: "TradeIndex" },
    priceE4: { column: "TradPrice" },
    volume: { column: "TradVolume" },
    bsFlag: { column: "TradeBSFlag" },
    buyOrderId: { column: "TradeBuyNo" },
    sellOrderId: { column: "TradeSellNo" },
  },
  sequence: { channel: "TradeChan", number: "BizIndex", ordersRows: true, optional: true },
};

/** Files with the API's own field names: CSV, or Parquet that is converted to text first. */
const plain: LayoutEntry = {
  ...PLAIN,
  recognised: { byColumns: ["symbol", "time", "trade_id", "price", "volume"] },
  cells: {
    tradeId: { column: "trade_id" },
    priceE4: { column: "price" },
    volume: { column: "volume" },
    bsFlag: { column: "bs_flag" },
    tradeCode: { column: "trade_code" },
    buyOrderId: { column: "buy_order_id" },
    sellOrderId: { column: "sell_order_id" },
    orderKind: { column: "order_kind", optional: true },
  },
};

/** All layouts of trades. The first one that matches a header is used. */
export const TRADE_LAYOUTS: readonly LayoutEntry[] = [
  vendor,
  insight,
  datayesShenzhen,
  datayesShanghaiMerged,
  shanghaiTransaction,
  plain,
];
