/** Writes deliveries as a vendor delivers them, and returns the rows that the service must serve. */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName } from "../../src/datasets/registry.ts";
import type { OrderColumns } from "../../src/orders/record.ts";
import { sampleDatasets } from "../../src/pack-builder/sample/day.ts";
import { writeVendorFile } from "../../src/pack-builder/sample/vendor-csv.ts";
import { expectedRow, type Row } from "./builders.ts";

export interface Delivered {
  /** The folder of the day. */
  folder: string;
  /**
   * The day's number of rows for each dataset. Trades count even when the delivery lacks them. Quotes count only when
   * the delivery contains them.
   */
  counts: Record<DatasetName, number>;
  rowsOf(symbol: string): Row[];
}

/**
 * Writes a sample day of `rows` orders into `<drop>/<tradedate>/`, replacing an existing folder. `datasets` can also
 * name the trades and quotes that match the orders.
 */
export function deliver(
  drop: string,
  tradedate: string,
  rows: number,
  { seed = "delivery", datasets = ["orders"] }: { seed?: string; datasets?: readonly DatasetName[] } = {},
): Delivered {
  const folder = join(drop, tradedate);
  const day = tradedate as BeijingDate;
  rmSync(folder, { recursive: true, force: true });
  const kept = new Map<string, OrderColumns>();
  const counts = { orders: 0, trades: 0, quotes: 0 };
  const hasQuotes = datasets.includes("quotes");
  for (const section of sampleDatasets({ tradedate: day, rows, seed }, { hasQuotes })) {
    for (const dataset of datasets) writeVendorFile(drop, section, day, section[dataset], dataset);
    kept.set(section.symbol, section.orders);
    for (const dataset of DATASET_NAMES) counts[dataset] += section[dataset].rows;
  }
  return {
    folder,
    counts,
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

/** Copies a file to the drop folder. Returns its path there. */
export function drop(folder: string, path: string, from: string): string {
  const target = join(folder, path);
  mkdirSync(join(target, ".."), { recursive: true });
  copyFileSync(from, target);
  return target;
}
