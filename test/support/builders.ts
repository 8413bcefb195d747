/**
 * Builds days of orders: a test sets the relevant fields of a record, and the others get default values. Also computes
 * the expected rows of an answer independently of the code under test.
 */
import {
  type CodeColumn,
  type Dataset,
  type Rows,
  type RowsOf,
  storedColumns,
} from "../../src/datasets/dataset.ts";
import { DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import type { trades } from "../../src/datasets/trades.ts";
import type { Market, OrderColumns } from "../../src/orders/record.ts";
import type { Random } from "./random.ts";

/** One source record. `time` is HHMMSSmmm; `priceE4` is the price in yuan × 10,000. */
export interface TestOrder {
  time: string;
  orderId: number;
  exchangeOrderId: number;
  orderType: string;
  orderCode: string;
  priceE4: number;
  volume: number;
}

export interface TestSecurity {
  symbol: string;
  market: Market;
  /** The records in the order of answers: by time, then as in the source. */
  orders: TestOrder[];
}

/** The ten standard fields of one record in order (contract 4.1). */
export type Row = (string | number)[];

export interface TestDay {
  tradedate: string;
  /** The securities, sorted by symbol and then by market. */
  securities: TestSecurity[];
  /** Returns the rows that a whole answer for one security must contain. */
  rowsOf(symbol: string, market?: Market): Row[];
}

/** Returns the record of an answer's row with the ten standard fields. */
export function orderOf(row: Row): TestOrder {
  const [, , time, orderId, exchangeOrderId, orderType, orderCode, price, volume] = row;
  return {
    time: String(time),
    orderId: Number(orderId),
    exchangeOrderId: Number(exchangeOrderId),
    orderType: String(orderType),
    orderCode: String(orderCode),
    priceE4: Math.round(Number(price) * 10_000),
    volume: Number(volume),
  };
}

/** Returns a record at `time`; by default a Shanghai buy order of 300 shares at 12.34 yuan. */
export function order(time: string, said: Partial<Omit<TestOrder, "time">> = {}): TestOrder {
  return {
    time,
    orderId: 0,
    exchangeOrderId: 1,
    orderType: "A",
    orderCode: "B",
    priceE4: 123_400,
    volume: 300,
    ...said,
  };
}

/** Returns a security with these records, sorted stably by time. */
export function security(symbol: string, orders: TestOrder[], market = marketOf(symbol)): TestSecurity {
  return { symbol, market, orders: orders.toSorted((a, b) => Number(a.time) - Number(b.time)) };
}

/** Returns a security with `rows` records in one millisecond, with ascending exchange ids. */
export function burst(said: { symbol: string; time: string; rows: number }): TestSecurity {
  const orders = Array.from({ length: said.rows }, (_, row) =>
    order(said.time, { exchangeOrderId: row + 1 }),
  );
  return security(said.symbol, orders);
}

/** Returns a trading day with these securities. */
export function day(said: { tradedate: string; securities: TestSecurity[] }): TestDay {
  const securities = said.securities.toSorted((a, b) =>
    `${a.symbol}${a.market}` < `${b.symbol}${b.market}` ? -1 : 1,
  );
  return {
    tradedate: said.tradedate,
    securities,
    rowsOf(symbol, market = marketOf(symbol)) {
      const found = securities.find((each) => each.symbol === symbol && each.market === market);
      if (found === undefined) throw new Error(`the day holds no ${symbol}.${market}`);
      return found.orders.map((each) => expectedRow(found.symbol, said.tradedate, each));
    },
  };
}

/** Returns a trading day with a single record of 600519. */
export function oneOrder(tradedate: string, said: Parameters<typeof order>[1] = {}): TestDay {
  return day({ tradedate, securities: [security("600519", [order("093000000", said)])] });
}

/** Returns the default exchange of a test's symbol; a rule for test data only. */
export function marketOf(symbol: string): Market {
  return /^[569]/.test(symbol) ? "SH" : "SZ";
}

/**
 * Returns a record as the JSON answer must contain it: price and amount as the doubles nearest to the exact decimals.
 */
export function expectedRow(symbol: string, tradedate: string, from: TestOrder): Row {
  return [
    symbol,
    tradedate,
    from.time,
    from.orderId,
    from.exchangeOrderId,
    from.orderType,
    from.orderCode,
    exactTenThousandths(BigInt(from.priceE4)),
    from.volume,
    exactTenThousandths(BigInt(from.priceE4) * BigInt(from.volume)),
  ];
}

/** Returns the double nearest to `units` / 10000 by parsing the exact decimal. */
export function exactTenThousandths(units: bigint): number {
  const digits = units.toString().padStart(5, "0");
  return Number(`${digits.slice(0, -4)}.${digits.slice(-4)}`);
}

/** Returns the records as the columns that packs are written from. */
export function columnsOf(orders: readonly TestOrder[]): OrderColumns {
  return {
    rows: orders.length,
    time: Int32Array.from(orders, (each) => Number(each.time)),
    orderId: Float64Array.from(orders, (each) => each.orderId),
    exchangeOrderId: Float64Array.from(orders, (each) => each.exchangeOrderId),
    orderType: codeColumn(orders.map((each) => each.orderType)),
    orderCode: codeColumn(orders.map((each) => each.orderCode)),
    priceE4: Float64Array.from(orders, (each) => each.priceE4),
    volume: Float64Array.from(orders, (each) => each.volume),
  };
}

function codeColumn(texts: string[]): CodeColumn {
  const values = [...new Set(texts)];
  const places = new Map(values.map((text, place) => [text, place]));
  return { values, index: Uint16Array.from(texts, (text) => places.get(text) ?? 0) };
}

/**
 * Returns trades derived from `orders`, with their time, price, volume, flag and numbers, so that tests of both
 * datasets share their rows.
 */
export function tradeColumnsOf(orders: OrderColumns): RowsOf<typeof trades> {
  const { rows, time, orderId, exchangeOrderId, orderCode, priceE4, volume } = orders;
  const none = () => ({ values: [""], index: new Uint16Array(rows) });
  return {
    ...{ rows, time, priceE4, volume },
    tradeId: exchangeOrderId,
    bsFlag: orderCode,
    tradeCode: none(),
    buyOrderId: orderId,
    sellOrderId: exchangeOrderId,
    orderKind: none(),
  };
}

/**
 * Returns `orders` as rows of `dataset`. For datasets other than orders and trades, each column is a copy of a column
 * of `orders`.
 */
export function columnsIn(dataset: DatasetName, orders: OrderColumns): Rows {
  if (dataset === "orders") return orders;
  if (dataset === "trades") return tradeColumnsOf(orders);
  const { rows, time, exchangeOrderId, orderCode, priceE4, volume } = orders;
  const cells = storedColumns(DATASETS[dataset]).map(({ key, kind }) => {
    if (kind === "code") return [key, orderCode];
    if (kind === "price") return [key, priceE4];
    return [key, key === "volume" ? volume : exchangeOrderId];
  });
  return { rows, time, ...Object.fromEntries(cells) };
}

/** Returns `milliseconds` after midnight as HHMMSSmmm. */
export function clockTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, 23).replaceAll(/[:.]/g, "");
}

