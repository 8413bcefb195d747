/**
 * Writes sample orders in the vendor's layout: `<YYYYMMDD>/<code.EX>/逐笔委托.csv`, GBK, CRLF, a comma after the last
 * column, prices × 10000, times without leading zero.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { OrderColumns, Security } from "../../orders/record.ts";

const VENDOR_FILE = "逐笔委托.csv";

/** The header line in GBK: Node decodes GBK but cannot encode it, and only this line is not ASCII. */
const HEADER = Buffer.from(
  "cdf2b5c3b4fac2eb2c" +
    "bdbbd2d7cbf9b4fac2eb2c" +
    "d7d4c8bbc8d52c" +
    "cab1bce42c" +
    "ceafcdd0b1e0bac52c" +
    "bdbbd2d7cbf9ceafcdd0bac52c" +
    "ceafcdd0c0e0d0cd2c" +
    "ceafcdd0b4fac2eb2c" +
    "ceafcdd0bcdbb8f12c" +
    "ceafcdd0cafdc1bf2c0d0a",
  "hex",
);

/** The longest row in bytes: the code parts (35), five numbers of up to 16 digits, letters and commas. */
const ROW_BYTES = 140;
const NOTHING = new Uint8Array();
const [COMMA, CR, LF, ZERO] = [0x2c, 0x0d, 0x0a, 0x30];

/** Writes one security's file below `folder` (created if absent) and returns its size in bytes. */
export function writeVendorFile(
  folder: string,
  { symbol, market }: Security,
  tradedate: BeijingDate,
  columns: OrderColumns,
): number {
  const directory = join(folder, tradedate, `${symbol}.${market}`);
  mkdirSync(directory, { recursive: true });
  const bytes = vendorFile({ symbol, market }, tradedate, columns);
  writeFileSync(join(directory, VENDOR_FILE), bytes);
  return bytes.length;
}

/** Returns the bytes of one security's file. Digits are written directly into a buffer, because a full day is 10 GB. */
export function vendorFile(
  { symbol, market }: Security,
  tradedate: BeijingDate,
  columns: OrderColumns,
): Buffer {
  const start = Buffer.from(`${symbol}.${market},${symbol},${tradedate},`, "latin1");
  const types = columns.orderType.values.map((letters) => Buffer.from(`${letters},`, "latin1"));
  const codes = columns.orderCode.values.map((letters) => Buffer.from(`${letters},`, "latin1"));
  const out = Buffer.allocUnsafe(HEADER.length + columns.rows * ROW_BYTES);
  let at = HEADER.copy(out);
  const text = (bytes: Uint8Array) => {
    // Byte by byte, because a native copy costs more for so few bytes.
    for (let i = 0; i < bytes.length; i++) out[at++] = bytes[i] ?? 0;
  };
  const number = (value: number) => {
    at = writeInteger(out, at, value);
    out[at++] = COMMA;
  };
  for (let row = 0; row < columns.rows; row++) {
    text(start);
    number(columns.time[row] ?? 0);
    number(columns.orderId[row] ?? 0);
    number(columns.exchangeOrderId[row] ?? 0);
    text(types[columns.orderType.index[row] ?? 0] ?? NOTHING);
    text(codes[columns.orderCode.index[row] ?? 0] ?? NOTHING);
    number(columns.priceE4[row] ?? 0);
    number(columns.volume[row] ?? 0);
    out[at++] = CR;
    out[at++] = LF;
  }
  return out.subarray(0, at);
}

/** Writes a non-negative integer in decimal at `at`. Returns the position after it. */
function writeInteger(out: Buffer, at: number, value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  let rest = value;
  for (let position = at + digits - 1; position >= at; position--) {
    const next = Math.floor(rest / 10);
    out[position] = ZERO + (rest - next * 10);
    rest = next;
  }
  return at + digits;
}
