/** The name and the columns of an auction pack (contract 8.10). */
import type { BeijingDate } from "../calendar/beijing.ts";

/** Returns the file name of the auction pack of `tradedate` (contract 8.7). */
export function auctionPackName(tradedate: BeijingDate): string {
  return `${tradedate}_aucde.parquet`;
}

export interface AuctionColumn {
  name: string;
  type: "STRING" | "BOOLEAN" | "INT64" | "DOUBLE";
  /** Whether values can be null. */
  nullable: boolean;
  /** `null` for texts and for numbers without a unit. */
  unit: { en: string; zh: string } | null;
  description: { en: string; zh: string };
}

const text = { type: "STRING", nullable: false, unit: null } as const;
const yuan = { type: "DOUBLE", nullable: false, unit: { en: "yuan", zh: "元" } } as const;
const lots = {
  type: "DOUBLE",
  nullable: false,
  unit: { en: "lots of 100 shares", zh: "手，100 股" },
} as const;
const shares = { type: "INT64", nullable: false, unit: { en: "shares", zh: "股" } } as const;

/** The columns in file order. Those that readers of other vendors' auction packs expect come first. */
export const AUCTION_COLUMNS = [
  { name: "tradedate", ...text, description: { en: "The trading day, YYYYMMDD.", zh: "交易日，YYYYMMDD。" } },
  {
    name: "symbol",
    ...text,
    description: {
      en: "The security's code, six digits; unique only together with exchange.",
      zh: "证券代码，六位数字；与 exchange 合用才唯一。",
    },
  },
  {
    name: "time",
    ...text,
    description: { en: "Beijing time of the snapshot, HHMMSSmmm.", zh: "快照时间，北京时间，HHMMSSmmm。" },
  },
  {
    name: "m_price",
    ...yuan,
    description: {
      en: "The price with the largest matched volume; in the result row, the price of the opening trade. 0 when nothing matches.",
      zh: "虚拟匹配价；结果行为开盘成交价。没有匹配时为 0。",
    },
  },
  {
    name: "auc_pct_chg",
    type: "DOUBLE",
    nullable: true,
    unit: { en: "percent", zh: "%" },
    description: {
      en: "The change of m_price from the previous close, computed from exact numbers and rounded half away from zero to 4 decimals. Null when either price is 0.",
      zh: "m_price 相对前收盘的涨跌幅，由精确数值计算，四舍五入到 4 位小数；任一为 0 时为 null。",
    },
  },
  {
    name: "auc_vol",
    ...lots,
    description: {
      en: "auc_volume / 100, exact, for every kind of security.",
      zh: "auc_volume ÷ 100，精确值，各类证券相同。",
    },
  },
  {
    name: "auc_amt",
    ...yuan,
    description: {
      en: "m_price × auc_volume, computed from the source's raw price and rounded once.",
      zh: "m_price × auc_volume，由源数据的原始价格计算，只舍入一次。",
    },
  },
  {
    name: "um_vol",
    ...lots,
    description: { en: "um_volume / 100, exact.", zh: "um_volume ÷ 100，精确值。" },
  },
  {
    name: "um_side",
    ...text,
    description: {
      en: "The side with the unmatched quantity: b for buy, s for sell, empty when nothing is unmatched.",
      zh: "未匹配量所在的一方：b 买，s 卖；没有时为空。",
    },
  },
  { name: "exchange", ...text, description: { en: "SH or SZ.", zh: "SH 或 SZ。" } },
  {
    name: "is_result",
    type: "BOOLEAN",
    nullable: false,
    unit: null,
    description: {
      en: "Whether the row is the auction's result, which is the security's last row.",
      zh: "是否为竞价结果行，即该证券的最后一行。",
    },
  },
  {
    name: "auc_volume",
    ...shares,
    description: {
      en: "The matched quantity; in the result row, the quantity of the opening trade.",
      zh: "虚拟匹配量；结果行为开盘成交量。",
    },
  },
  {
    name: "um_volume",
    ...shares,
    description: {
      en: "The quantity that stays unmatched; in the result row, the quantity left in the book at m_price.",
      zh: "未匹配量；结果行为盘口在 m_price 上的剩余量。",
    },
  },
] as const satisfies readonly AuctionColumn[];
