/**
 * Builders of order days: a test says what matters of a record and the rest is filled in. They also give
 * the rows an answer must hold, computed here and not by the code under test.
 */
import { type Dataset, type Rows, storedColumns } from "../../src/datasets/dataset.ts";
import type { CodeColumn, Market, OrderColumns } from "../../src/orders/record.ts";
import type { Random } from "./random.ts";

/** One source record. `time` is HHMMSSmmm, `priceE4` yuan × 10000. */
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
  /** In the order the service must give them: by time, then as the source has them. */
  orders: TestOrder[];
}

/** The ten standard fields of one record, in their order (contract 4.1). */
export type Row = (string | number)[];

export interface TestDay {
  tradedate: string;
  /** By symbol, then market. */
  securities: TestSecurity[];
  /** The rows of one security as a whole answer must hold them. */
  rowsOf(symbol: string, market?: Market): Row[];
}

/** A record at `time`; what is not said is an ordinary Shanghai buy of 300 at 12.34. */
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

/** A security with these records, sorted by time without disturbing the order inside one millisecond. */
export function security(symbol: string, orders: TestOrder[], market = marketOf(symbol)): TestSecurity {
  return { symbol, market, orders: orders.toSorted((a, b) => Number(a.time) - Number(b.time)) };
}

/** A security whose `rows` records all stand at one millisecond, told apart by ascending exchange ids. */
export function burst(said: { symbol: string; time: string; rows: number; market?: Market }): TestSecurity {
  const orders = Array.from({ length: said.rows }, (_, row) =>
    order(said.time, { exchangeOrderId: row + 1 }),
  );
  return security(said.symbol, orders, said.market);
}

/** A trading day of these securities. */
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

/** Where a test's symbol trades when the test does not say: the builders' own rule, good for test data only. */
export function marketOf(symbol: string): Market {
  return /^[569]/.test(symbol) ? "SH" : "SZ";
}

/** A record as the JSON answer must show it: price and amount as the doubles nearest to the exact decimals. */
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

/** The double nearest to `units` / 10000, by writing the exact decimal and reading it back. */
export function exactTenThousandths(units: bigint): number {
  const digits = units.toString().padStart(5, "0");
  return Number(`${digits.slice(0, -4)}.${digits.slice(-4)}`);
}

/** The records in the columnar shape that packs are written from. */
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

/** `milliseconds` after midnight as HHMMSSmmm. */
export function clockTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, 23).replaceAll(/[:.]/g, "");
}

/** Milliseconds after midnight of HHMMSSmmm. */
export function clockMilliseconds(time: string): number {
  const parts = [time.slice(0, 2), time.slice(2, 4), time.slice(4, 6), time.slice(6)].map(Number);
  const [hours = 0, minutes = 0, seconds = 0, rest = 0] = parts;
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest;
}

/**
 * A security of `rows` records shaped like real ones: steps of 10 ms, crowded stamps, repeated and zero
 * ids, cancels, phase flags with zeros, prices and volumes from small to beyond 2^53 in their product.
 */
export function randomSecurity(
  random: Random,
  said: { symbol: string; rows: number; crowd?: number; market?: Market },
): TestSecurity {
  const market = said.market ?? marketOf(said.symbol);
  const crowd = said.crowd ?? 1.2;
  let at = 9 * 3_600_000 + 15 * 60_000;
  const orders = Array.from({ length: said.rows }, (_, row) => {
    if (random.chance(1 / crowd)) at += 10 * random.integer(0, 20);
    return randomOrder(random, clockTime(at), market, row + 1);
  });
  return { symbol: said.symbol, market, orders };
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

/** `rows` rows of any dataset: crowded stamps, repeated and zero numbers, few codes, prices from small to large. */
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
    const most = kind === "price" ? 2_000_000 : 2 ** 31;
    const number = (_: unknown, row: number) =>
      random.pick([0, row, random.integer(1, 99), random.integer(1, most)]);
    return [key, Float64Array.from({ length: rows }, number)];
  });
  return { rows, time, ...Object.fromEntries(cells) };
}

/** Rows that hardly compress, 20 a millisecond from 09:30 on: what fills buffers and parts. */
export function noise(random: Random, rows: number): OrderColumns {
  const integers = (low: number, high: number) =>
    Float64Array.from({ length: rows }, () => random.integer(low, high));
  const codes = () => ({ values: ["0", "1"], index: Uint16Array.from(integers(0, 1)) });
  return {
    rows,
    time: Int32Array.from({ length: rows }, (_, n) => Number(clockTime(34_200_000 + Math.floor(n / 20)))),
    orderId: integers(0, 2 ** 40),
    exchangeOrderId: integers(0, 2 ** 40),
    orderType: codes(),
    orderCode: codes(),
    priceE4: integers(1, 4_000_000),
    volume: integers(1, 1_000_000),
  };
}
