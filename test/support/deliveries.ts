/** Writes deliveries as a vendor delivers them, and the rows that must be served. */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import type { OrderColumns } from "../../src/orders/record.ts";
import { sampleDatasets } from "../../src/pack-builder/sample/trades.ts";
import { writeVendorFile } from "../../src/pack-builder/sample/vendor-csv.ts";
import { expectedRow, type Row } from "./builders.ts";

export interface Delivered {
  /** The folder of the day. */
  folder: string;
  /** Orders of both exchanges. */
  orders: number;
  /** Trades that fit the orders, delivered or not. */
  trades: number;
  rowsOf(symbol: string): Row[];
}

/**
 * Writes a sample day of `rows` orders as `<drop>/<tradedate>/`, replacing an existing one; with `trades` also the
 * matching trades.
 */
export function deliver(
  drop: string,
  tradedate: string,
  rows: number,
  {
    seed = "delivery",
    trades = false,
    quotes = false,
  }: { seed?: string; trades?: boolean; quotes?: boolean } = {},
): Delivered {
  const folder = join(drop, tradedate);
  const day = tradedate as BeijingDate;
  rmSync(folder, { recursive: true, force: true });
  const kept = new Map<string, OrderColumns>();
  const counts = { orders: 0, trades: 0 };
  for (const section of sampleDatasets({ tradedate: day, rows, seed })) {
    writeVendorFile(drop, section, day, section.orders);
    if (trades) writeVendorFile(drop, section, day, section.trades, "trades");
    if (quotes) writeVendorFile(drop, section, day, section.quotes, "quotes");
    kept.set(section.symbol, section.orders);
    counts.orders += section.orders.rows;
    counts.trades += section.trades.rows;
  }
  return {
    folder,
    ...counts,
    rowsOf(symbol) {
      const columns = kept.get(symbol);
      if (columns === undefined) throw new Error(`the delivery holds no ${symbol}`);
      return Array.from({ length: columns.rows }, (_, row) => rowOf(symbol, tradedate, columns, row));
    },
  };
}

function rowOf(symbol: string, tradedate: string, columns: OrderColumns, row: number): Row {
  const code = ({ values, index }: OrderColumns["orderType"]) => values[index[row] ?? 0] ?? "";
  return expectedRow(symbol, tradedate, {
    time: String(columns.time[row]).padStart(9, "0"),
    orderId: columns.orderId[row] ?? 0,
    exchangeOrderId: columns.exchangeOrderId[row] ?? 0,
    orderType: code(columns.orderType),
    orderCode: code(columns.orderCode),
    priceE4: columns.priceE4[row] ?? 0,
    volume: columns.volume[row] ?? 0,
  });
}

/** Copies a file to where deliveries arrive. Returns its path there. */
export function drop(folder: string, path: string, from: string): string {
  const target = join(folder, path);
  mkdirSync(join(target, ".."), { recursive: true });
  copyFileSync(from, target);
  return target;
}
