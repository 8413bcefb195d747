/**
 * An independent reader of the files that `usualMakers` writes. It splits text into lines and cells without the
 * builder's parser, and follows the builder's documented rules on which lines are rows.
 */
import { isUtf8 } from "node:buffer";
import type { DatasetName } from "../../src/datasets/registry.ts";
import { HEADERS, type MadeFile, QUOTE_COLUMNS } from "./random-deliveries.ts";

/** A row as the pack must contain it: its values by column name. */
export type NaiveRow = Record<string, string | number>;

export interface NaiveReading {
  /** Whether the file is unreadable because of its header. */
  isRefused: boolean;
  /** The number of lines with content after the header. */
  read: number;
  /** The rows in pack order. */
  rows: NaiveRow[];
  /** Numbers of invalid lines; the first line is 1. */
  broken: number[];
  /** The number of rows left out because they repeat earlier rows of the file. */
  repeated: number;
}

/** The width of the widest cell, in bytes, in sources whose cells have a fixed width. */
const WIDEST_CELL = 32;

/** Reads the rows of `dataset` for the security of `file` on the day `tradedate`. */
export function naiveReading(
  { bytes, layout, security }: MadeFile,
  tradedate: string,
  dataset: DatasetName = "orders",
): NaiveReading {
  const reading: NaiveReading = { isRefused: false, read: 0, rows: [], broken: [], repeated: 0 };
  // Latin-1 has one character per byte.
  const text = bytes.toString("latin1");
  if (text === "") return reading;
  // A NUL after the CR has overwritten an LF, so the header line is damaged.
  const lineEnd = !text.includes("\n") && /\r(?!\0)/.test(text) ? "\r" : "\n";
  const [header = "", ...lines] = text.split(lineEnd);
  const isVendor = layout === "vendor";
  const named = HEADERS[dataset][isVendor ? "vendor" : "plain"].replace(/,$/, "");
  const columns = named.split(",").length;
  const wanted = Buffer.from(named).toString("latin1");
  if (header.replace(/,?\r?$/, "") !== wanted) {
    return { ...reading, isRefused: !endsInOptionalColumns(bytes, named) };
  }
  for (const [number, line] of lines.entries()) {
    const isLast = number === lines.length - 1;
    if (line === "") continue;
    reading.read += 1;
    const cells = cellsOf(line.replace(/\r$/, ""), { columns, isVendor, isEnded: !isLast });
    const row = cells === null ? null : rowOf(cells, { dataset, isVendor, security, tradedate });
    if (row === null) reading.broken.push(number + 2);
    else reading.rows.push(row);
  }
  // Equal quotes are not repeats, so all are kept.
  if (dataset !== "quotes") leaveOutRepeats(reading);
  reading.rows = inTimeOrder(reading.rows);
  return reading;
}

/**
 * Returns whether a file ends inside its header, after the names of all required columns. Only the last columns of
 * quotes are optional.
 */
function endsInOptionalColumns(bytes: Buffer, header: string): boolean {
  const required = /^.*(申买量10|ask_vol10)/.exec(header)?.[0] ?? header;
  const isPrefix = Buffer.from(header).subarray(0, bytes.length).equals(bytes);
  return isPrefix && isUtf8(bytes) && bytes.length >= Buffer.byteLength(required);
}

/** Returns `rows` sorted stably by time. */
export function inTimeOrder(rows: readonly NaiveRow[]): NaiveRow[] {
  return rows.toSorted((a, b) => (String(a.time) < String(b.time) ? -1 : Number(a.time !== b.time)));
}

/** Returns the cells of a line, each without its NUL padding; `null` for a truncated or damaged line. */
function cellsOf(
  line: string,
  { columns, isVendor, isEnded }: { columns: number; isVendor: boolean; isEnded: boolean },
): string[] | null {
  const cells = line.split(",");
  const isClosed = cells.length === columns + 1 && cells.at(-1) === "";
  if (isClosed) cells.pop();
  else if (!isEnded) return null;
  if (cells.length !== columns) return null;
  const bare = cells.map((cell) => cell.replace(/^\0+|\0+$/g, ""));
  // When NULs have overwritten a comma, the empty cell after the trailing comma is read as the last value.
  const isMoved = isVendor && !isClosed && line.includes("\0") && bare.at(-1) === "";
  const isDamaged = isMoved || bare.some((cell) => cell.includes("\0"));
  // When NULs have overwritten the first digits, the rest can be the code of another security.
  const isCut = cells[0]?.includes("\0") && !/^\d{6}/.test(bare[0] ?? "");
  const isHole = cells.some((cell) => cell.split("\0").length > WIDEST_CELL + 1);
  return isDamaged || isCut || isHole ? null : bare;
}

/** The columns after security and time, in the order of the file. */
const NAMES = {
  orders: {
    vendor: ["order_id", "exchange_order_id", "order_type", "order_code", "price", "volume"],
    plain: ["order_id", "exchange_order_id", "order_type", "order_code", "price", "volume"],
  },
  trades: {
    vendor: [
      "trade_id",
      "trade_code",
      "order_kind",
      "bs_flag",
      "price",
      "volume",
      "sell_order_id",
      "buy_order_id",
    ],
    plain: ["trade_id", "price", "volume", "bs_flag", "trade_code", "buy_order_id", "sell_order_id"],
  },
} as const satisfies Partial<Record<DatasetName, unknown>>;

