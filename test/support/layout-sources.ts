/**
 * Makes a synthetic day in the layouts that operators receive, as tables of cells that a test can change before they
 * are written.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { numbersOf, type RowsOf, storedColumns } from "../../src/datasets/dataset.ts";
import { quotes } from "../../src/datasets/quotes.ts";
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

/**
 * Returns the header, and the column of each role, from a list such as `Price:price,Qty:volume,SeqNo`. Adds what holds
 * for most tables: lines end in LF, a security's code is its symbol, each row of `trades` is a trade and none a cancel.
 */
function headed(dataset: Table["dataset"], list: string): Omit<Table, "path" | "rows"> {
  const named = list.split(",").map((each) => each.split(":"));
  const roles = named.flatMap(([name = "", ...of]) => of.map((role) => [role, name] as const));
  return {
    dataset,
    header: named.map(([name = ""]) => name),
    // Every caller's list contains all roles of `Columns`.
    columns: Object.fromEntries(roles) as unknown as Columns,
    codeOf: ({ symbol }) => symbol,
    isTrade: () => dataset === "trades",
    isCancel: () => false,
    lineEnd: "\n",
  };
}

const text = ({ values, index }: { values: string[]; index: Uint16Array }, row: number) =>
  values[index[row] ?? 0] ?? "";
const rowsOf = (count: number) => Array.from({ length: count }, (_, row) => row);
const nineDigits = (time: number) => String(time).padStart(9, "0");
const clockOf = (time: number) => nineDigits(time).replace(/(..)(..)(..)(...)/, "$1:$2:$3.$4");
const yuan = (priceE4: number) => (priceE4 / 10_000).toFixed(3);
const strings = (...cells: (string | number | undefined)[]) => cells.map(String);
const codeOf = ({ symbol, market }: Security) => `${symbol}.${market}`;

/** Returns the position of each order row and each trade row in the stream that numbers both. */
function placesOf(day: readonly DayOfSecurity[]): Map<string, number> {
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
  return new Map(events.map(({ key }, place) => [key, place + 1]));
}

/** Returns the cells that the layouts write for every order and trade; `n` counts a security's rows from 1. */
function cellsOf({ symbol, market }: Security, rows: OrderColumns | TradeColumns, row: number) {
  const [time = 0, priceE4 = 0] = [rows.time[row], rows.priceE4[row]];
  return {
    ...{ symbol, market, code: codeOf({ symbol, market }), n: row + 1, volume: rows.volume[row] },
    ...{ time, nine: nineDigits(time), clock: clockOf(time), priceE4, price: yuan(priceE4) },
  };
}

function ordersOf(day: readonly DayOfSecurity[]) {
  const places = placesOf(day);
  return day.flatMap((each) =>
    rowsOf(each.orders.rows).map((row) => ({
      ...cellsOf(each, each.orders, row),
      ...{ orderId: each.orders.orderId[row], id: each.orders.exchangeOrderId[row] },
      ...{ type: text(each.orders.orderType, row), side: text(each.orders.orderCode, row) },
      place: places.get(`${each.symbol} order ${row}`),
    })),
  );
}

function tradesOf(day: readonly DayOfSecurity[]) {
  const places = placesOf(day);
  return day.flatMap((each) =>
    rowsOf(each.trades.rows).map((row) => ({
      ...cellsOf(each, each.trades, row),
      ...{
        id: each.trades.tradeId[row],
        buy: each.trades.buyOrderId[row],
        sell: each.trades.sellOrderId[row],
      },
      ...{ tradeCode: text(each.trades.tradeCode, row), flag: text(each.trades.bsFlag, row) },
      place: places.get(`${each.symbol} trade ${row}`),
    })),
  );
}

function vendorOrders(tradedate: string, each: DayOfSecurity): Table {
  return {
    path: `${tradedate}/${codeOf(each)}/逐笔委托.csv`,
    ...headed(
      "orders",
      "万得代码:security,交易所代码,自然日:date,时间:time,委托编号,交易所委托号,委托类型:type,委托代码:side,委托价格:price," +
        "委托数量:volume",
    ),
    codeOf,
    isCancel: (row) => row[6] === "D",
    lineEnd: ",\r\n",
    rows: ordersOf([each]).map(({ code, symbol, time, orderId, id, type, side, priceE4, volume }) =>
      strings(code, symbol, tradedate, time, orderId, id, type, side, priceE4, volume),
    ),
  };
}

