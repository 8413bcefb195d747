/**
 * The day pack: one object for each trading day and dataset. The whole object is a valid Parquet file, and so is each
 * of its sections, one for each security. `README.md` shows the layout.
 *
 * A section is `PAR1 | chunk table | blocks (row groups) | footer | footer length | PAR1`. Parquet readers ignore the
 * chunk table (`chunk-table.ts`); its length is `blocks[0].offset - 4`, so the first block of a section of n blocks
 * begins at `4 + chunkTableBytes(n, columns)`.
 */
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import type { Column } from "../datasets/dataset.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { Security } from "../orders/record.ts";
import type { PackOrigin } from "./origin.ts";

/** Rows of a full row group ("block"). A page of 10,000 rows reads one block, or two if it begins inside a block. */
export const ROW_GROUP_ROWS = 10_000;

/** `PAR1`, at both ends of every section and at the end of the pack. */
export const PARQUET_MAGIC = new Uint8Array([0x50, 0x41, 0x52, 0x31]);

export type ColumnSpec = Pick<Column, "name" | "type" | "encoding" | "formerEncoding">;

/** Returns the encoding of a chunk's values, depending on whether it has a dictionary page. */
export function encodingOf({ encoding }: ColumnSpec, hasDictionary: boolean) {
  if (hasDictionary) return "RLE_DICTIONARY";
  return encoding === "PLAIN_OR_DICTIONARY" ? "PLAIN" : encoding;
}

/** One row group of a section, described so that paging can find and check its bytes. */
export interface Block {
  /** First byte relative to the section; never 0. The block ends where the next block or the footer begins. */
  offset: number;
  /** The number of the block's first row within the security. */
  firstRow: number;
  /** The time of the block's first row, HHMMSSmmm as a number. */
  t0: number;
  /** The number of rows before this block that have the time `t0`. */
  k0: number;
  /** CRC-32 (IEEE) of the block's bytes. */
  crc: number;
}

/**
 * A security's entry in the day index. For a security without rows, `rows`, `lastTime` and `length` are 0 and there are
 * no blocks.
 */
export interface SectionEntry extends Security {
  /** First byte of the section in the pack. */
  offset: number;
  /** Bytes of the whole section, from its first `PAR1` to its last. */
  length: number;
  /** Bytes from the end of the last block to the end of the section: footer, its length, `PAR1`. */
  footerLength: number;
  rows: number;
  /** The time of the last row, HHMMSSmmm as a number; 0 without rows. */
  lastTime: number;
  /** CRC-32 of the whole section. */
  crc: number;
  blocks: Block[];
}

/** Returns the end (exclusive) of block `number` in the section: the start of the next block or of the footer. */
export function blockEnd(entry: SectionEntry, number: number): number {
  return entry.blocks[number + 1]?.offset ?? entry.length - entry.footerLength;
}

/** Returns the number of rows of block `number`. */
export function blockRows(entry: SectionEntry, number: number): number {
  return (entry.blocks[number + 1]?.firstRow ?? entry.rows) - (entry.blocks[number]?.firstRow ?? entry.rows);
}

/** The index region of a pack, decoded. Entries are sorted by symbol, then market. */
export interface DayIndex {
  dataset: DatasetName;
  tradedate: BeijingDate;
  /** 16 bytes as 32 hex digits, derived from the rows: equal rows give equal ids. */
  buildId: string;
  entries: SectionEntry[];
  /** Builder, source files and row accounting; `null` in packs of index format 2. */
  origin: PackOrigin | null;
}

/** Returns the R2 key of a revision of a dataset's pack. */
export function packObjectKey(tradedate: BeijingDate, revision: number, dataset: DatasetName): string {
  return `${DATASETS[dataset].prefix}/${tradedate.slice(0, 4)}/${tradedate}/${revision}.parquet`;
}

const PACK_KEY = /^([a-z]+)\/\d{4}\/(\d{8})\/(\d+)\.parquet$/;

/** The dataset, day and revision that a key names. */
export interface PackPlace {
  dataset: DatasetName;
  tradedate: BeijingDate;
  revision: number;
}

/** Returns the dataset, day and revision of a key in the form of `packObjectKey`; null for any other key. */
export function parsePackObjectKey(key: string): PackPlace | null {
  const [, prefix, day = "", number] = PACK_KEY.exec(key) ?? [];
  const dataset = DATASET_NAMES.find((name) => DATASETS[name].prefix === prefix);
  const tradedate = parseBeijingDate(day);
  if (dataset === undefined || tradedate === null) return null;
  return { dataset, tradedate, revision: Number(number) };
}