const levels = (name: string) => Array.from({ length: 10 }, (_, at) => `${name}${at + 1}`);

/** The columns of the vendor's quotes after the time; `null` for columns that are not read. */
const QUOTES_OF_VENDOR: readonly (string | null)[] = [
  ...["close", null, null, "num_trades", "iopv", null, null, "volume", "amount"],
  ...["high", "low", "open", "pre_close"],
  ...levels("ask"),
  ...levels("ask_vol"),
  ...levels("bid"),
  ...levels("bid_vol"),
  ...["avg_ask_price", "avg_bid_price", "total_ask_vol", "total_bid_vol"],
  ...[null, null, null, null, null],
];

/** Returns the row in the cells of a line, or `null` when one of them is invalid. */
function rowOf(
  cells: readonly string[],
  said: { dataset: DatasetName; isVendor: boolean; security: string; tradedate: string },
): NaiveRow | null {
  const { dataset, isVendor, security, tradedate } = said;
  const [code = "", ...others] = cells;
  const bareCode = isVendor ? (others.shift() ?? "") : "";
  const [date, clock = "", ...values] = others;
  if (dataset === "quotes") return quoteOf({ code, bareCode, date, clock, values }, said);
  const cell: Record<string, string> = {};
  NAMES[dataset][isVendor ? "vendor" : "plain"].forEach((name, place) => {
    cell[name] = values[place] ?? "";
  });
  const { price = "", volume = "", order_type = "", trade_code = "" } = cell;
  const time = timeOf(clock);
  const isShanghai = dataset === "orders" ? order_type === "A" : trade_code === "";
  const isSecurity = codeOf(code, isShanghai ? "SH" : "SZ") === security;
  const isSame = bareCode === "" || bareCode.padStart(6, "0") === security.slice(0, 6);
  const isPrice = isVendor ? /^\d*$/.test(price) : /^(\d+\.?\d*|\.\d+)?$/.test(price);
  if (!isSecurity || !isSame || date !== tradedate || time === null || !isPrice) return null;
  const numbers = [...Object.keys(cell).filter((name) => name.endsWith("_id")), "volume"];
  if (!numbers.every((name) => /^\d*$/.test(cell[name] ?? ""))) return null;
  const priceE4 = isVendor ? Number(price) : Math.round(Number(price) * 10_000);
  const money = { price: priceE4 / 10_000, amount: (priceE4 * Number(volume)) / 10_000 };
  const start = { symbol: security.slice(0, 6), tradedate, time };
  const kind = dataset === "trades" ? { order_kind: "" } : {};
  return { ...start, ...kind, ...cell, ...numbered(cell, numbers), ...money };
}

/** Returns the snapshot in the cells of a line, or `null` when a cell that is read is invalid. */
function quoteOf(
  line: { code: string; bareCode: string; date: string | undefined; clock: string; values: string[] },
  { isVendor, security, tradedate }: { isVendor: boolean; security: string; tradedate: string },
): NaiveRow | null {
  const time = timeOf(line.clock);
  const exchange = line.code.startsWith("6") ? "SH" : "SZ";
  const isSame = line.bareCode === "" || line.bareCode.padStart(6, "0") === security.slice(0, 6);
  if (codeOf(line.code, exchange) !== security || !isSame || line.date !== tradedate || time === null)
    return null;
  const row: NaiveRow = { symbol: security.slice(0, 6), tradedate, time };
  for (const name of QUOTE_COLUMNS) {
    const text = line.values[(isVendor ? QUOTES_OF_VENDOR : QUOTE_COLUMNS).indexOf(name)] ?? "";
    const isCount = /vol|num_trades/.test(name);
    const hasDecimals = name === "amount" || (!isVendor && !isCount);
    if (!(hasDecimals ? /^(\d+\.?\d*|\.\d+)?$/ : /^\d*$/).test(text)) return null;
    const isScaled = isVendor && !isCount && name !== "amount";
    row[name] = isScaled ? Number(text) / 10_000 : Number(text);
  }
  return row;
}

function numbered(cell: Record<string, string>, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, Number(cell[name])]));
}

/**
 * Returns a code in the form `600519.SH`, or an empty string if it is invalid. `code` may lack leading zeros and the
 * exchange.
 */
function codeOf(code: string, exchange: string): string {
  const [digits = "", suffix = exchange] = code.split(".");
  return /^\d+$/.test(digits) ? `${digits.padStart(6, "0")}.${suffix}` : "";
}

/**
 * Returns the nine digits of a time that may lack its leading zero or its milliseconds; `null` for an invalid time of
 * day.
 */
function timeOf(clock: string): string | null {
  if (!/^(\d{5,6}|\d{8,9})$/.test(clock)) return null;
  const time = clock.length < 8 ? `${clock.padStart(6, "0")}000` : clock.padStart(9, "0");
  return /^([01]\d|2[0-3])[0-5]\d[0-5]\d/.test(time) ? time : null;
}

/** Removes the rows that repeat earlier rows, if at least two rows do. A single equal row does not prove a repeat. */
function leaveOutRepeats(reading: NaiveReading): void {
  const first = new Set<string>();
  const once = reading.rows.filter((row) => {
    const text = JSON.stringify(row);
    return !first.has(text) && first.add(text);
  });
  const repeated = reading.rows.length - once.length;
  if (repeated < 2) return;
  reading.rows = once;
  reading.repeated = repeated;
}
