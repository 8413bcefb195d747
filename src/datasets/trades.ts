/** Tick-by-tick trades, 逐笔成交: fills of both exchanges, and Shenzhen's cancels, which no other dataset contains. */
import { AMOUNT, CODE, column, INTEGER, JUMPING, LEADING, PRICE, VOLUME } from "./columns.ts";
import type { Dataset } from "./dataset.ts";

const [SYMBOL, TRADEDATE, TIME] = LEADING;

export const trades = {
  name: "trades",
  apiname: "level2_trade_history",
  estimate: "trade_history_estimate",
  prefix: "trades",
  fileSuffix: "_trades",
  row: "trade",
  rows: "trades",
  rowName: { en: "trade", zh: "成交" },
  cancel: { column: "trade_code", code: "C" },
  columns: [
    SYMBOL,
    TRADEDATE,
    { ...TIME, valueLevel: 13 },
    column("trade_id", "tradeId", INTEGER, {
      en: "成交编号: the source's trade id; 0 if absent. Not comparable between sources.",
      zh: "成交编号，与数据源一致；数据源没有时为 0，不同数据源之间不可比较。",
    }),
    column("price", "priceE4", PRICE, {
      en: "The trade's price; 0 for a Shenzhen cancel.",
      zh: "成交价格；深圳撤单为 0。",
    }),
    column("volume", "volume", VOLUME, {
      en: "The traded quantity; for a Shenzhen cancel, the cancelled quantity.",
      zh: "成交数量；深圳撤单为撤单数量。",
    }),
    {
      ...AMOUNT,
      description: {
        en: "Price × volume, rounded once; 0 for a Shenzhen cancel. Not the turnover for Shanghai bonds and repos.",
        zh: "价格 × 数量，只舍入一次；深圳撤单为 0。上海债券和回购的该值不是成交额。",
      },
    },
    column("bs_flag", "bsFlag", CODE, {
      en: "The source's 买卖 flag B or S, never derived; in Shanghai the aggressor's side, or N in auctions. Empty where the source has none.",
      zh: "数据源的买卖标志，不做推算：B、S，上海为主动方；上海集合竞价为 N；数据源没有时为空。",
    }),
    column("trade_code", "tradeCode", CODE, {
      en: "Shenzhen: 0 for a fill, C for a cancel. Shanghai: empty.",
      zh: "深圳：0 成交，C 撤单；上海为空。",
    }),
    column("buy_order_id", "buyOrderId", JUMPING, {
      formerEncoding: "PLAIN",
      en: "叫买序号: exchange_order_id of the buyer's order. A Shenzhen cancel has 0 here or in sell_order_id.",
      zh: "叫买序号，对应买方委托的 exchange_order_id；深圳撤单的两个序号中有一个为 0。",
    }),
    column("sell_order_id", "sellOrderId", JUMPING, {
      formerEncoding: "PLAIN",
      en: "叫卖序号: exchange_order_id of the seller's order.",
      zh: "叫卖序号，对应卖方委托的 exchange_order_id。",
    }),
    column("order_kind", "orderKind", CODE, {
      onRequest: true,
      en: "委托代码: the source's order code, usually empty.",
      zh: "委托代码，与数据源一致，多为空。",
    }),
  ],
} as const satisfies Dataset;
