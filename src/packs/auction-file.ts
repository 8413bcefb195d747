/**
 * Checks whether a file can be the auction pack of a day. The vendor defines the columns (contract 8.7), so a file is
 * refused only for a contradiction: columns of orders, or a date column with a different day.
 */
import type { FileMetaData } from "hyparquet";
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import type { ReadRange } from "./locate.ts";
import { zstdProblem } from "./parquet-footer.ts";

/** Names of date columns, in lower case and without underscores. */
const DATE_COLUMNS = [
  "tradedate",
  "tradingday",
  "tradingdate",
  "tradeday",
  "trddate",
  "date",
  "日期",
  "交易日期",
  "交易日",
];

/** Columns of orders that an auction pack does not have. */
const ORDER_COLUMNS = ["exchange_order_id", "order_type", "order_code"];

/**
 * Returns the problem of a file as a clause, or null. A file without a problem is Parquet with rows and with ZSTD on
 * every column (contract 8.7). Its footer names no column of orders and no day other than `tradedate`. `readRange`
 * reads the file, which has `sizeBytes` bytes.
 */
export function auctionProblem(
  sizeBytes: number,
  readRange: ReadRange,
  tradedate: BeijingDate,
): Promise<string | null> {
  return zstdProblem(sizeBytes, readRange, (metadata) => contentProblem(metadata, tradedate));
}

function contentProblem({ schema, row_groups: groups }: FileMetaData, tradedate: BeijingDate): string | null {
  const order = schema.find(({ name }) => ORDER_COLUMNS.includes(name));
  if (order !== undefined) return `it has the column ${order.name}, so it contains orders, not the auction`;
  for (const { columns } of groups) {
    for (const { meta_data: chunk } of columns) {
      const name = chunk?.path_in_schema.join(".") ?? "";
      if (!DATE_COLUMNS.includes(name.toLowerCase().replaceAll("_", ""))) continue;
      const { min_value, max_value, min = min_value, max = max_value } = chunk?.statistics ?? {};
      for (const value of [min, max]) {
        const days = daysOf(value);
        if (days.length === 0 || days.includes(tradedate)) continue;
        return `its column ${name} has ${days[0]}, not ${tradedate}`;
      }
    }
  }
  return null;
}

/**
 * Returns the days that a statistic of a date column can mean. The value can be a text such as `20260312` or
 * `2026-03-12`, with or without a time, a number such as 20260312, or an instant. An instant can mean a day in Beijing
 * or in UTC, so it can give two days. Any other value gives no day.
 */
function daysOf(value: unknown): string[] {
  if (value instanceof Date) return [...new Set([beijingDate(value.getTime()), utcDay(value)])];
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value);
  const [, year, month, day] = /^(\d{4})[-/]?(\d{2})[-/]?(\d{2})(?!\d)/.exec(text) ?? [];
  return year === undefined ? [] : [`${year}${month}${day}`];
}

function utcDay(instant: Date): string {
  return instant.toISOString().slice(0, 10).replaceAll("-", "");
}