/** Returns `time` (HHMMSSmmm) as milliseconds since midnight. */
export function clockMilliseconds(time: string): number {
  const parts = [time.slice(0, 2), time.slice(2, 4), time.slice(4, 6), time.slice(6)].map(Number);
  const [hours = 0, minutes = 0, seconds = 0, rest = 0] = parts;
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest;
}

/**
 * Returns a security of `rows` records that resemble real ones: steps of 10 ms, several records in one
 * millisecond, repeated and zero ids, cancels, and phase flags with zeros. The product of price and volume ranges from
 * small to beyond 2^53. On average the time advances once in `crowd` records (default 1.2).
 */
export function randomSecurity(
  random: Random,
  { symbol, rows, crowd = 1.2 }: { symbol: string; rows: number; crowd?: number },
): TestSecurity {
  const market = marketOf(symbol);
  let at = 9 * 3_600_000 + 15 * 60_000;
  const orders = Array.from({ length: rows }, (_, row) => {
    if (random.chance(1 / crowd)) at += 10 * random.integer(0, 20);
    return randomOrder(random, clockTime(at), market, row + 1);
  });
  return { symbol, market, orders };
}

function randomOrder(random: Random, time: string, market: Market, exchangeOrderId: number): TestOrder {
  if (market === "SH" && random.chance(0.01)) {
    return order(time, { exchangeOrderId: 0, orderType: "S", orderCode: "OCALL", priceE4: 0, volume: 0 });
  }
  return order(time, {
    orderId: random.pick([0, exchangeOrderId, random.integer(1, 50), Number.MAX_SAFE_INTEGER]),
    exchangeOrderId: random.chance(0.9) ? exchangeOrderId : random.integer(0, exchangeOrderId),
    orderType: random.pick(market === "SH" ? ["A", "A", "D"] : ["0", "0", "1", "U"]),
    orderCode: random.pick(["B", "S", ""]),
    priceE4: random.chance(0.98) ? 100 * random.integer(1, 20_000) : random.integer(1, 2 ** 31),
    volume: random.chance(0.98) ? 100 * random.integer(1, 100) : random.integer(1, 2 ** 31),
  });
}

/**
 * Returns `rows` rows of any dataset: dense milliseconds, repeated and zero numbers, few codes, prices from small to
 * large.
 */
export function randomRows(random: Random, dataset: Dataset, said: { rows: number; crowd?: number }): Rows {
  const { rows, crowd = 1.2 } = said;
  let at = 9 * 3_600_000 + 15 * 60_000;
  const time = Int32Array.from({ length: rows }, () => {
    if (random.chance(1 / crowd)) at += 10 * random.integer(0, 20);
    return Number(clockTime(at));
  });
  const cells = storedColumns(dataset).map(({ key, kind }) => {
    if (kind === "code") {
      return [key, codeColumn(Array.from({ length: rows }, () => random.pick(["", "B", "C"])))];
    }
    if (kind === "yuan") return [key, Float64Array.from({ length: rows }, () => randomYuan(random))];
    const most = kind === "price" ? 2_000_000 : 2 ** 40;
    const number = (_: unknown, row: number) =>
      random.pick([0, row, random.integer(1, 99), random.integer(1, most)]);
    return [key, Float64Array.from({ length: rows }, number)];
  });
  return { rows, time, ...Object.fromEntries(cells) };
}

/**
 * Returns an amount in yuan with 0, 2, 3 or 7 decimals. Its whole part is from 0 to 10^10 or, as for a large index, from
 * 10^11 to 10^13.
 */
function randomYuan(random: Random): number {
  const decimals = random.pick([0, 0, 2, 2, 2, 3, 7]);
  const whole = random.pick([0, random.integer(1, 99), random.integer(1, 1e10), random.integer(1e11, 1e13)]);
  const fraction = String(random.integer(0, 10 ** decimals - 1)).padStart(decimals, "0");
  return Number(decimals === 0 ? `${whole}` : `${whole}.${fraction}`);
}