function vendorTrades(tradedate: string, each: DayOfSecurity): Table {
  return {
    path: `${tradedate}/${codeOf(each)}/逐笔成交.csv`,
    ...headed(
      "trades",
      "万得代码:security,交易所代码,自然日:date,时间:time,成交编号,成交代码:tradeCode,委托代码,BS标志:flag,成交价格:price," +
        "成交数量:volume,叫卖序号,叫买序号",
    ),
    codeOf,
    isCancel: (row) => row[5] === "C",
    lineEnd: ",\r\n",
    rows: tradesOf([each]).map(({ code, symbol, time, id, tradeCode, flag, priceE4, volume, sell, buy }) =>
      strings(code, symbol, tradedate, time, id, tradeCode, "", flag, priceE4, volume, sell, buy),
    ),
  };
}

const INSIGHT_DATE = (tradedate: string) => tradedate.replace(/(....)(..)(..)/, "$1.$2.$3");
/** The cells between the time and the numbers of a row: types, source and name. */
const INSIGHT_KIND = ["2", "02001", "101", "name"];

function insightOrders(tradedate: string, day: readonly DayOfSecurity[]): Table {
  const date = INSIGHT_DATE(tradedate);
  const types: Record<string, string> = { A: "2", D: "10", S: "11" };
  const sides: Record<string, string> = { B: "1", S: "2" };
  return {
    path: "SHorders.csv",
    ...headed(
      "orders",
      "MDDate:date,MDTime:time,SecurityType,SecuritySubType,SecurityIDSource,Symbol," +
        "ReceiveDateTime,OrderIndex,OrderType:type,OrderPrice:price,OrderQty:volume," +
        "OrderBSFlag:side,ChannelNo,ApplSeqNum,OrderNO,SecurityID:security",
    ),
    codeOf,
    isCancel: (row) => row[8] === "10",
    rows: ordersOf(day)
      .filter(({ type }) => type !== "S")
      .map(({ clock, n, price, volume, place, id, code, type, side }) => {
        const [kind, buyOrSell = ""] = [types[type], sides[side]];
        const order = [0, n, kind, price, volume, buyOrSell, 1, place, id, code];
        return strings(date, clock, ...INSIGHT_KIND, ...order);
      }),
  };
}

function insightTrades(tradedate: string, day: readonly DayOfSecurity[]): Table {
  const date = INSIGHT_DATE(tradedate);
  const flags: Record<string, string> = { B: "1", S: "2", N: "0" };
  return {
    path: "SHtrades.csv",
    ...headed(
      "trades",
      "MDDate:date,MDTime:time,SecurityType,SecuritySubType,SecurityIDSource,Symbol," +
        "TradingPhaseCode,TradeIndex,TradeBuyNo,TradeSellNo,TradeType,TradeBSFlag:flag," +
        "TradePrice:price,TradeQty:volume,TradeMoney,ReceiveDateTime,NumTrades,ChannelNo," +
        "ApplSeqNum,SecurityID:security",
    ),
    codeOf,
    rows: tradesOf(day).map(({ clock, id, buy, sell, price, volume, place, code, flag }) => {
      const trade = ["", id, buy, sell, 0, flags[flag] ?? "", price, volume, 0, 0, 0, 1, place, code];
      return strings(date, clock, ...INSIGHT_KIND, ...trade);
    }),
  };
}

function datayesShanghai(day: readonly DayOfSecurity[]): Table[] {
  const orders: Table = {
    path: "mdl_4_19_0.csv",
    ...headed(
      "orders",
      "DataStatus,OrderIndex,OrderChannel,SecurityID:security,OrderTime:time,OrderType:type," +
        "OrderNO,OrderPrice:price,Balance:volume,OrderBSFlag:side,BizIndex,LocalTime,SeqNo",
    ),
    isCancel: (row) => row[5] === "D",
    rows: ordersOf(day).map(({ n, symbol, clock, type, id, price, volume, side, place }) =>
      strings(0, n, 1, symbol, clock, type, id, price, volume, side, place, clock, n),
    ),
  };
  const trades: Table = {
    path: "Transaction.csv",
    ...headed(
      "trades",
      "DataStatus,TradeIndex,TradeChan,SecurityID:security,TradTime:time,TradPrice:price," +
        "TradVolume:volume,TradeMoney,TradeBuyNo,TradeSellNo,TradeBSFlag:flag,BizIndex,LocalTime," +
        "SeqNo",
    ),
    rows: tradesOf(day).map(({ id, symbol, clock, price, volume, buy, sell, flag, place, n }) =>
      strings(0, id, 1, symbol, clock, price, volume, 0, buy, sell, flag, place, clock, n),
    ),
  };
  return [orders, trades];
}

