/**
 * Writes sample rows in the vendor's layout: `<YYYYMMDD>/<code.EX>/逐笔委托.csv`, `逐笔成交.csv` and `行情.csv`, GBK,
 * CRLF, a comma after the last column, prices × 10000, times without leading zero.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { codesOf, numbersOf, type Rows, type StoredOf, storedColumns } from "../../datasets/dataset.ts";
import { LEVELS } from "../../datasets/quotes.ts";
import { DATASETS, type DatasetName } from "../../datasets/registry.ts";
import type { Security } from "../../orders/record.ts";

interface VendorFile {
  name: string;
  /** The header line in GBK: Node decodes GBK but cannot encode it, and only this line is not ASCII. */
  header: Buffer;
  /** The cells after the time, in order. */
  cells: readonly Cell[];
  /** The maximum size of a row in bytes: the leading cells (35), numbers of up to 16 digits, letters and commas. */
  rowBytes: number;
}

/**
 * The content of a cell: a column of the dataset (by key), the growth of a column since the previous row, or a fixed
 * text.
 */
type Cell = string | { growthOf: string } | { text: string };

const levelCells = (side: "bid" | "ask", ending: "E4" | "Volume") =>
  LEVELS.map((level) => (ending === "E4" ? `${side}${level}E4` : `${side}Volume${level}`));
/** Returns a column name for each level: `name` followed by the level's number, in GBK as hex digits. */
const levelNames = (name: string) => LEVELS.map((level) => name + Buffer.from(String(level)).toString("hex"));
const nothing = (cells: number) => Array.from({ length: cells }, () => ({ text: "0" }));

/** 万得代码, 交易所代码, 自然日 and 时间 in GBK. */
const LEADING_NAMES = "cdf2b5c3b4fac2eb2cbdbbd2d7cbf9b4fac2eb2cd7d4c8bbc8d52ccab1bce42c";

function header(...names: string[]): Buffer {
  return Buffer.from(`${LEADING_NAMES}${names.join("2c")}2c0d0a`, "hex");
}

const FILES: Readonly<Record<DatasetName, VendorFile>> = {
  orders: {
    name: "逐笔委托.csv",
    header: header(
      "ceafcdd0b1e0bac5",
      "bdbbd2d7cbf9ceafcdd0bac5",
      "ceafcdd0c0e0d0cd",
      "ceafcdd0b4fac2eb",
      "ceafcdd0bcdbb8f1",
      "ceafcdd0cafdc1bf",
    ),
    cells: ["orderId", "exchangeOrderId", "orderType", "orderCode", "priceE4", "volume"],
    rowBytes: 160,
  },
  trades: {
    name: "逐笔成交.csv",
    header: header(
      "b3c9bdbbb1e0bac5",
      "b3c9bdbbb4fac2eb",
      "ceafcdd0b4fac2eb",
      "4253b1ead6be",
      "b3c9bdbbbcdbb8f1",
      "b3c9bdbbcafdc1bf",
      "bdd0c2f4d0f2bac5",
      "bdd0c2f2d0f2bac5",
    ),
    cells: ["tradeId", "tradeCode", "orderKind", "bsFlag", "priceE4", "volume", "sellOrderId", "buyOrderId"],
    rowBytes: 200,
  },
  quotes: {
    name: "行情.csv",
    header: header(
      "b3c9bdbbbcdb",
      "b3c9bdbbc1bf",
      "b3c9bdbbb6ee",
      "b3c9bdbbb1cacafd",
      "494f5056",
      "b3c9bdbbb1ead6be",
      "4253b1ead6be",
      "b5b1c8d5c0dbbcc6b3c9bdbbc1bf",
      "b5b1c8d5b3c9bdbbb6ee",
      "d7eeb8dfbcdb",
      "d7eeb5cdbcdb",
      "bfaac5ccbcdb",
      "c7b0cad5c5cc",
      ...levelNames("c9eac2f4bcdb"),
      ...levelNames("c9eac2f4c1bf"),
      ...levelNames("c9eac2f2bcdb"),
      ...levelNames("c9eac2f2c1bf"),
      "bcd3c8a8c6bdbef9bdd0c2f4bcdb",
      "bcd3c8a8c6bdbef9bdd0c2f2bcdb",
      "bdd0c2f4d7dcc1bf",
      "bdd0c2f2d7dcc1bf",
      "b2bbbcd3c8a8d6b8cafd",
      "c6b7d6d6d7dccafd",
      "c9cfd5c7c6b7d6d6cafd",
      "cfc2b5f8c6b7d6d6cafd",
      "b3d6c6bdc6b7d6d6cafd",
    ),
    cells: [
      ...["closeE4", { growthOf: "volume" }, { growthOf: "amount" }, "numTrades", "iopvE4"],
      ...[{ text: "0" }, { text: " " }, "volume", "amount", "highE4", "lowE4", "openE4", "preCloseE4"],
      ...levelCells("ask", "E4"),
      ...levelCells("ask", "Volume"),
      ...levelCells("bid", "E4"),
      ...levelCells("bid", "Volume"),
      ...["avgAskPriceE4", "avgBidPriceE4", "totalAskVolume", "totalBidVolume"],
      ...nothing(5),
    ],
    rowBytes: 1200,
  },
};

