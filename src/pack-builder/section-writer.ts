/**
 * Writes a section: the rows of one security on one day as a complete Parquet file, with its entries for the day index
 * and the global footer. `src/packs/README.md` shows the layout.
 */
import { crc32 } from "node:zlib";
import type { BeijingDate } from "../calendar/beijing.ts";
import {
  type CodeColumn,
  type Column,
  codesOf,
  type Dataset,
  numbersOf,
  type Rows,
  type RowsOf,
  storedNamed,
} from "../datasets/dataset.ts";
import type { orders } from "../datasets/orders.ts";
import { amountOf, type Security } from "../orders/record.ts";
import { chunkTableBytes, encodeChunkTable } from "../packs/chunk-table.ts";
import { type Block, PARQUET_MAGIC, ROW_GROUP_ROWS, type SectionEntry } from "../packs/layout.ts";
import { ByteWriter } from "./parquet/byte-writer.ts";
import { type ChunkPlace, dictionaryChunk, ENCODING, plainChunk } from "./parquet/column-chunk.ts";
import { numberDictionary, textDictionary } from "./parquet/dictionary.ts";
import { deltaBinaryPacked, deltaWholeBytes } from "./parquet/encodings.ts";
import { footerPieces, type RowGroup, rowGroupsMetadata } from "./parquet/footer.ts";

/** The rows of one security, sorted stably by time. */
export interface Section<Columns extends Rows = RowsOf<typeof orders>> extends Security {
  columns: Columns;
}

/** A written section; `entry.offset` is 0 until the section is appended to the pack. */
export interface WrittenSection {
  entry: SectionEntry;
  bytes: Uint8Array<ArrayBuffer>;
  groups: RowGroup[];
}

const TIME_DIGITS = 9;

const out = new ByteWriter(1 << 20);
const indices = new Uint16Array(ROW_GROUP_ROWS);
const amounts = new Float64Array(ROW_GROUP_ROWS);
/**
 * A dictionary is used only when the column has more changes between consecutive rows than `CHANGES_PER_ENTRY` ×
 * entries + `CHANGES_PER_TABLE`. With fewer changes, the plain values are smaller.
 */
const CHANGES_PER_ENTRY = 2;
const CHANGES_PER_TABLE = 200;
/** The indices of a column with one value: all zero. */
const constant = new Uint16Array(ROW_GROUP_ROWS);

/**
 * Writes `section` of the day `tradedate` with rows of `dataset`. A security without rows gives an entry without bytes.
 * Throws when the rows are not sorted by time, because paging seeks by time.
 */
export function writeSection(
  tradedate: BeijingDate,
  section: Section<Rows>,
  dataset: Dataset,
): WrittenSection {
  const { symbol, market, columns } = section;
  const { rows } = columns;
  const entry: SectionEntry = {
    symbol,
    market,
    offset: 0,
    length: 0,
    footerLength: 0,
    rows,
    lastTime: columns.time[rows - 1] ?? 0,
    crc: 0,
    blocks: [],
  };
  if (rows === 0) return { entry, bytes: new Uint8Array(0), groups: [] };
  refuseUnsorted(section);

  const groups: RowGroup[] = [];
  const tableAt = PARQUET_MAGIC.length;
  const columnCount = dataset.columns.length;
  const tableBytes = chunkTableBytes(Math.ceil(rows / ROW_GROUP_ROWS), columnCount);
  out.clear();
  out.append(PARQUET_MAGIC);
  out.length = out.reserve(tableBytes) + tableBytes;
  for (let from = 0; from < rows; from += ROW_GROUP_ROWS) {
    const to = Math.min(rows, from + ROW_GROUP_ROWS);
    const offset = out.length;
    groups.push(rowGroup({ tradedate, section, dataset }, from, to));
    entry.blocks.push(block(columns.time, from, offset, crc32(out.written().subarray(offset))));
  }
  out.bytes.set(encodeChunkTable(sizesOf(groups), columnCount), tableAt);
  const blocksEnd = out.length;
  appendFooter(rows, groups, dataset);
  entry.length = out.length;
  entry.footerLength = out.length - blocksEnd;
  entry.crc = crc32(out.written());
  return { entry, bytes: out.take(), groups };
}

function refuseUnsorted({ symbol, market, columns: { time, rows } }: Section<Rows>): void {
  for (let row = 1; row < rows; row++) {
    if ((time[row] ?? 0) < (time[row - 1] ?? 0)) {
      throw new Error(`row ${row} of ${symbol}.${market} is earlier than the row before it`);
    }
  }
}

function block(time: Int32Array, firstRow: number, offset: number, crc: number): Block {
  const t0 = time[firstRow] ?? 0;
  let k0 = 0;
  while (k0 < firstRow && time[firstRow - 1 - k0] === t0) k0++;
  return { offset, firstRow, t0, k0, crc };
}

function sizesOf(groups: readonly RowGroup[]) {
  return groups.map(({ chunks }) =>
    chunks.map(({ offset, dataOffset, size, rawSize }) => ({
      dictionary: dataOffset - offset,
      total: size,
      uncompressed: rawSize,
    })),
  );
}

function appendFooter(rows: number, groups: RowGroup[], dataset: Dataset): void {
  const metadata = rowGroupsMetadata(groups, 0, dataset);
  for (const piece of footerPieces(rows, groups.length, [metadata], dataset)) out.append(piece);
}

