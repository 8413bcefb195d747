/** Tick-by-tick orders, 逐笔委托: new orders; in Shanghai also cancels and trading phases. */
import { AMOUNT, CODE, column, INTEGER, JUMPING, LEADING, PRICE, VOLUME } from "./columns.ts";
import type { Dataset } from "./dataset.ts";

export const orders = {
  name: "orders",
  apiname: "level2_order_history",
  estimate: "order_history_estimate",
  prefix: "orders",
  fileSuffix: "",
  row: "order",
  rows: "orders",
  rowName: { en: "order", zh: "委托" },
  cancel: { column: "order_type", code: "D" },
  columns: [
    ...LEADING,
    column("order_id", "orderId", INTEGER, {
      en: "委托编号: the source's order id; 0 if absent.",
      zh: "委托编号，与数据源一致；数据源没有时为 0。",
    }),
    column("exchange_order_id", "exchangeOrderId", JUMPING, {
      legacyName: "order_no",
      en: "The exchange's order number: buy_order_id and sell_order_id of trades refer to it.",
      zh: "交易所委托号，逐笔成交的 buy_order_id、sell_order_id 与之对应。",
    }),
    column("order_type", "orderType", CODE, {
      en: "Shanghai: A new order, D cancel, S phase. Shenzhen: 0 limit, 1 market, U best own side.",
      zh: "上海：A 新增，D 撤单，S 阶段；深圳：0 限价，1 市价，U 本方最优。",
    }),
    column("order_code", "orderCode", CODE, {
      legacyName: "side",
      en: "B buy, S sell; other codes as in the source.",
      zh: "B 买，S 卖；其他代码与数据源一致。",
    }),
    column("price", "priceE4", PRICE, { en: "The order's price.", zh: "委托价格。" }),
    column("volume", "volume", VOLUME, { en: "The order's quantity.", zh: "委托数量。" }),
    { ...AMOUNT, description: { en: "Price × volume, rounded once.", zh: "价格 × 数量，只舍入一次。" } },
  ],
} as const satisfies Dataset;
