/** Creates small days row by row. Prices are in yuan. */
import type { OrderColumns } from "../../../src/orders/record.ts";
import type { TradeColumns } from "../../../src/quality/security-rows.ts";

/** The cells of an order: time, number, type, side, price, volume. */
export type OrderRow = readonly [number, number, string, string, number, number];

export interface TradeRow {
  time: number;
  price: number;
  volume: number;
  buy: number;
  sell: number;
  flag?: string;
  code?: string;
  id?: number;
}

const codesOf = (texts: readonly string[]) => {
  const values = [...new Set(texts)];
  return { values, index: Uint16Array.from(texts, (text) => values.indexOf(text)) };
};

/** Returns `rows`, which must be sorted by time, as columns. */
export function ordersOf(rows: readonly OrderRow[]): OrderColumns {
  return {
    rows: rows.length,
    time: Int32Array.from(rows, ([time]) => time),
    orderId: new Float64Array(rows.length),
    exchangeOrderId: Float64Array.from(rows, ([, number]) => number),
    orderType: codesOf(rows.map(([, , type]) => type)),
    orderCode: codesOf(rows.map(([, , , side]) => side)),
    priceE4: Float64Array.from(rows, ([, , , , price]) => Math.round(price * 10_000)),
    volume: Float64Array.from(rows, ([, , , , , volume]) => volume),
  };
}

/** Returns `rows` as columns, in the given order. A trade without `id` gets its position, counted from 1. */
export function tradesOf(rows: readonly TradeRow[]): TradeColumns {
  return {
    rows: rows.length,
    time: Int32Array.from(rows, ({ time }) => time),
    tradeId: Float64Array.from(rows, ({ id }, row) => id ?? row + 1),
    priceE4: Float64Array.from(rows, ({ price }) => Math.round(price * 10_000)),
    volume: Float64Array.from(rows, ({ volume }) => volume),
    bsFlag: codesOf(rows.map(({ flag }) => flag ?? "")),
    tradeCode: codesOf(rows.map(({ code }) => code ?? "")),
    buyOrderId: Float64Array.from(rows, ({ buy }) => buy),
    sellOrderId: Float64Array.from(rows, ({ sell }) => sell),
    orderKind: codesOf(rows.map(() => "")),
  };
}
