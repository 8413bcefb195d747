/** Files that hold another dataset than the one that is built: they are named in the report and not read. */
import type { DatasetName } from "../../datasets/registry.ts";

/**
 * Base names of files that no layout reads, and what they hold. Messages of DataYes have a number for every dataset;
 * four of them have a layout.
 */
const NAMES: readonly { name: RegExp; holds: DatasetName | "other" }[] = [
  { name: /^(行情|委托队列)\.csv$/, holds: "other" },
  { name: /^mdl_(?!4_19_0|4_24_0|6_33_0|6_36_0)\d+_\d+_\d+\.csv$/i, holds: "other" },
  { name: /^[ap]m_hq_snap_\w+\.txt$/i, holds: "other" },
  { name: /^[ap]m_hq_trade_\w+\.txt$/i, holds: "trades" },
  { name: /^\d{8}_aucde\.parquet$/i, holds: "other" },
];

interface HeaderSign {
  /** Columns in the first places, columns somewhere, and columns that are not there. */
  first?: readonly string[];
  has?: readonly string[];
  lacks?: readonly string[];
}

/** Headers that say it, by the dataset that they are not of. */
const HEADERS: Readonly<Record<DatasetName, readonly HeaderSign[]>> = {
  orders: [
    { first: ["万得代码"], lacks: ["委托编号", "交易所委托号", "委托价格"] },
    { first: ["MDDate", "MDTime"], lacks: ["OrderNO", "OrderPrice", "OrderQty"] },
    { has: ["TradeBuyNo", "TradeSellNo"], lacks: ["OrderNO"] },
    { has: ["BidApplSeqNum", "OfferApplSeqNum"] },
    { has: ["symbol", "trade_id"], lacks: ["order_type"] },
    { has: ["symbol", "pre_close"], lacks: ["order_type"] },
    { has: ["symbol", "m_price"], lacks: ["order_type"] },
  ],
  trades: [
    { first: ["万得代码"], lacks: ["成交编号", "叫买序号", "叫卖序号"] },
    { first: ["MDDate", "MDTime"], lacks: ["TradeBuyNo", "TradeSellNo", "TradePrice"] },
    { has: ["symbol", "order_type"], lacks: ["trade_id"] },
    { has: ["symbol", "pre_close"], lacks: ["trade_id"] },
    { has: ["symbol", "m_price"], lacks: ["trade_id"] },
  ],
};

/** Whether files with the base name `name`, which no layout has, are of another dataset than `dataset`. */
export function isOtherName(name: string, dataset: DatasetName): boolean {
  return NAMES.some((each) => each.name.test(name) && each.holds !== dataset);
}

/** Whether a header with these `columns`, which no layout has, is of another dataset than `dataset`. */
export function isOtherHeader(columns: readonly string[], dataset: DatasetName): boolean {
  return HEADERS[dataset].some(
    ({ first = [], has = [], lacks = [] }) =>
      first.every((name, place) => columns[place] === name) &&
      has.every((name) => columns.includes(name)) &&
      !lacks.some((name) => columns.includes(name)),
  );
}
