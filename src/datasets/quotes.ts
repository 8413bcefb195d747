/** Snapshots of the order book, 行情: about one every three seconds, with ten levels on each side. */
import { JUMPING_NUMBER, LEADING, YUAN } from "./columns.ts";
import type { Bilingual, Dataset } from "./dataset.ts";

/** The levels of the order book, from the best price. */
type Level = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
export const LEVELS: readonly Level[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

const SHARES = { ...JUMPING_NUMBER, unit: { en: "shares", zh: "股" } } as const;

/** For a value of the order book: it repeats that of the previous row, returns to an earlier one, or is new. */
const STATE = { encoding: "PLAIN_OR_DICTIONARY" } as const;
const PRICE = { ...YUAN, ...STATE } as const;
const QUANTITY = { ...SHARES, ...STATE } as const;

const BID = { en: "bid", zh: "申买" };
const ASK = { en: "ask", zh: "申卖" };

/** The meaning of levels 1 and 2 in a call auction, which has no order book. */
const IN_AUCTIONS: Partial<Record<Level, { price: Bilingual; volume: Bilingual }>> = {
  1: {
    price: {
      en: " In a call auction, the price at which orders match; 0 if none match.",
      zh: "集合竞价期间为撮合价，无法撮合时为 0。",
    },
    volume: { en: " In a call auction, the matched quantity.", zh: "集合竞价期间为匹配量。" },
  },
  2: {
    price: { en: " Always 0 in a call auction.", zh: "集合竞价期间恒为 0。" },
    volume: {
      en: " In a call auction, the unmatched quantity of this side.",
      zh: "集合竞价期间为本方未匹配量。",
    },
  },
};

/** Returns the description of a level's price. */
function priceAt({ en, zh }: Bilingual, level: Level): Bilingual {
  const note = IN_AUCTIONS[level]?.price ?? { en: "", zh: "" };
  return {
    en: `Price of ${en} level ${level}; 0 without orders.${note.en}`,
    zh: `${zh}价 ${level}，无申报时为 0。${note.zh}`,
  };
}

/** Returns the description of a level's quantity. */
function volumeAt({ en, zh }: Bilingual, level: Level): Bilingual {
  const note = IN_AUCTIONS[level]?.volume ?? { en: "", zh: "" };
  return {
    en: `Quantity at ${en} level ${level}.${note.en}`,
    zh: `${zh}量 ${level}。${note.zh}`,
  };
}

/** Returns the four columns of a level. In the return type, their names and keys are unions over all levels. */
function columnsAt(level: Level) {
  return [
    { name: `bid${level}`, kind: "price", key: `bid${level}E4`, ...PRICE, description: priceAt(BID, level) },
    {
      name: `bid_vol${level}`,
      kind: "integer",
      key: `bidVolume${level}`,
      ...QUANTITY,
      description: volumeAt(BID, level),
    },
    { name: `ask${level}`, kind: "price", key: `ask${level}E4`, ...PRICE, description: priceAt(ASK, level) },
    {
      name: `ask_vol${level}`,
      kind: "integer",
      key: `askVolume${level}`,
      ...QUANTITY,
      description: volumeAt(ASK, level),
    },
  ] as const;
}

export const quotes = {
  name: "quotes",
  apiname: "level2_quote_history",
  estimate: "quote_history_estimate",
  prefix: "quotes",
  fileSuffix: "_quotes",
  row: "quote",
  rows: "quotes",
  rowName: { en: "quote", zh: "快照" },
  cancel: null,
  columns: [
    ...LEADING,
    {
      name: "open",
      kind: "price",
      key: "openE4",
      ...PRICE,
      description: {
        en: "开盘价: the opening price; still 0 in Shanghai's first snapshot with the opening trade.",
        zh: "开盘价，与数据源一致；上海含开盘成交的首个快照仍为 0。",
      },
    },
    {
      name: "high",
      kind: "price",
      key: "highE4",
      ...PRICE,
      description: {
        en: "最高价: the highest price of the day so far, as in the source.",
        zh: "当日截至此刻的最高价，与数据源一致。",
      },
    },
    {
      name: "low",
      kind: "price",
      key: "lowE4",
      ...PRICE,
      description: {
        en: "最低价: the lowest price of the day so far, as in the source.",
        zh: "当日截至此刻的最低价，与数据源一致。",
      },
    },
    {
      name: "close",
      kind: "price",
      key: "closeE4",
      ...PRICE,
      description: {
        en: "成交价: the latest price; 0 before the first trade.",
        zh: "成交价，即最新价；尚无成交时为 0。",
      },
    },
    {
      name: "pre_close",
      kind: "price",
      key: "preCloseE4",
      ...PRICE,
      description: { en: "前收盘: the previous closing price.", zh: "前收盘价。" },
    },
    {
      name: "volume",
      kind: "integer",
      key: "volume",
      ...SHARES,
      legacyName: "total_volume",
      description: { en: "当日累计成交量: the day's volume so far.", zh: "当日累计成交量。" },
    },
    {
      name: "amount",
      kind: "yuan",
      key: "amount",
      ...PRICE,
      legacyName: "total_amount",
      description: {
        en: "当日成交额: the day's turnover so far, as in the source, not computed.",
        zh: "当日成交额，与数据源一致，不做计算。",
      },
    },
    ...LEVELS.flatMap(columnsAt),
    {
      name: "num_trades",
      kind: "integer",
      key: "numTrades",
      ...JUMPING_NUMBER,
      onRequest: true,
      description: { en: "成交笔数: the source's number of trades.", zh: "成交笔数，与数据源一致。" },
    },
    {
      name: "total_bid_vol",
      kind: "integer",
      key: "totalBidVolume",
      ...SHARES,
      onRequest: true,
      description: { en: "叫买总量: the quantity of all bids.", zh: "叫买总量。" },
    },
    {
      name: "total_ask_vol",
      kind: "integer",
      key: "totalAskVolume",
      ...SHARES,
      onRequest: true,
      description: { en: "叫卖总量: the quantity of all asks.", zh: "叫卖总量。" },
    },
    {
      name: "avg_bid_price",
      kind: "price",
      key: "avgBidPriceE4",
      ...PRICE,
      onRequest: true,
      description: {
        en: "加权平均叫买价: the average price of all bids, weighted by quantity.",
        zh: "加权平均叫买价。",
      },
    },
    {
      name: "avg_ask_price",
      kind: "price",
      key: "avgAskPriceE4",
      ...PRICE,
      onRequest: true,
      description: {
        en: "加权平均叫卖价: the average price of all asks, weighted by quantity.",
        zh: "加权平均叫卖价。",
      },
    },
    {
      name: "iopv",
      kind: "price",
      key: "iopvE4",
      ...PRICE,
      onRequest: true,
      description: {
        en: "IOPV of a fund, as in the source; 0 for other securities.",
        zh: "基金的 IOPV，与数据源一致；其他证券为 0。",
      },
    },
  ],
} as const satisfies Dataset;
