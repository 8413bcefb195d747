/**
 * Makes a synthetic day in the layouts that operators receive, as tables of cells that a test can change before they
 * are written.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RowsOf } from "../../src/datasets/dataset.ts";
import type { quotes } from "../../src/datasets/quotes.ts";
import type { OrderColumns, Security } from "../../src/orders/record.ts";
import type { TradeColumns } from "../../src/quality/security-rows.ts";

export interface DayOfSecurity extends Security {
  orders: OrderColumns;
  trades: TradeColumns;
  quotes: RowsOf<typeof quotes>;
}

/** The names of a table's columns by role; absent where the layout has no such column. */
export interface Columns {
  security: string;
  time: string;
  price: string;
  volume: string;
  type?: string;
  side?: string;
  flag?: string;
  tradeCode?: string;
  date?: string;
}

export interface Table {
  dataset: "orders" | "trades" | "quotes" | "both";
  path: string;
  header: string[];
  rows: string[][];
  /** Columns of order rows and of trade rows. */
  columns: Columns;
  /** Returns the text of a cell that holds a security's code. */
  codeOf(security: Security): string;
  /** Returns whether a row is a trade (`isTrade`) or a cancel (`isCancel`); other rows are new orders. */
  isTrade(row: string[]): boolean;
  isCancel(row: string[]): boolean;
  lineEnd: string;
}

export const LAYOUTS = ["vendor", "insight", "datayes", "merged", "plain"] as const;
export type LayoutName = (typeof LAYOUTS)[number];

/** Layouts that hold rows of Shanghai only. */
export const SHANGHAI_ONLY: readonly LayoutName[] = ["insight", "merged"];

/** Returns the tables of a day in one layout. */
export function tablesOf(layout: LayoutName, tradedate: string, day: readonly DayOfSecurity[]): Table[] {
  const shanghai = day.filter(({ market }) => market === "SH");
  const shenzhen = day.filter(({ market }) => market === "SZ");
  switch (layout) {
    case "vendor":
      return day.flatMap((each) => [vendorOrders(tradedate, each), vendorTrades(tradedate, each)]);
    case "insight":
      return [insightOrders(tradedate, shanghai), insightTrades(tradedate, shanghai)];
    case "datayes":
      return [...datayesShanghai(shanghai), ...datayesShenzhen(shenzhen)];
    case "merged":
      return [merged(shanghai)];
    case "plain":
      return [plainOrders(tradedate, day), plainTrades(tradedate, day)];
  }
}

/** Writes the tables below `folder`. */
export function writeTables(folder: string, tables: readonly Table[]): void {
  for (const { path, header, rows, lineEnd } of tables) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    const lines = [header, ...rows].map((cells) => cells.join(",") + lineEnd);
    writeFileSync(join(folder, path), lines.join(""));
  }
}

/** Returns the header, and the column of each role, from a list such as `Price:price,Qty:volume,SeqNo`. */
function headed(list: string): Pick<Table, "header" | "columns"> {
  const named = list.split(",").map((each) => each.split(":"));
  const roles = named.flatMap(([name = "", ...of]) => of.map((role) => [role, name] as const));
  // Every list names the roles of `Columns`.
  const columns = Object.fromEntries(roles) as unknown as Columns;
  return { header: named.map(([name = ""]) => name), columns };
}

const text = ({ values, index }: { values: string[]; index: Uint16Array }, row: number) =>
  values[index[row] ?? 0] ?? "";
const rowsOf = (count: number) => Array.from({ length: count }, (_, row) => row);
const nineDigits = (time: number) => String(time).padStart(9, "0");
const clock = (time: number) => nineDigits(time).replace(/(..)(..)(..)(...)/, "$1:$2:$3.$4");
const yuan = (priceE4: number) => (priceE4 / 10_000).toFixed(3);
const never = () => false;

/** Returns the position of each order and trade row in the stream that numbers both. */
function sequenceOf(day: readonly DayOfSecurity[]) {
  const events = day.flatMap(({ symbol, orders, trades }) => [
    ...rowsOf(orders.rows).map((row) => {
      const rank = text(orders.orderType, row) === "D" ? 2 : 0;
      return { key: `${symbol} order ${row}`, time: orders.time[row] ?? 0, rank, row };
    }),
    ...rowsOf(trades.rows).map((row) => {
      return { key: `${symbol} trade ${row}`, time: trades.time[row] ?? 0, rank: 1, row };
    }),
  ]);
  events.sort((a, b) => a.time - b.time || a.rank - b.rank || a.row - b.row);
  const places = new Map(events.map(({ key }, place) => [key, place + 1]));
  return {
    order: (symbol: string, row: number) => places.get(`${symbol} order ${row}`) ?? 0,
    trade: (symbol: string, row: number) => places.get(`${symbol} trade ${row}`) ?? 0,
  };
}

