/**
 * Writes sample rows in the vendor's layout: `<YYYYMMDD>/<code.EX>/逐笔委托.csv`, `逐笔成交.csv` and `行情.csv`, GBK,
 * CRLF, a comma after the last column, prices × 10000, times without leading zero.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BeijingDate } from "../../calendar/beijing.ts";
import { codesOf, numbersOf, type Rows, type StoredOf, storedColumns } from "../../datasets/dataset.ts";
import { LEVELS } from "../../datasets/quotes.ts";
import { DATASETS, type DatasetName, perDataset } from "../../datasets/registry.ts";
import type { Security } from "../../orders/record.ts";

interface VendorFile {
  name: string;
  /** The column names after the time. */
  header: string;
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
/** Returns a column name for each level: `name` followed by the level's number. */
const levelNames = (name: string) => LEVELS.map((level) => `${name}${level}`).join(",");
const nothing = (cells: number) => Array.from({ length: cells }, () => ({ text: "0" }));

const FILES: Readonly<Record<DatasetName, VendorFile>> = {
  orders: {
    name: "逐笔委托.csv",
    header: "委托编号,交易所委托号,委托类型,委托代码,委托价格,委托数量",
    cells: ["orderId", "exchangeOrderId", "orderType", "orderCode", "priceE4", "volume"],
    rowBytes: 160,
  },
  trades: {
    name: "逐笔成交.csv",
    header: "成交编号,成交代码,委托代码,BS标志,成交价格,成交数量,叫卖序号,叫买序号",
    cells: ["tradeId", "tradeCode", "orderKind", "bsFlag", "priceE4", "volume", "sellOrderId", "buyOrderId"],
    rowBytes: 200,
  },
  quotes: {
    name: "行情.csv",
    header: [
      "成交价,成交量,成交额,成交笔数,IOPV,成交标志,BS标志,当日累计成交量,当日成交额,最高价,最低价,开盘价,前收盘",
      ...["申卖价", "申卖量", "申买价", "申买量"].map(levelNames),
      "加权平均叫卖价,加权平均叫买价,叫卖总量,叫买总量",
      "不加权指数,品种总数,上涨品种数,下跌品种数,持平品种数",
    ].join(","),
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

/** Returns the two bytes in GBK of the common Chinese character with this number, which is from 0 to 6,767. */
const bytesOf = (number: number) => [0xb0 + Math.floor(number / 94), 0xa1 + (number % 94)];

/** The common Chinese characters by number. Node can decode GBK but not encode it. */
const CHARACTERS = new TextDecoder("gbk").decode(
  Uint8Array.from(Array.from({ length: 6_768 }, (_, number) => bytesOf(number)).flat()),
);

/** Encodes ASCII and common Chinese characters in GBK. */
function gbk(text: string): Buffer {
  const bytes = Array.from(text, (character) => {
    const number = CHARACTERS.indexOf(character);
    return number < 0 ? character.charCodeAt(0) : bytesOf(number);
  });
  return Buffer.from(bytes.flat());
}

/** The first line of each dataset's file. */
const HEADERS = perDataset("name", (dataset) =>
  gbk(`万得代码,交易所代码,自然日,时间,${FILES[dataset].header},\r\n`),
);

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
  const { cells, rowBytes } = FILES[dataset];
  const header = HEADERS[dataset];
  const columns = storedColumns(DATASETS[dataset]);
  const start = Buffer.from(`${symbol}.${market},${symbol},${tradedate},`, "latin1");
  const columnOf = (key: string) => {
    const column = columns.find((each) => each.key === key);
    if (column === undefined) throw new Error(`the dataset has no column ${key}`);
    return column;
  };
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
function cellWriter(rows: Rows, column: StoredOf): CellWriter {
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
function growthWriter(rows: Rows, column: StoredOf): CellWriter {
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
