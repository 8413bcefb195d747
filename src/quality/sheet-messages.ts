/** The names in a quality sheet, each with its text in both languages. */
import type { Bilingual } from "../base/language.ts";
import type { DayCheckName } from "./check-day.ts";
import type { Fault, Verdict } from "./sheet.ts";
import type { CheckName } from "./verdict.ts";

/** The checks of one security, in the order of the sheet. */
export const CHECK_TEXTS = {
  matching: { en: "cancels and fills agree with their orders", zh: "撤单与成交对应各自的委托" },
  sequence: { en: "trade numbers", zh: "成交编号" },
  gaps: { en: "trade numbers without gaps", zh: "成交编号没有缺口" },
  priority: { en: "price-time priority of the fills", zh: "成交按价格优先、时间优先" },
  calendar: { en: "trading hours and phases", zh: "交易时段与阶段" },
  shape: { en: "there are cancels, and rows in both halves of the day", zh: "有撤单，上下午都有数据" },
  scale: { en: "magnitude of prices and volumes", zh: "价格与数量的量级" },
  opening_auction: { en: "opening auction recomputed from the orders", zh: "由委托推出的开盘集合竞价" },
  closing_auction: { en: "closing auction recomputed from the orders", zh: "由委托推出的收盘集合竞价" },
  auction_rows: {
    en: "rows of the auction pack recomputed from the orders",
    zh: "由委托推出的竞价数据包各行",
  },
  sums: {
    en: "trades agree with the volume, amount, high and low of the quotes",
    zh: "与快照的成交量、成交额、最高最低价一致",
  },
  other_days: { en: "the rows are not a copy of another day's rows", zh: "与其他交易日的数据不同" },
} satisfies Record<string, Bilingual>;

export const CHECKS = Object.keys(CHECK_TEXTS) as CheckName[];

/** What a check can prove, for checks whose name and verdict alone would mislead. */
export const CHECK_NOTES: Partial<Record<CheckName, Bilingual>> = {
  gaps: {
    en: "looks for lost trades. If the trades of each security have the numbers 1, 2, 3 and so on, a missing number is a lost trade, and the check fails. If several securities share one series of numbers, as in all real samples so far, a missing number may be a trade of another security. The check then proves neither that trades are missing nor that they are complete.",
    zh: "用来发现丢失的成交。若数据源对每只证券的成交从 1 起连续编号，缺少的编号就是丢失的成交，检查不通过。若多只证券共用一组编号（目前的真实样本都是如此），缺少的编号可能是另一只证券的成交：此时既不能证明有缺失，也不能证明没有缺失。",
  },
};

export const DAY_CHECK_TEXTS: Record<DayCheckName, Bilingual> = {
  coverage: {
    en: "all datasets cover the same exchanges and stocks",
    zh: "各数据集的交易所和股票齐全",
  },
  other_days: {
    en: "as many exchanges, securities and rows as on other days",
    zh: "交易所、证券数、行数与其他交易日相当",
  },
};

export const REASON_TEXTS = {
  no_orders: { en: "no orders", zh: "没有委托" },
  no_trades: { en: "no trades", zh: "没有成交" },
  no_quotes: { en: "no quotes", zh: "没有行情快照" },
  no_other_days: {
    en: "no quality sheet of another day has data to compare with",
    zh: "旁边没有其他交易日的质量报告",
  },
  too_few_rows: { en: "too few rows", zh: "行数太少" },
  no_flag: { en: "the source has no bs_flag", zh: "数据源没有买卖标志" },
  no_number: { en: "the source has no trade numbers", zh: "数据源没有成交编号" },
  shared_numbers: {
    en: "trade numbers run per channel, not per security",
    zh: "编号由多只证券共用",
  },
  market_orders: { en: "the auction includes market orders without a price", zh: "有不带价格的市价委托参与" },
  unmeasured_market: {
    en: "the rules for bonds and for the closing auction of funds could not be confirmed with real data",
    zh: "债券以及基金收盘竞价的规则没有样本可以验证",
  },
} satisfies Record<string, Bilingual>;