function vendorOrders(tradedate: string, { symbol, market, orders }: DayOfSecurity): Table {
  const code = `${symbol}.${market}`;
  return {
    dataset: "orders",
    path: `${tradedate}/${code}/逐笔委托.csv`,
    ...headed(
      "万得代码:security,交易所代码,自然日:date,时间:time,委托编号,交易所委托号,委托类型:type,委托代码:side,委托价格:price," +
        "委托数量:volume",
    ),
    codeOf: (security) => `${security.symbol}.${security.market}`,
    isTrade: never,
    isCancel: (row) => row[6] === "D",
    lineEnd: ",\r\n",
    rows: rowsOf(orders.rows).map((row) => [
      code,
      symbol,
      tradedate,
      String(orders.time[row]),
      String(orders.orderId[row]),
      String(orders.exchangeOrderId[row]),
      text(orders.orderType, row),
      text(orders.orderCode, row),
      String(orders.priceE4[row]),
      String(orders.volume[row]),
    ]),
  };
}

function vendorTrades(tradedate: string, { symbol, market, trades }: DayOfSecurity): Table {
  const code = `${symbol}.${market}`;
  return {
    dataset: "trades",
    path: `${tradedate}/${code}/逐笔成交.csv`,
    ...headed(
      "万得代码:security,交易所代码,自然日:date,时间:time,成交编号,成交代码:tradeCode,委托代码,BS标志:flag,成交价格:price," +
        "成交数量:volume,叫卖序号,叫买序号",
    ),
    codeOf: (security) => `${security.symbol}.${security.market}`,
    isTrade: () => true,
    isCancel: (row) => row[5] === "C",
    lineEnd: ",\r\n",
    rows: rowsOf(trades.rows).map((row) => [
      code,
      symbol,
      tradedate,
      String(trades.time[row]),
      String(trades.tradeId[row]),
      text(trades.tradeCode, row),
      "",
      text(trades.bsFlag, row),
      String(trades.priceE4[row]),
      String(trades.volume[row]),
      String(trades.sellOrderId[row]),
      String(trades.buyOrderId[row]),
    ]),
  };
}

const INSIGHT_DATE = (tradedate: string) => tradedate.replace(/(....)(..)(..)/, "$1.$2.$3");

function insightOrders(tradedate: string, day: readonly DayOfSecurity[]): Table {
  const sequence = sequenceOf(day);
  const types: Record<string, string> = { A: "2", D: "10", S: "11" };
  const sides: Record<string, string> = { B: "1", S: "2" };
  return {
    dataset: "orders",
    path: "SHorders.csv",
    ...headed(
      "MDDate:date,MDTime:time,SecurityType,SecuritySubType,SecurityIDSource,Symbol," +
        "ReceiveDateTime,OrderIndex,OrderType:type,OrderPrice:price,OrderQty:volume," +
        "OrderBSFlag:side,ChannelNo,ApplSeqNum,OrderNO,SecurityID:security",
    ),
    codeOf: ({ symbol, market }) => `${symbol}.${market}`,
    isTrade: never,
    isCancel: (row) => row[8] === "10",
    lineEnd: "\n",
    rows: day.flatMap(({ symbol, market, orders }) =>
      rowsOf(orders.rows)
        .filter((row) => text(orders.orderType, row) !== "S")
        .map((row) => [
          INSIGHT_DATE(tradedate),
          clock(orders.time[row] ?? 0),
          "2",
          "02001",
          "101",
          "name",
          "0",
          String(row + 1),
          types[text(orders.orderType, row)] ?? "",
          yuan(orders.priceE4[row] ?? 0),
          String(orders.volume[row]),
          sides[text(orders.orderCode, row)] ?? "",
          "1",
          String(sequence.order(symbol, row)),
          String(orders.exchangeOrderId[row]),
          `${symbol}.${market}`,
        ]),
    ),
  };
}

function insightTrades(tradedate: string, day: readonly DayOfSecurity[]): Table {
  const sequence = sequenceOf(day);
  const flags: Record<string, string> = { B: "1", S: "2", N: "0" };
  return {
    dataset: "trades",
    path: "SHtrades.csv",
    ...headed(
      "MDDate:date,MDTime:time,SecurityType,SecuritySubType,SecurityIDSource,Symbol," +
        "TradingPhaseCode,TradeIndex,TradeBuyNo,TradeSellNo,TradeType,TradeBSFlag:flag," +
        "TradePrice:price,TradeQty:volume,TradeMoney,ReceiveDateTime,NumTrades,ChannelNo," +
        "ApplSeqNum,SecurityID:security",
    ),
    codeOf: ({ symbol, market }) => `${symbol}.${market}`,
    isTrade: () => true,
    isCancel: never,
    lineEnd: "\n",
    rows: day.flatMap(({ symbol, market, trades }) =>
      rowsOf(trades.rows).map((row) => [
        INSIGHT_DATE(tradedate),
        clock(trades.time[row] ?? 0),
        "2",
        "02001",
        "101",
        "name",
        "",
        String(trades.tradeId[row]),
        String(trades.buyOrderId[row]),
        String(trades.sellOrderId[row]),
        "0",
        flags[text(trades.bsFlag, row)] ?? "",
        yuan(trades.priceE4[row] ?? 0),
        String(trades.volume[row]),
        "0",
        "0",
        "0",
        "1",
        String(sequence.trade(symbol, row)),
        `${symbol}.${market}`,
      ]),
    ),
  };
}