function datayesShenzhen(day: readonly DayOfSecurity[]): Table[] {
  if (day.length === 0) return [];
  const types: Record<string, string> = { "0": "50", "1": "49", U: "85" };
  const orders: Table = {
    path: "mdl_6_33_0.csv",
    ...headed(
      "orders",
      "ChannelNo,ApplSeqNum,MDStreamID,SecurityID:security,SecurityIDSource,Price:price," +
        "OrderQty:volume,Side:side,TransactTime:time,OrdType:type,LocalTime,SeqNo",
    ),
    rows: ordersOf(day).map(({ id, symbol, price, volume, side, clock, type, n }) => {
      const buyOrSell = side === "B" ? 49 : 50;
      return strings(
        2011,
        id,
        "011",
        symbol,
        "102 ",
        price,
        volume,
        buyOrSell,
        clock,
        types[type] ?? "",
        clock,
        n,
      );
    }),
  };
  const trades: Table = {
    path: "mdl_6_36_0.csv",
    ...headed(
      "trades",
      "ChannelNo,ApplSeqNum,MDStreamID,BidApplSeqNum,OfferApplSeqNum,SecurityID:security," +
        "SecurityIDSource,LastPx:price,LastQty:volume,ExecType:tradeCode,TransactTime:time," +
        "LocalTime,SeqNo",
    ),
    isCancel: (row) => row[9] === "52",
    rows: tradesOf(day).map(({ id, buy, sell, symbol, price, volume, tradeCode, clock, n }) => {
      const kind = tradeCode === "C" ? 52 : 70;
      return strings(2011, id, "011", buy, sell, symbol, "102 ", price, volume, kind, clock, clock, n);
    }),
  };
  return [orders, trades];
}

/** Returns orders and trades in one table, sorted by their number in the common stream. */
function merged(day: readonly DayOfSecurity[]): Table {
  const rows = [
    ...ordersOf(day).map(({ place, symbol, clock, type, id, price, volume, side }) => {
      const [buy, sell] = side === "B" ? [id, 0] : [0, id];
      return strings(place, 1, symbol, clock, type, buy, sell, price, volume, 0, side, clock, 1);
    }),
    ...tradesOf(day).map(({ place, symbol, clock, buy, sell, price, volume, flag }) =>
      strings(place, 1, symbol, clock, "T", buy, sell, price, volume, 0, flag, clock, 1),
    ),
  ];
  return {
    path: "mdl_4_24_0.csv",
    ...headed(
      "both",
      "BizIndex,Channel,SecurityID:security,TickTime:time,Type:type,BuyOrderNO,SellOrderNO," +
        "Price:price,Qty:volume,TradeMoney,TickBSFlag:side:flag,LocalTime,SeqNo",
    ),
    isTrade: (row) => row[4] === "T",
    isCancel: (row) => row[4] === "D",
    rows: rows.sort((a, b) => Number(a[0]) - Number(b[0])),
  };
}

function plainOrders(tradedate: string, day: readonly DayOfSecurity[]): Table {
  return {
    path: "orders.csv",
    ...headed(
      "orders",
      "symbol:security,market,tradedate:date,time:time,order_id,exchange_order_id," +
        "order_type:type,order_code:side,price:price,volume:volume",
    ),
    isCancel: (row) => row[6] === "D",
    rows: ordersOf(day).map(({ symbol, market, nine, orderId, id, type, side, price, volume }) =>
      strings(symbol, market, tradedate, nine, orderId, id, type, side, price, volume),
    ),
  };
}

function plainTrades(tradedate: string, day: readonly DayOfSecurity[]): Table {
  return {
    path: "trades.csv",
    ...headed(
      "trades",
      "symbol:security,market,tradedate:date,time:time,trade_id,price:price,volume:volume," +
        "bs_flag:flag,trade_code:tradeCode,buy_order_id,sell_order_id",
    ),
    isCancel: (row) => row[8] === "C",
    rows: tradesOf(day).map(({ symbol, market, nine, id, price, volume, flag, tradeCode, buy, sell }) =>
      strings(symbol, market, tradedate, nine, id, price, volume, flag, tradeCode, buy, sell),
    ),
  };
}

/**
 * Returns the quotes of all securities in the plain layout. They can be delivered with orders and trades of any layout.
 */
export function plainQuotes(tradedate: string, day: readonly DayOfSecurity[]): Table {
  const columns = storedColumns(quotes);
  return {
    path: "quotes.csv",
    ...headed("quotes", ""),
    header: ["symbol", "market", "tradedate", "time", ...columns.map(({ name }) => name)],
    columns: { security: "symbol", date: "tradedate", time: "time", price: "close", volume: "volume" },
    rows: day.flatMap(({ symbol, market, quotes: rows }) =>
      [...rows.time].map((time, row) => {
        const cells = columns.map((column) => {
          const number = numbersOf(rows, column)[row] ?? 0;
          return column.kind === "price" ? (number / 10_000).toFixed(4) : String(number);
        });
        return [symbol, market, tradedate, nineDigits(time), ...cells];
      }),
    ),
  };
}