export const FAULT_TEXTS = {
  order_repeated: { en: "a new order has the number of an earlier one", zh: "新委托的委托号与之前的重复" },
  cancel_unknown: { en: "a cancel refers to no live order", zh: "撤单找不到仍有效的委托" },
  cancel_differs: {
    en: "the side or price of a cancel differs from that of the order",
    zh: "撤单的方向或价格与委托不同",
  },
  cancel_remainder: {
    en: "the quantity of a cancel differs from the remaining quantity of its order",
    zh: "撤单数量不等于委托剩余量",
  },
  fill_unknown: { en: "a fill refers to no live order", zh: "成交找不到仍有效的委托" },
  fill_side: { en: "a fill refers to an order of the opposite side", zh: "成交所指委托的方向相反" },
  fill_price: { en: "the price of a fill violates the limit of its order", zh: "成交价格不符合委托价格" },
  fill_exceeds: {
    en: "the quantity of a fill exceeds the remaining quantity of its order",
    zh: "成交数量大于委托剩余量",
  },
  trade_repeated: { en: "a trade has the number of an earlier one", zh: "成交编号与之前的重复" },
  trade_number: {
    en: "the number of a trade is below the numbers of its orders",
    zh: "成交编号小于它的委托号",
  },
  after_cancel: {
    en: "a trade or cancel follows the cancel of its order",
    zh: "委托撤销之后又有成交或撤单",
  },
  numbers_missing: { en: "trade numbers have gaps", zh: "成交编号有缺口" },
  priority: {
    en: "a fill passes over an order with a better price or an earlier time",
    zh: "成交越过了价格更优或时间更早的委托",
  },
  order_outside_hours: { en: "an order is outside the exchange's hours", zh: "委托在交易时段之外" },
  cancel_outside_hours: {
    en: "a cancel is at a time when cancels are not allowed",
    zh: "撤单在不可撤单的时段",
  },
  trade_outside_hours: { en: "a trade is outside the exchange's hours", zh: "成交在交易时段之外" },
  flag_unknown: { en: "a trade has none of the flags B, S and N", zh: "成交的买卖标志不是 B、S、N" },
  flag_aggressor: {
    en: "a trade's flag names the older of its orders as the aggressor",
    zh: "买卖标志把较早的委托当成主动方",
  },
  flag_outside_phase: {
    en: "a trade's flag does not fit its phase (N in the auctions, B and S between them)",
    zh: "买卖标志与阶段不符：集合竞价应为 N，连续竞价应为 B、S",
  },
  begins_late: {
    en: "the dataset begins long after the other dataset",
    zh: "该数据集比另一数据集晚开始很久",
  },
  ends_early: { en: "the dataset ends long before the other dataset", zh: "该数据集比另一数据集早结束很久" },
  no_cancels: { en: "there is no cancel among 200 or more orders", zh: "200 笔以上的委托中没有一笔撤单" },
  nothing_after_noon: {
    en: "the dataset has no row after 13:00, but the other dataset has",
    zh: "该数据集 13:00 以后没有数据，另一数据集有",
  },
  price_factor: {
    en: "most prices are outside 0.05 to 10,000 yuan: the price's conversion factor is probably wrong",
    zh: "多数价格不在 0.05 至 10,000 元之间：价格的换算倍数可能有误",
  },
  volume_factor: {
    en: "almost all order volumes are implausible: the volume's conversion factor is probably wrong",
    zh: "几乎所有委托数量都不合理：数量的换算倍数可能有误",
  },
  auction_price: {
    en: "the auction's price differs from the price recomputed from the orders",
    zh: "集合竞价的价格与委托推出的不同",
  },
  auction_volume: {
    en: "the auction's volume differs from the volume recomputed from the orders",
    zh: "集合竞价的成交量与委托推出的不同",
  },
  auction_missing: {
    en: "the orders could be matched, but the auction has no trade",
    zh: "委托可以撮合，集合竞价却没有成交",
  },
  auction_snapshot: {
    en: "a snapshot in the auction is neither a virtual match nor the auction's result",
    zh: "竞价时段的快照既不是虚拟匹配，也不是竞价结果",
  },
  auction_sides: {
    en: "a virtual match has an unmatched quantity on both sides",
    zh: "虚拟匹配的买卖双方都有未匹配量",
  },
  auction_row: {
    en: "no order book around the time of a virtual match yields its values",
    zh: "该时刻前后的委托推不出这一行虚拟匹配",
  },
  auction_result: {
    en: "the last order book of the auction does not produce the auction's result",
    zh: "竞价结束时的委托推不出竞价结果",
  },
  sum_volume: { en: "the sum of the volumes differs from the snapshot", zh: "成交量之和与快照不等" },
  sum_amount: { en: "the sum of the amounts differs from the snapshot", zh: "成交额之和与快照不等" },
  price_range: { en: "a trade is outside the day's high and low", zh: "成交价超出当日最高最低价" },
  same_as_other_day: { en: "the rows equal those of another day", zh: "数据与另一个交易日相同" },
  dataset_missing: { en: "the dataset is missing", zh: "缺少该数据集" },
  exchange_missing: { en: "the exchange is missing", zh: "缺少该交易所" },
  securities_missing: { en: "many securities are missing", zh: "缺少许多证券" },
  rows_missing: {
    en: "there are far fewer rows than on other days",
    zh: "行数远少于其他交易日",
  },
} satisfies Record<string, Bilingual>;

export const VERDICT_TEXTS: Record<Verdict["verdict"], Bilingual> = {
  passed: { en: "passed", zh: "通过" },
  failed: { en: "failed", zh: "未通过" },
  not_provable: { en: "not provable", zh: "无法证实" },
};

/** Returns a whole number with commas. */
export function numberText(number: number): string {
  return number.toLocaleString("en-US");
}

/** Returns the dataset, row and time of a fault's first occurrence; empty for a fault of the rows as a whole. */
export function placeText({ first }: Fault): Bilingual {
  if (first === null) return { en: "", zh: "" };
  const { dataset, row, time } = first;
  const at = String(time).padStart(9, "0");
  const clock = `${at.slice(0, 2)}:${at.slice(2, 4)}:${at.slice(4, 6)}.${at.slice(6)}`;
  return { en: `row ${row} of the ${dataset} at ${clock}`, zh: `${dataset} 第 ${row} 行，${clock}` };
}
