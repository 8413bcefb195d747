/** The name and the columns of an auction pack (contract 8.10). */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { Bilingual } from "../datasets/dataset.ts";

/** Returns the file name of the auction pack of `tradedate` (contract 8.7). */
export function auctionPackName(tradedate: BeijingDate): string {
  return `${tradedate}_aucde.parquet`;
}

interface Kind {
  type: "STRING" | "BOOLEAN" | "INT64" | "DOUBLE";
  /** Whether values can be null. */
  nullable: boolean;
  /** `null` for texts and for numbers without a unit. */
  unit: Bilingual | null;
}

const text = { type: "STRING", nullable: false, unit: null } as const satisfies Kind;
const yuan = { type: "DOUBLE", nullable: false, unit: { en: "yuan", zh: "元" } } as const satisfies Kind;
const lots = { ...yuan, unit: { en: "lots of 100 shares", zh: "手，100 股" } } as const;
const percent = { type: "DOUBLE", nullable: true, unit: { en: "percent", zh: "%" } } as const satisfies Kind;
const shares = { type: "INT64", nullable: false, unit: { en: "shares", zh: "股" } } as const satisfies Kind;
const flag = { type: "BOOLEAN", nullable: false, unit: null } as const satisfies Kind;

const column = <Name extends string, K extends Kind>(name: Name, kind: K, en: string, zh: string) => ({
  name,
  ...kind,
  description: { en, zh },
});

/** The columns in file order. Those that readers of other vendors' auction packs expect come first. */
export const AUCTION_COLUMNS = [
  column("tradedate", text, "The trading day, YYYYMMDD.", "交易日，YYYYMMDD。"),
  column(
    "symbol",
    text,
    "The security's code, six digits; unique only together with exchange.",
    "证券代码，六位数字；与 exchange 合用才唯一。",
  ),
  column("time", text, "Beijing time of the snapshot, HHMMSSmmm.", "快照时间，北京时间，HHMMSSmmm。"),
  column(
    "m_price",
    yuan,
    "The price with the largest matched volume; in the result row, the price of the opening trade. 0 when nothing matches.",
    "虚拟匹配价；结果行为开盘成交价。没有匹配时为 0。",
  ),
  column(
    "auc_pct_chg",
    percent,
    "The change of m_price from the previous close, computed from exact numbers and rounded half away from zero to 4 decimals. Null when either price is 0.",
    "m_price 相对前收盘的涨跌幅，由精确数值计算，四舍五入到 4 位小数；任一为 0 时为 null。",
  ),
  column(
    "auc_vol",
    lots,
    "auc_volume / 100, exact, for every kind of security.",
    "auc_volume ÷ 100，精确值，各类证券相同。",
  ),
  column(
    "auc_amt",
    yuan,
    "m_price × auc_volume, computed from the source's raw price and rounded once.",
    "m_price × auc_volume，由源数据的原始价格计算，只舍入一次。",
  ),
  column("um_vol", lots, "um_volume / 100, exact.", "um_volume ÷ 100，精确值。"),
  column(
    "um_side",
    text,
    "The side with the unmatched quantity: b for buy, s for sell, empty when nothing is unmatched.",
    "未匹配量所在的一方：b 买，s 卖；没有时为空。",
  ),
  column("exchange", text, "SH or SZ.", "SH 或 SZ。"),
  column(
    "is_result",
    flag,
    "Whether the row is the auction's result, which is the security's last row.",
    "是否为竞价结果行，即该证券的最后一行。",
  ),
  column(
    "auc_volume",
    shares,
    "The matched quantity; in the result row, the quantity of the opening trade.",
    "虚拟匹配量；结果行为开盘成交量。",
  ),
  column(
    "um_volume",
    shares,
    "The quantity that stays unmatched; in the result row, the quantity left in the book at m_price.",
    "未匹配量；结果行为盘口在 m_price 上的剩余量。",
  ),
] as const;