const NOTHING = new Uint8Array();
const [COMMA, CR, LF, ZERO] = [0x2c, 0x0d, 0x0a, 0x30];

/** Writes one security's rows of `dataset` to a file below `folder` (created if absent). Returns its size in bytes. */
export function writeVendorFile(
  folder: string,
  { symbol, market }: Security,
  tradedate: BeijingDate,
  rows: Rows,
  dataset: DatasetName = "orders",
): number {
  const directory = join(folder, tradedate, `${symbol}.${market}`);
  mkdirSync(directory, { recursive: true });
  const bytes = vendorFile({ symbol, market }, tradedate, rows, dataset);
  writeFileSync(join(directory, FILES[dataset].name), bytes);
  return bytes.length;
}

/** Returns the bytes of one security's file. Digits are written directly into a buffer, because a full day is 10 GB. */
export function vendorFile(
  { symbol, market }: Security,
  tradedate: BeijingDate,
  rows: Rows,
  dataset: DatasetName = "orders",
): Buffer {
  const { header, cells, rowBytes } = FILES[dataset];
  const columns = storedColumns(DATASETS[dataset]);
  const start = Buffer.from(`${symbol}.${market},${symbol},${tradedate},`, "latin1");
  const columnOf = (key: string) => columns.find((column) => column.key === key);
  const writers = cells.map((cell) => {
    if (typeof cell === "string") return cellWriter(rows, columnOf(cell));
    if ("growthOf" in cell) return growthWriter(rows, columnOf(cell.growthOf));
    const text = Buffer.from(cell.text, "latin1");
    return (out: Buffer, at: number) => writeText(out, at, text);
  });
  const out = Buffer.allocUnsafe(header.length + rows.rows * rowBytes);
  let at = header.copy(out);
  for (let row = 0; row < rows.rows; row++) {
    at = writeText(out, at, start);
    at = writeInteger(out, at, rows.time[row] ?? 0);
    out[at++] = COMMA;
    for (const write of writers) {
      at = write(out, at, row);
      out[at++] = COMMA;
    }
    out[at++] = CR;
    out[at++] = LF;
  }
  return out.subarray(0, at);
}

type CellWriter = (out: Buffer, at: number, row: number) => number;

/** Returns a function that writes the cell of a row at a position and returns the next position. */
function cellWriter(rows: Rows, column: StoredOf | undefined): CellWriter {
  if (column === undefined) throw new Error("the dataset has no such column");
  if (column.kind !== "code") {
    const numbers = numbersOf(rows, column);
    const write = column.kind === "yuan" ? writeDecimal : writeInteger;
    return (out, at, row) => write(out, at, numbers[row] ?? 0);
  }
  const { values, index } = codesOf(rows, column);
  const texts = values.map((letters) => Buffer.from(letters, "latin1"));
  return (out, at, row) => writeText(out, at, texts[index[row] ?? 0] ?? NOTHING);
}

/** Returns a function that writes by how much a column's value has grown since the previous row. */
function growthWriter(rows: Rows, column: StoredOf | undefined): CellWriter {
  if (column === undefined) throw new Error("the dataset has no such column");
  const numbers = numbersOf(rows, column);
  return (out, at, row) => {
    const growth = (numbers[row] ?? 0) - (numbers[row - 1] ?? 0);
    return writeDecimal(out, at, Math.round(growth * 10_000) / 10_000);
  };
}

/** Copies byte by byte: for so few bytes a native copy costs more. */
function writeText(out: Buffer, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) out[at + i] = bytes[i] ?? 0;
  return at + bytes.length;
}

/** Writes a whole number ≥ 0 in decimal at `at`; returns the position after it. */
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

/** Writes a number ≥ 0 as the shortest decimal text that is read as the same double. */
function writeDecimal(out: Buffer, at: number, value: number): number {
  if (Number.isSafeInteger(value)) return writeInteger(out, at, value);
  return at + out.write(String(value), at, "latin1");
}
