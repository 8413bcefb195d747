/**
 * Order files of `usualMakers` read a second time, with nothing of the builder's own parsing: as text, split into lines
 * and cells. What it takes and refuses is what the builder documents, written independently.
 */
import type { DatasetName } from "../../src/datasets/registry.ts";
import { HEADERS, type MadeFile } from "./random-deliveries.ts";

/** A row as the pack must hold it, the names and forms of its columns included. */
export type NaiveRow = Record<string, string | number>;

export interface NaiveReading {
  /** Whether the file cannot be read at all, because of its header. */
  isRefused: boolean;
  /** Lines with content behind the header. */
  read: number;
  /** In the order of the pack. */
  rows: NaiveRow[];
  /** Numbers of the lines that are no row, the first line being 1. */
  broken: number[];
  /** Rows left out because the file holds them before. */
  repeated: number;
}

/** A source that keeps cells in fixed width has none wider than this. */
const WIDEST_CELL = 32;

/** Reads the rows of `dataset` that `file` holds of its security on the day `tradedate`. */
export function naiveReading(
  { bytes, layout, security }: MadeFile,
  tradedate: string,
  dataset: DatasetName = "orders",
): NaiveReading {
  const reading: NaiveReading = { isRefused: false, read: 0, rows: [], broken: [], repeated: 0 };
  // One character per byte.
  const text = bytes.toString("latin1");
  if (text === "") return reading;
  const lineEnd = text.includes("\n") || !text.includes("\r") ? "\n" : "\r";
  const [header = "", ...lines] = text.split(lineEnd);
  const isVendor = layout === "vendor";
  const named = HEADERS[dataset][isVendor ? "vendor" : "plain"].replace(/,$/, "");
  const columns = named.split(",").length;
  const wanted = Buffer.from(named).toString("latin1");
  if (header.replace(/,?\r?$/, "") !== wanted) return { ...reading, isRefused: true };
  for (const [number, line] of lines.entries()) {
    const isLast = number === lines.length - 1;
    if (line === "") continue;
    reading.read += 1;
    const cells = cellsOf(line.replace(/\r$/, ""), { columns, isVendor, isEnded: !isLast });
    const row = cells === null ? null : rowOf(cells, { dataset, isVendor, security, tradedate });
    if (row === null) reading.broken.push(number + 2);
    else reading.rows.push(row);
  }
  leaveOutRepeats(reading);
  reading.rows = inTimeOrder(reading.rows);
  return reading;
}

/** Returns `rows` by time; those of one millisecond stay as they are. */
export function inTimeOrder(rows: readonly NaiveRow[]): NaiveRow[] {
  return rows.toSorted((a, b) => (String(a.time) < String(b.time) ? -1 : Number(a.time !== b.time)));
}

/** The cells of a line without their NUL padding; `null` for a line that is cut or damaged. */
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
  // A comma that is overwritten moves the empty cell behind the trailing comma into the place of the last value.
  const isMoved = isVendor && !isClosed && line.includes("\0") && bare.at(-1) === "";
  const isDamaged = isMoved || bare.some((cell) => cell.includes("\0"));
  const isHole = cells.some((cell) => cell.split("\0").length > WIDEST_CELL + 1);
  return isDamaged || isHole ? null : bare;
}

/** What the cells behind security and time are, in the order of the file. */
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
} as const satisfies Record<DatasetName, unknown>;

/** The row in the cells of a line, or `null` when one of them is not understood. */
function rowOf(
  cells: readonly string[],
  said: { dataset: DatasetName; isVendor: boolean; security: string; tradedate: string },
): NaiveRow | null {
  const { dataset, isVendor, security, tradedate } = said;
  const [code = "", ...others] = cells;
  const bareCode = isVendor ? (others.shift() ?? "") : "";
  const [date, clock = "", ...values] = others;
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

function numbered(cell: Record<string, string>, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, Number(cell[name])]));
}

/** `600519.SH` of a code that may lack zeros, and its exchange where the row's codes name it. */
function codeOf(code: string, exchange: string): string {
  const [digits = "", suffix = exchange] = code.split(".");
  return /^\d+$/.test(digits) ? `${digits.padStart(6, "0")}.${suffix}` : "";
}

/** A time without its leading zero or its milliseconds in full, as nine digits; `null` for no time of day. */
function timeOf(clock: string): string | null {
  if (!/^(\d{5,6}|\d{8,9})$/.test(clock)) return null;
  const time = clock.length < 8 ? `${clock.padStart(6, "0")}000` : clock.padStart(9, "0");
  return /^([01]\d|2[0-3])[0-5]\d[0-5]\d/.test(time) ? time : null;
}

/** Takes out what is a repeated part of the file: more than one equal row. One alone is no proof. */
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