function datayesShanghai(day: readonly DayOfSecurity[]): Table[] {
  const sequence = sequenceOf(day);
  const bare = { codeOf: ({ symbol }: Security) => symbol, lineEnd: "\n" };
  const orders: Table = {
    ...bare,
    dataset: "orders",
    path: "mdl_4_19_0.csv",
    ...headed(
      "DataStatus,OrderIndex,OrderChannel,SecurityID:security,OrderTime:time,OrderType:type," +
        "OrderNO,OrderPrice:price,Balance:volume,OrderBSFlag:side,BizIndex,LocalTime,SeqNo",
    ),
    isTrade: never,
    isCancel: (row) => row[5] === "D",
    rows: day.flatMap(({ symbol, orders }) =>
      rowsOf(orders.rows).map((row) => [
        "0",
        String(row + 1),
        "1",
        symbol,
        clock(orders.time[row] ?? 0),
        text(orders.orderType, row),
        String(orders.exchangeOrderId[row]),
        yuan(orders.priceE4[row] ?? 0),
        String(orders.volume[row]),
        text(orders.orderCode, row),
        String(sequence.order(symbol, row)),
        clock(orders.time[row] ?? 0),
        String(row + 1),
      ]),
    ),
  };
  const trades: Table = {
    ...bare,
    dataset: "trades",
    path: "Transaction.csv",
    ...headed(
      "DataStatus,TradeIndex,TradeChan,SecurityID:security,TradTime:time,TradPrice:price," +
        "TradVolume:volume,TradeMoney,TradeBuyNo,TradeSellNo,TradeBSFlag:flag,BizIndex,LocalTime," +
        "SeqNo",
    ),
    isTrade: () => true,
    isCancel: never,
    rows: day.flatMap(({ symbol, trades }) =>
      rowsOf(trades.rows).map((row) => [
        "0",
        String(trades.tradeId[row]),
        "1",
        symbol,
        clock(trades.time[row] ?? 0),
        yuan(trades.priceE4[row] ?? 0),
        String(trades.volume[row]),
        "0",
        String(trades.buyOrderId[row]),
        String(trades.sellOrderId[row]),
        text(trades.bsFlag, row),
        String(sequence.trade(symbol, row)),
        clock(trades.time[row] ?? 0),
        String(row + 1),
      ]),
    ),
  };
  return [orders, trades];
}

function datayesShenzhen(day: readonly DayOfSecurity[]): Table[] {
  if (day.length === 0) return [];
  const bare = { codeOf: ({ symbol }: Security) => symbol, lineEnd: "\n" };
  const types: Record<string, string> = { "0": "50", "1": "49", U: "85" };
  const orders: Table = {
    ...bare,
    dataset: "orders",
    path: "mdl_6_33_0.csv",
    ...headed(
      "ChannelNo,ApplSeqNum,MDStreamID,SecurityID:security,SecurityIDSource,Price:price," +
        "OrderQty:volume,Side:side,TransactTime:time,OrdType:type,LocalTime,SeqNo",
    ),
    isTrade: never,
    isCancel: never,
    rows: day.flatMap(({ symbol, orders }) =>
      rowsOf(orders.rows).map((row) => [
        "2011",
        String(orders.exchangeOrderId[row]),
        "011",
        symbol,
        "102 ",
        yuan(orders.priceE4[row] ?? 0),
        String(orders.volume[row]),
        text(orders.orderCode, row) === "B" ? "49" : "50",
        clock(orders.time[row] ?? 0),
        types[text(orders.orderType, row)] ?? "",
        clock(orders.time[row] ?? 0),
        String(row + 1),
      ]),
    ),
  };
  const trades: Table = {
    ...bare,
    dataset: "trades",
    path: "mdl_6_36_0.csv",
    ...headed(
      "ChannelNo,ApplSeqNum,MDStreamID,BidApplSeqNum,OfferApplSeqNum,SecurityID:security," +
        "SecurityIDSource,LastPx:price,LastQty:volume,ExecType:tradeCode,TransactTime:time," +
        "LocalTime,SeqNo",
    ),
    isTrade: () => true,
    isCancel: (row) => row[9] === "52",
    rows: day.flatMap(({ symbol, trades }) =>
      rowsOf(trades.rows).map((row) => [
        "2011",
        String(trades.tradeId[row]),
        "011",
        String(trades.buyOrderId[row]),
        String(trades.sellOrderId[row]),
        symbol,
        "102 ",
        yuan(trades.priceE4[row] ?? 0),
        String(trades.volume[row]),
        text(trades.tradeCode, row) === "C" ? "52" : "70",
        clock(trades.time[row] ?? 0),
        clock(trades.time[row] ?? 0),
        String(row + 1),
      ]),
    ),
  };
  return [orders, trades];
}

