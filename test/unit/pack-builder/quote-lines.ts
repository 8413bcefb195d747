/** Creates lines and files of the vendor's quotes, `行情.csv`. */

const levels = (name: string) => Array.from({ length: 10 }, (_, at) => `${name}${at + 1}`);

/** The names of the vendor's 66 columns, in order. */
export const QUOTE_NAMES = [
  ...[
    "万得代码",
    "交易所代码",
    "自然日",
    "时间",
    "成交价",
    "成交量",
    "成交额",
    "成交笔数",
    "IOPV",
    "成交标志",
  ],
  ...["BS标志", "当日累计成交量", "当日成交额", "最高价", "最低价", "开盘价", "前收盘"],
  ...levels("申卖价"),
  ...levels("申卖量"),
  ...levels("申买价"),
  ...levels("申买量"),
  ...["加权平均叫卖价", "加权平均叫买价", "叫卖总量", "叫买总量"],
  ...["不加权指数", "品种总数", "上涨品种数", "下跌品种数", "持平品种数"],
];

const USUAL: Readonly<Record<string, string>> = {
  万得代码: "600519.SH",
  交易所代码: "600519",
  自然日: "20230711",
  时间: "93000010",
  成交价: "17450000",
  BS标志: " ",
  前收盘: "17400000",
};

/** Returns a line of the vendor's layout, by default an ordinary snapshot of 600519.SH; other cells are 0. */
export function quoteLine(said: Readonly<Record<string, string>> = {}): string {
  return `${QUOTE_NAMES.map((name) => said[name] ?? USUAL[name] ?? "0").join(",")},`;
}

/** Returns the vendor's file with `lines` after the header, in UTF-8 with CRLF. */
export function quoteFile(...lines: string[]): string {
  return [`${QUOTE_NAMES.join(",")},`, ...lines, ""].join("\r\n");
}
