/**
 * Writes the Parquet metadata of a section and of the whole pack. Both describe the same row groups, with offsets
 * relative to the section or to the pack.
 */
import type { Column, Dataset } from "../../datasets/dataset.ts";
import { encodingOf, PARQUET_MAGIC } from "../../packs/layout.ts";
import { ByteWriter } from "./byte-writer.ts";
import { type ChunkPlace, ENCODING } from "./column-chunk.ts";
import { THRIFT, ThriftWriter } from "./thrift-writer.ts";

const PHYSICAL_TYPE = { INT64: 2, DOUBLE: 5, BYTE_ARRAY: 6 } as const;
const REQUIRED = 0;
const CONVERTED_UTF8 = 0;
const CODEC_ZSTD = 6;
const CREATED_BY = "edgetape version 1";

/** A row group for the footers; chunk offsets are relative to the section. */
export interface RowGroup {
  rows: number;
  symbol: string;
  /** The time of the first row, nine digits. It is the minimum, because rows are sorted. */
  firstTime: string;
  /** The time of the last row, nine digits; no row has a later time. */
  lastTime: string;
  /** The chunks in the order of the dataset's columns. */
  chunks: ChunkPlace[];
}

/** Returns the metadata of row groups of `dataset`, with `base` bytes added to their offsets. */
export function rowGroupsMetadata(groups: readonly RowGroup[], base: number, dataset: Dataset): Uint8Array {
  const out = new ByteWriter(1 << 14);
  for (const group of groups) rowGroupMetadata(out, group, base, dataset);
  return out.take();
}

function rowGroupMetadata(out: ByteWriter, group: RowGroup, base: number, { columns }: Dataset): void {
  const thrift = new ThriftWriter(out);
  let rawSize = 0;
  let size = 0;
  thrift.begin();
  thrift.list(1, THRIFT.STRUCT, columns.length);
  columns.forEach((column, i) => {
    const chunk = group.chunks[i];
    if (chunk === undefined) throw new Error(`the row group has no chunk for ${column.name}`);
    rawSize += chunk.rawSize;
    size += chunk.size;
    thrift.begin();
    thrift.i64(2, base + chunk.offset);
    chunkMetadata(thrift, column, group, chunk, base);
    thrift.end();
  });
  thrift.i64(2, rawSize);
  thrift.i64(3, group.rows);
  thrift.i64(5, base + (group.chunks[0]?.offset ?? 0));
  thrift.i64(6, size);
  thrift.end();
}

function chunkMetadata(
  thrift: ThriftWriter,
  column: Column,
  group: RowGroup,
  chunk: ChunkPlace,
  base: number,
): void {
  const dictionary = chunk.dataOffset > chunk.offset;
  const encoding = ENCODING[encodingOf(column, dictionary)];
  thrift.struct(3);
  thrift.i32(1, PHYSICAL_TYPE[column.type]);
  const encodings = dictionary ? [ENCODING.PLAIN, encoding] : [encoding];
  thrift.list(2, THRIFT.I32, encodings.length);
  for (const each of encodings) thrift.out.zigzag(each);
  thrift.list(3, THRIFT.BINARY, 1);
  thrift.textElement(column.name);
  thrift.i32(4, CODEC_ZSTD);
  thrift.i64(5, group.rows);
  thrift.i64(6, chunk.rawSize);
  thrift.i64(7, chunk.size);
  thrift.i64(9, base + chunk.dataOffset);
  if (dictionary) thrift.i64(11, base + chunk.offset);
  if (column.kind === "symbol") statistics(thrift, group.symbol, group.symbol);
  if (column.kind === "time") statistics(thrift, group.firstTime, group.lastTime);
  thrift.end();
}

function statistics(thrift: ThriftWriter, smallest: string, largest: string): void {
  thrift.struct(12);
  thrift.i64(3, 0);
  thrift.text(5, largest);
  thrift.text(6, smallest);
  thrift.end();
}

/**
 * Yields a footer, its length and its magic in pieces. The footer of a whole market's quotes has 20 MB. `groups` is the
 * metadata of its row groups in pieces (see `rowGroupsMetadata`); `count` is the number of row groups.
 */
export function* footerPieces(
  rows: number,
  count: number,
  groups: Iterable<Uint8Array>,
  { name, columns }: Dataset,
): Generator<Uint8Array> {
  const out = new ByteWriter(4096);
  const thrift = new ThriftWriter(out);
  thrift.begin();
  thrift.i32(1, 1);
  thrift.list(2, THRIFT.STRUCT, columns.length + 1);
  thrift.begin();
  thrift.text(4, name);
  thrift.i32(5, columns.length);
  thrift.end();
  for (const column of columns) schemaElement(thrift, column);
  thrift.i64(3, rows);
  thrift.list(4, THRIFT.STRUCT, count);
  let length = out.length;
  yield out.take();
  out.clear();
  for (const piece of groups) {
    length += piece.length;
    yield piece;
  }
  thrift.text(6, CREATED_BY);
  // Declares that minima and maxima use the types' own order. Without this declaration, readers ignore them.
  thrift.list(7, THRIFT.STRUCT, columns.length);
  for (const _ of columns) {
    thrift.begin();
    thrift.struct(1);
    thrift.end();
    thrift.end();
  }
  thrift.end();
  out.uint32(length + out.length);
  out.append(PARQUET_MAGIC);
  yield out.take();
}

function schemaElement(thrift: ThriftWriter, column: Column): void {
  thrift.begin();
  thrift.i32(1, PHYSICAL_TYPE[column.type]);
  thrift.i32(3, REQUIRED);
  thrift.text(4, column.name);
  if (column.type === "BYTE_ARRAY") {
    thrift.i32(6, CONVERTED_UTF8);
    thrift.struct(10);
    thrift.struct(1);
    thrift.end();
    thrift.end();
  }
  thrift.end();
}
