/**
 * Recognises files of datasets other than the one that is being built. These files are listed in the report and not
 * read.
 */
import type { DatasetName } from "../../datasets/registry.ts";

/**
 * Patterns for the names of files without a layout, with the dataset of the files. DataYes names a file after the
 * number of its message type. Four types have a layout; 4_4 and 6_28 are the snapshots of Shanghai and Shenzhen.
 */
const NAMES: readonly { name: RegExp; holds: DatasetName | "other" }[] = [
  { name: /^委托队列\.csv$/, holds: "other" },
  { name: /^mdl_(4_4|6_28)_0\.csv$/i, holds: "quotes" },
  { name: /^mdl_(?!(4_4|4_19|4_24|6_28|6_33|6_36)_0\.)\d+_\d+_\d+\.csv$/i, holds: "other" },
  { name: /^[ap]m_hq_snap_\w+\.txt$/i, holds: "quotes" },
  { name: /^[ap]m_hq_trade_\w+\.txt$/i, holds: "trades" },
  { name: /^\d{8}_aucde\.parquet$/i, holds: "other" },
];

interface HeaderSign {
  /** The first columns, in order. */
  first?: readonly string[];
  /** Columns that must be present, in any position. */
  has?: readonly string[];
  /** Columns that must be absent. */
  lacks?: readonly string[];
}

/** For each dataset, the header patterns of files that hold a different dataset. */
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
  quotes: [
    { first: ["万得代码"], lacks: ["前收盘", "当日累计成交量", "申买价1"] },
    { has: ["symbol", "order_type"], lacks: ["pre_close"] },
    { has: ["symbol", "trade_id"], lacks: ["pre_close"] },
    { has: ["symbol", "m_price"], lacks: ["pre_close"] },
  ],
};

/** For each dataset, the names of the rows of the other datasets, for messages. */
export const OTHER_ROWS: Readonly<Record<DatasetName, string>> = {
  orders: "trades or quotes",
  trades: "orders or quotes",
  quotes: "orders or trades",
};

/** Returns whether the base name `name`, which no layout recognises, marks a file of a dataset other than `dataset`. */
export function isOtherName(name: string, dataset: DatasetName): boolean {
  return NAMES.some((each) => each.name.test(name) && each.holds !== dataset);
}

/**
 * Returns whether a header with these `columns`, which matches no layout, belongs to a dataset other than `dataset`.
 */
export function isOtherHeader(columns: readonly string[], dataset: DatasetName): boolean {
  return HEADERS[dataset].some(
    ({ first = [], has = [], lacks = [] }) =>
      first.every((name, place) => columns[place] === name) &&
      has.every((name) => columns.includes(name)) &&
      !lacks.some((name) => columns.includes(name)),
  );
}
