/** The layouts of quote files. */
import { storedColumns } from "../../datasets/dataset.ts";
import { LEVELS, quotes } from "../../datasets/quotes.ts";
import { type CellSource, type LayoutEntry, PLAIN, VENDOR } from "./layout.ts";

/**
 * A folder for each security with one file of snapshots. Interval totals, flags and the columns of indices are not read.
 */
const vendor: LayoutEntry = {
  ...VENDOR,
  recognised: { ...VENDOR.recognised, byName: /^行情\.csv$/ },
  cells: {
    openE4: { column: "开盘价" },
    highE4: { column: "最高价" },
    lowE4: { column: "最低价" },
    closeE4: { column: "成交价" },
    preCloseE4: { column: "前收盘" },
    volume: { column: "当日累计成交量" },
    amount: { column: "当日成交额" },
    ...Object.fromEntries(
      LEVELS.flatMap((level): [string, CellSource][] => [
        [`bid${level}E4`, { column: `申买价${level}` }],
        [`bidVolume${level}`, { column: `申买量${level}` }],
        [`ask${level}E4`, { column: `申卖价${level}` }],
        [`askVolume${level}`, { column: `申卖量${level}` }],
      ]),
    ),
    numTrades: { column: "成交笔数", optional: true },
    totalBidVolume: { column: "叫买总量", optional: true },
    totalAskVolume: { column: "叫卖总量", optional: true },
    avgBidPriceE4: { column: "加权平均叫买价", optional: true },
    avgAskPriceE4: { column: "加权平均叫卖价", optional: true },
    iopvE4: { column: "IOPV", optional: true },
  },
};

/** Files with the API's own field names, including legacy names: CSV, or Parquet that is converted to text first. */
const plain: LayoutEntry = {
  ...PLAIN,
  recognised: { byColumns: ["symbol", "time", "pre_close", "bid1", "ask1"] },
  cells: Object.fromEntries(
    storedColumns(quotes).map(({ key, name, legacyName, onRequest }): [string, CellSource] => {
      const column = legacyName === undefined ? name : `${name}|${legacyName}`;
      return [key, onRequest ? { column, optional: true } : { column }];
    }),
  ),
};

/** All layouts of quotes. The first one that matches a header is used. */
export const QUOTE_LAYOUTS: readonly LayoutEntry[] = [vendor, plain];
