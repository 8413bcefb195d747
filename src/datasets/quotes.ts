/** Snapshots of the order book, 行情: about one every three seconds, with ten levels on each side. */
import { column, JUMPING, JUMPING_SHARES, LEADING, PRICE } from "./columns.ts";
import type { Bilingual, Dataset } from "./dataset.ts";

/** The levels of the order book; level 1 has the best price. */
type Level = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
export const LEVELS: readonly Level[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/**
 * The storage of values of the order book. Each value equals the value in the previous row, equals an earlier value, or
 * is new. Level 12 makes the indices 10 % smaller than level 7.
 */
const STATE = { encoding: "PLAIN_OR_DICTIONARY", indexLevel: 12 } as const;
const STATE_PRICE = { ...PRICE, ...STATE } as const;
const STATE_YUAN = { ...STATE_PRICE, kind: "yuan" } as const;
const STATE_SHARES = { ...JUMPING_SHARES, ...STATE } as const;

/** The meaning of levels 1 and 2 in a call auction, which has no order book. */
const IN_AUCTIONS: Partial<Record<Level, Record<"price" | "volume", Bilingual>>> = {
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
const NOTHING = { price: { en: "", zh: "" }, volume: { en: "", zh: "" } };

/**
 * Returns the columns for price and quantity of one level and side. `zh` is the side's Chinese name. The types are
 * unions over all levels.
 */
function sideAt<const Side extends "bid" | "ask">(level: Level, side: Side, zh: string) {
  const { price, volume } = IN_AUCTIONS[level] ?? NOTHING;
  return [
    column(`${side}${level}`, `${side}${level}E4`, STATE_PRICE, {
      en: `Price of ${side} level ${level}; 0 without orders.${price.en}`,
      zh: `${zh}价 ${level}，无申报时为 0。${price.zh}`,
    }),
    column(`${side}_vol${level}`, `${side}Volume${level}`, STATE_SHARES, {
      en: `Quantity at ${side} level ${level}.${volume.en}`,
      zh: `${zh}量 ${level}。${volume.zh}`,
    }),
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
    column("open", "openE4", STATE_PRICE, {
      en: "开盘价: the opening price; still 0 in Shanghai's first snapshot with the opening trade.",
      zh: "开盘价，与数据源一致；上海含开盘成交的首个快照仍为 0。",
    }),
    column("high", "highE4", STATE_PRICE, {
      en: "最高价: the highest price of the day so far, as in the source.",
      zh: "当日截至此刻的最高价，与数据源一致。",
    }),
    column("low", "lowE4", STATE_PRICE, {
      en: "最低价: the lowest price of the day so far, as in the source.",
      zh: "当日截至此刻的最低价，与数据源一致。",
    }),
    column("close", "closeE4", STATE_PRICE, {
      en: "成交价: the latest price; 0 before the first trade.",
      zh: "成交价，即最新价；尚无成交时为 0。",
    }),
    column("pre_close", "preCloseE4", STATE_PRICE, {
      en: "前收盘: the previous closing price.",
      zh: "前收盘价。",
    }),
    column("volume", "volume", JUMPING_SHARES, {
      legacyName: "total_volume",
      en: "当日累计成交量: the day's volume so far.",
      zh: "当日累计成交量。",
    }),
    column("amount", "amount", STATE_YUAN, {
      legacyName: "total_amount",
      en: "当日成交额: the day's turnover so far, as in the source, not computed.",
      zh: "当日成交额，与数据源一致，不做计算。",
    }),
    ...LEVELS.flatMap((level) => [...sideAt(level, "bid", "申买"), ...sideAt(level, "ask", "申卖")]),
    column("num_trades", "numTrades", JUMPING, {
      onRequest: true,
      en: "成交笔数: the source's number of trades.",
      zh: "成交笔数，与数据源一致。",
    }),
    column("total_bid_vol", "totalBidVolume", JUMPING_SHARES, {
      onRequest: true,
      en: "叫买总量: the quantity of all bids.",
      zh: "叫买总量。",
    }),
    column("total_ask_vol", "totalAskVolume", JUMPING_SHARES, {
      onRequest: true,
      en: "叫卖总量: the quantity of all asks.",
      zh: "叫卖总量。",
    }),
    column("avg_bid_price", "avgBidPriceE4", STATE_PRICE, {
      onRequest: true,
      en: "加权平均叫买价: the average price of all bids, weighted by quantity.",
      zh: "加权平均叫买价。",
    }),
    column("avg_ask_price", "avgAskPriceE4", STATE_PRICE, {
      onRequest: true,
      en: "加权平均叫卖价: the average price of all asks, weighted by quantity.",
      zh: "加权平均叫卖价。",
    }),
    column("iopv", "iopvE4", STATE_PRICE, {
      onRequest: true,
      en: "IOPV of a fund, as in the source; 0 for other securities.",
      zh: "基金的 IOPV，与数据源一致；其他证券为 0。",
    }),
  ],
} as const satisfies Dataset;