/** The inputs of a section's row groups. */
interface Parts {
  tradedate: BeijingDate;
  section: Section<Rows>;
  dataset: Dataset;
}

/** Appends one column chunk for each of the dataset's columns, with the rows `[from, to)`. */
function rowGroup(parts: Parts, from: number, to: number): RowGroup {
  const { symbol, columns } = parts.section;
  const chunks = parts.dataset.columns.map((column) => columnChunk(column, parts, from, to));
  const firstTime = timeText(columns.time[from] ?? 0);
  return { rows: to - from, symbol, firstTime, lastTime: timeText(columns.time[to - 1] ?? 0), chunks };
}

function columnChunk(
  column: Column,
  { tradedate, section, dataset }: Parts,
  from: number,
  to: number,
): ChunkPlace {
  const { symbol, columns } = section;
  const rows = to - from;
  switch (column.kind) {
    case "symbol":
      return constantChunk(symbol, rows);
    case "tradedate":
      return constantChunk(tradedate, rows);
    case "time":
      return plainChunk(
        out,
        rows,
        ENCODING.PLAIN,
        (body) => appendTimes(body, columns.time, from, to),
        column.valueLevel,
      );
    case "code":
      return codeChunk(codesOf(columns, column), from, to);
    case "integer": {
      const numbers = numbersOf(columns, column);
      if (column.encoding === "DELTA_BINARY_PACKED") return idChunk(column, numbers, from, to);
      return numberChunk(column, numbers, from, to, (body, value) => body.int64(value));
    }
    case "price":
      return numberChunk(column, numbersOf(columns, column), from, to, (body, priceE4) =>
        body.double(priceE4 / 10_000),
      );
    case "yuan":
      return numberChunk(column, numbersOf(columns, column), from, to, (body, yuan) => body.double(yuan));
    case "amount": {
      const prices = numbersOf(columns, storedNamed(dataset, column.price));
      const volumes = numbersOf(columns, storedNamed(dataset, column.volume));
      for (let i = 0; i < rows; i++) amounts[i] = amountOf(prices[from + i] ?? 0, volumes[from + i] ?? 0);
      return numberChunk(column, amounts, 0, rows, (body, amount) => body.double(amount));
    }
  }
}

function constantChunk(text: string, rows: number): ChunkPlace {
  return dictionaryChunk(out, rows, 1, constant, (body) => appendText(body, text));
}

function idChunk({ wholeBytes }: Column, ids: Float64Array, from: number, to: number): ChunkPlace {
  const write = wholeBytes ? deltaWholeBytes : deltaBinaryPacked;
  return plainChunk(out, to - from, ENCODING.DELTA_BINARY_PACKED, (body) => write(body, ids, from, to));
}

function codeChunk(codes: CodeColumn, from: number, to: number): ChunkPlace {
  const texts = textDictionary(codes, from, to, indices);
  return dictionaryChunk(out, to - from, texts.length, indices, (body) => {
    for (const text of texts) appendText(body, text);
  });
}

function numberChunk(
  { encoding, indexLevel }: Column,
  values: Float64Array,
  from: number,
  to: number,
  append: (body: ByteWriter, value: number) => void,
): ChunkPlace {
  const rows = to - from;
  const distinct = numberDictionary(values, from, to, indices);
  if (encoding === "PLAIN_OR_DICTIONARY" && !isDictionarySmaller(distinct.length, rows)) {
    return plainChunk(out, rows, ENCODING.PLAIN, (body) => {
      for (let row = from; row < to; row++) append(body, values[row] ?? 0);
    });
  }
  const fill = (body: ByteWriter) => {
    for (const value of distinct) append(body, value);
  };
  return dictionaryChunk(out, rows, distinct.length, indices, fill, { wholeBytes: true, level: indexLevel });
}

/**
 * Returns whether a dictionary with `entries` values is smaller than the plain values. With a dictionary, a change to a
 * known value costs less, and a change to a new value costs more (`../packs/README.md`, "Encodings by measurement").
 */
function isDictionarySmaller(entries: number, rows: number): boolean {
  let changes = 0;
  for (let row = 1; row < rows; row++) if (indices[row] !== indices[row - 1]) changes += 1;
  return changes > CHANGES_PER_ENTRY * entries + CHANGES_PER_TABLE;
}

const encoder = new TextEncoder();

function appendText(body: ByteWriter, text: string): void {
  const bytes = encoder.encode(text);
  body.uint32(bytes.length);
  body.append(bytes);
}

/** Appends the time of each of the rows `[from, to)`: its length, then its nine digits. */
function appendTimes(body: ByteWriter, time: Int32Array, from: number, to: number): void {
  const width = 4 + TIME_DIGITS;
  let at = body.reserve((to - from) * width);
  const bytes = body.bytes;
  for (let row = from; row < to; row++, at += width) {
    bytes[at] = TIME_DIGITS;
    bytes[at + 1] = bytes[at + 2] = bytes[at + 3] = 0;
    let rest = time[row] ?? 0;
    for (let digit = at + width - 1; digit >= at + 4; digit--) {
      const tenth = (rest / 10) | 0;
      bytes[digit] = 48 + rest - tenth * 10;
      rest = tenth;
    }
  }
  body.length = at;
}

function timeText(time: number): string {
  return String(time).padStart(TIME_DIGITS, "0");
}
