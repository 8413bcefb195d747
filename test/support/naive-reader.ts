/**
 * Order files of `usualMakers` read a second time, with nothing of the builder's own parsing: as text, split into lines
 * and cells. What it takes and refuses is what the builder documents, written down anew.
 */
import { type MadeFile, PLAIN_HEADER, VENDOR_HEADER } from "./random-deliveries.ts";

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

/** Reads the orders that `file` holds of its security on the day `tradedate`. */
export function naiveReading({ bytes, layout, security }: MadeFile, tradedate: string): NaiveReading {
  const reading: NaiveReading = { isRefused: false, read: 0, rows: [], broken: [], repeated: 0 };
  // One character per byte.
  const text = bytes.toString("latin1");
  if (text === "") return reading;
  const lineEnd = text.includes("\n") || !text.includes("\r") ? "\n" : "\r";
  const [header = "", ...lines] = text.split(lineEnd);
  const wanted = Buffer.from(layout === "vendor" ? VENDOR_HEADER : PLAIN_HEADER).toString("latin1");
  if (header.replace(/,?\r?$/, "") !== wanted.replace(/,$/, "")) return { ...reading, isRefused: true };
  for (const [number, line] of lines.entries()) {
    const isLast = number === lines.length - 1;
    if (line === "") continue;
    reading.read += 1;
    const cells = cellsOf(line.replace(/\r$/, ""), { isVendor: layout === "vendor", isEnded: !isLast });
    const row = cells === null ? null : rowOf(cells, { layout, security, tradedate });
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

/** The nine or ten cells of a line without their NUL padding; `null` for a line that is cut or damaged. */
function cellsOf(
  line: string,
  { isVendor, isEnded }: { isVendor: boolean; isEnded: boolean },
): string[] | null {
  const columns = isVendor ? 10 : 9;
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

/** The row in the cells of a line, or `null` when one of them is not understood. */
function rowOf(
  cells: readonly string[],
  { layout, security, tradedate }: { layout: string; security: string; tradedate: string },
): NaiveRow | null {
  const isVendor = layout === "vendor";
  const [code = "", ...others] = cells;
  const bareCode = isVendor ? (others.shift() ?? "") : "";
  const [date, clock = "", orderId = "", number = "", type = "", side = "", price = "", volume = ""] = others;
  const time = timeOf(clock);
  const isSecurity = codeOf(code, type) === security;
  const isSame = bareCode === "" || bareCode.padStart(6, "0") === security.slice(0, 6);
  const isPrice = isVendor ? /^\d*$/.test(price) : /^(\d+\.?\d*|\.\d+)?$/.test(price);
  if (!isSecurity || !isSame || date !== tradedate || time === null || !isPrice) return null;
  if (![orderId, number, volume].every((cell) => /^\d*$/.test(cell))) return null;
  const priceE4 = isVendor ? Number(price) : Math.round(Number(price) * 10_000);
  return {
    symbol: security.slice(0, 6),
    tradedate,
    time,
    order_id: Number(orderId),
    exchange_order_id: Number(number),
    order_type: type,
    order_code: side,
    price: priceE4 / 10_000,
    volume: Number(volume),
    amount: (priceE4 * Number(volume)) / 10_000,
  };
}

/** `600519.SH` of a code that may lack zeros, and its exchange where the order type names it. */
function codeOf(code: string, type: string): string {
  const [digits = "", suffix = type === "A" ? "SH" : "SZ"] = code.split(".");
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
