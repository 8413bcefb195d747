/**
 * Describes a dataset by its name and columns. Only a column's `kind`, never its name, determines how the builder
 * writes and verifies it, how packs store it and how answers show it.
 */

/** A text in the two languages of the documentation. */
export interface Bilingual {
  en: string;
  zh: string;
}

interface AnyColumn {
  /** The column's name in answers and in Parquet files. */
  name: string;
  /** The physical type in Parquet; texts are UTF-8. */
  type: "BYTE_ARRAY" | "INT64" | "DOUBLE";
  /** `PLAIN_OR_DICTIONARY`: each block uses the smaller of the two. */
  encoding: "RLE_DICTIONARY" | "PLAIN" | "PLAIN_OR_DICTIONARY" | "DELTA_BINARY_PACKED";
  /** The encoding that earlier builders used; packs that use it stay readable. */
  formerEncoding?: "PLAIN";
  /**
   * With `DELTA_BINARY_PACKED`: a difference fills whole bytes (8, 16, 24 … bits), so that ZSTD finds repeated
   * differences.
   */
  wholeBytes?: true;
  /** The ZSTD level of values in no dictionary; absent for the default level. */
  valueLevel?: number;
  /** The ZSTD level of indices into a dictionary; absent for the default level. */
  indexLevel?: number;
  /** An alternative name. When `fields` lists it, answers use it in place of `name`. */
  legacyName?: string;
  /** `null` for texts and for numbers without a unit. */
  unit: Bilingual | null;
  description: Bilingual;
  /** The column is stored after the standard ones; an answer contains it only when `fields` names it. */
  onRequest?: true;
}

/** A column whose values `RowsOf` holds in memory under `key`. */
interface StoredColumn extends AnyColumn {
  key: string;
}

export type Column =
  /** The same text in every row of a section: the security's six digits, or the trading day. */
  | (AnyColumn & { kind: "symbol" | "tradedate" })
  /** HHMMSSmmm: nine digits in answers, a number in memory. */
  | (AnyColumn & { kind: "time" })
  /** A short text with few distinct values per day. */
  | (StoredColumn & { kind: "code" })
  /** An integer from 0 to 2^53. */
  | (StoredColumn & { kind: "integer" })
  /** Yuan in answers, ten-thousandths (an exact integer) in memory. */
  | (StoredColumn & { kind: "price" })
  /** Yuan: in memory the double nearest to the source's decimal text, in answers the shortest text of that double. */
  | (StoredColumn & { kind: "yuan" })
  /** A computed column: the named price × the named volume / 10000, rounded once. */
  | (AnyColumn & { kind: "amount"; price: string; volume: string });

export interface Dataset {
  /** The dataset's name, which is also the name of the Parquet schema's root. */
  name: string;
  /** The interface that serves the rows. */
  apiname: string;
  /** The interface that estimates a query for the rows. */
  estimate: string;
  /** The key prefix of packs in R2. */
  prefix: string;
  /** The part of a pack's file name between the day and `.parquet`. */
  fileSuffix: string;
  /** What the builder calls one row in its output, for example "order". */
  row: string;
  /** The plural of `row`. */
  rows: string;
  /** The name of a row in answers, for example in "has no order records". */
  rowName: Bilingual;
  /** The code that marks a row as a cancel; null in a dataset without cancels. */
  cancel: { column: string; code: string } | null;
  /** In file order. */
  columns: readonly Column[];
}

/** Repeated short texts: `index[row]` is an index into `values`. */
export interface CodeColumn {
  values: string[];
  index: Uint16Array;
}

/** The fields that the rows of every dataset have; each array has `rows` elements. */
export interface Rows {
  rows: number;
  /** HHMMSSmmm as a number, Beijing time: 93000010 is 09:30:00.010. */
  time: Int32Array;
}

type StoredIn<D extends Dataset> = Extract<D["columns"][number], { key: string }>;

/** The rows of one security on one day as columns: `time`, and one field for each stored column. */
export type RowsOf<D extends Dataset> = Rows & {
  [C in StoredIn<D> as C["key"]]: C extends { kind: "code" } ? CodeColumn : Float64Array;
};

/** Returns the columns whose values are held in memory, in file order, without `time`. */
export function storedColumns({ columns }: Dataset): StoredOf[] {
  return columns.filter((column) => "key" in column);
}

/** A column of `storedColumns`. */
export type StoredOf = Extract<Column, { key: string }>;

/** Returns the numbers of `column` in `rows`, which must belong to the column's dataset. */
export function numbersOf(rows: Rows, { key }: StoredOf): Float64Array {
  return member(rows, key) as Float64Array;
}

/** Returns the codes of `column` in `rows`, which must belong to the column's dataset. */
export function codesOf(rows: Rows, { key }: StoredOf): CodeColumn {
  return member(rows, key) as CodeColumn;
}

function member(rows: Rows, key: string): unknown {
  const found = (rows as unknown as Record<string, unknown>)[key];
  if (found === undefined) throw new Error(`the rows have no column ${key}`);
  return found;
}

/** Returns the column called `name`; throws `RangeError` when there is none. */
export function columnNamed({ columns }: Dataset, name: string): Column {
  const column = columns.find((each) => each.name === name);
  if (column === undefined) throw new RangeError(`there is no column ${name}`);
  return column;
}

/** Returns the stored column called `name`; throws `RangeError` when there is none. */
export function storedNamed(dataset: Dataset, name: string): StoredOf {
  const column = columnNamed(dataset, name);
  if (!("key" in column)) throw new RangeError(`the column ${name} is computed, not stored`);
  return column;
}
