import type { Layout } from "./layout.ts";

/** The layout most operators receive: a folder per security, one file of orders in it, mostly GBK. */
export const vendor: Layout = {
  name: "vendor",
  recognised: { byName: /^逐笔委托\.csv$/, byFirstColumns: ["万得代码"] },
  delimiter: ",",
  trailingComma: true,
  security: { column: "万得代码" },
  exchangeCode: "交易所代码",
  date: "自然日",
  time: "时间",
  orderId: "委托编号",
  exchangeOrderId: "交易所委托号",
  orderType: { column: "委托类型" },
  orderCode: { column: "委托代码" },
  price: { column: "委托价格", unit: "tenThousandths" },
  volume: "委托数量",
};
