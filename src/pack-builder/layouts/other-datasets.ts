/** Files of trades, quotes and order queues that come beside the orders: they are named in the report and not read. */

/** Base names that say it. Messages of DataYes have a number for every dataset; three of them are orders. */
const NAMES = [
  /^(逐笔成交|行情|委托队列)\.csv$/,
  /^mdl_(?!4_19_0|4_24_0|6_33_0)\d+_\d+_\d+\.csv$/i,
  /^Transaction\.csv$/i,
  /^[ap]m_hq_(trade|snap)_\w+\.txt$/i,
  /^\d{8}_aucde\.parquet$/i,
];

/** Headers that say it: columns that are there, the first of them in this place, and columns that are not. */
const HEADERS: readonly { first?: readonly string[]; has?: readonly string[]; lacks?: readonly string[] }[] =
  [
    { first: ["万得代码"], lacks: ["委托编号", "交易所委托号", "委托价格"] },
    { first: ["MDDate", "MDTime"], lacks: ["OrderNO", "OrderPrice", "OrderQty"] },
    { has: ["TradeBuyNo", "TradeSellNo"], lacks: ["OrderNO"] },
    { has: ["BidApplSeqNum", "OfferApplSeqNum"] },
    { has: ["symbol", "trade_id"], lacks: ["order_type"] },
    { has: ["symbol", "pre_close"], lacks: ["order_type"] },
    { has: ["symbol", "m_price"], lacks: ["order_type"] },
  ];

/** Whether files with the base name `name` are of another dataset than orders. */
export function isOtherDatasetName(name: string): boolean {
  return NAMES.some((pattern) => pattern.test(name));
}

/** Whether a header with these `columns` is of another dataset than orders. */
export function isOtherDataset(columns: readonly string[]): boolean {
  return HEADERS.some(
    ({ first = [], has = [], lacks = [] }) =>
      first.every((name, place) => columns[place] === name) &&
      has.every((name) => columns.includes(name)) &&
      !lacks.some((name) => columns.includes(name)),
  );
}