/** Returns orders and trades in one table, sorted by their number in the common stream. */
function merged(day: readonly DayOfSecurity[]): Table {
  const sequence = sequenceOf(day);
  const rows = day.flatMap(({ symbol, orders, trades }) => [
    ...rowsOf(orders.rows).map((row) => {
      const isBuy = text(orders.orderCode, row) === "B";
      const number = String(orders.exchangeOrderId[row]);
      return [
        String(sequence.order(symbol, row)),
        "1",
        symbol,
        clock(orders.time[row] ?? 0),
        text(orders.orderType, row),
        isBuy ? number : "0",
        isBuy ? "0" : number,
        yuan(orders.priceE4[row] ?? 0),
        String(orders.volume[row]),
        "0",
        text(orders.orderCode, row),
        clock(orders.time[row] ?? 0),
        "1",
      ];
    }),
    ...rowsOf(trades.rows).map((row) => [
      String(sequence.trade(symbol, row)),
      "1",
      symbol,
      clock(trades.time[row] ?? 0),
      "T",
      String(trades.buyOrderId[row]),
      String(trades.sellOrderId[row]),
      yuan(trades.priceE4[row] ?? 0),
      String(trades.volume[row]),
      "0",
      text(trades.bsFlag, row),
      clock(trades.time[row] ?? 0),
      "1",
    ]),
  ]);
  rows.sort((a, b) => Number(a[0]) - Number(b[0]));
  return {
    dataset: "both",
    path: "mdl_4_24_0.csv",
    ...headed(
      "BizIndex,Channel,SecurityID:security,TickTime:time,Type:type,BuyOrderNO,SellOrderNO," +
        "Price:price,Qty:volume,TradeMoney,TickBSFlag:side:flag,LocalTime,SeqNo",
    ),
    codeOf: ({ symbol }) => symbol,
    isTrade: (row) => row[4] === "T",
    isCancel: (row) => row[4] === "D",
    lineEnd: "\n",
    rows,
  };
}

function plainOrders(tradedate: string, day: readonly DayOfSecurity[]): Table {
  return {
    dataset: "orders",
    path: "orders.csv",
    ...headed(
      "symbol:security,market,tradedate:date,time:time,order_id,exchange_order_id," +
        "order_type:type,order_code:side,price:price,volume:volume",
    ),
    codeOf: ({ symbol }) => symbol,
    isTrade: never,
    isCancel: (row) => row[6] === "D",
    lineEnd: "\n",
    rows: day.flatMap(({ symbol, market, orders }) =>
      rowsOf(orders.rows).map((row) => [
        symbol,
        market,
        tradedate,
        nineDigits(orders.time[row] ?? 0),
        String(orders.orderId[row]),
        String(orders.exchangeOrderId[row]),
        text(orders.orderType, row),
        text(orders.orderCode, row),
        yuan(orders.priceE4[row] ?? 0),
        String(orders.volume[row]),
      ]),
    ),
  };
}

function plainTrades(tradedate: string, day: readonly DayOfSecurity[]): Table {
  return {
    dataset: "trades",
    path: "trades.csv",
    ...headed(
      "symbol:security,market,tradedate:date,time:time,trade_id,price:price,volume:volume," +
        "bs_flag:flag,trade_code:tradeCode,buy_order_id,sell_order_id",
    ),
    codeOf: ({ symbol }) => symbol,
    isTrade: () => true,
    isCancel: (row) => row[8] === "C",
    lineEnd: "\n",
    rows: day.flatMap(({ symbol, market, trades }) =>
      rowsOf(trades.rows).map((row) => [
        symbol,
        market,
        tradedate,
        nineDigits(trades.time[row] ?? 0),
        String(trades.tradeId[row]),
        yuan(trades.priceE4[row] ?? 0),
        String(trades.volume[row]),
        text(trades.bsFlag, row),
        text(trades.tradeCode, row),
        String(trades.buyOrderId[row]),
        String(trades.sellOrderId[row]),
      ]),
    ),
  };
}
