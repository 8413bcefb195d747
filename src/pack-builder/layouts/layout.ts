/**
 * Defines a layout: how its files are recognised, what its columns mean, and how its codes map to the API's codes. To
 * add a layout, write a `LayoutEntry` in the file of its dataset, and add it to the list at the end of that file.
 */
import type { DatasetName } from "../../datasets/registry.ts";
import type { Market } from "../../orders/record.ts";

/** Maps a source's codes to the API's codes; a code that is not listed is kept. */
export type CodeMap = Readonly<Record<string, string>>;

/** Returns `map` for both exchanges. */
export const both = (map: CodeMap) => ({ SH: map, SZ: map });

/** The source of a stored column's values. */
export interface CellSource {
  /**
   * A column, or one of several columns. The code in the stored column with the key `by` chooses the column; a code
   * that is not listed chooses none.
   */
  column: string | { by: string; columns: Readonly<Record<string, string>> };
  /** Whether a file may lack the column. */
  optional?: true;
  /** The code maps by exchange. If an exchange has no map, its codes are kept. */
  map?: Readonly<Partial<Record<Market, CodeMap>>>;
}

/**
 * A vendor's file format. Columns are named as in the header; `A|B` means the first of the two that the file has. When
 * an optional property is absent, the source has no such column.
 */
export interface Layout {
  dataset: DatasetName;
  name: string;
  recognised: {
    /** Matches the whole base name. */
    byName?: RegExp;
    /** The first columns of the header. */
    byFirstColumns?: readonly string[];
    /** Columns that the header must contain, at any position. */
    byColumns?: readonly string[];
  };
  /**
   * All columns in order, for files without column names. With `headMark`, only for files whose first line matches it.
   */
  withoutHeader?: readonly string[];
  /** Matches the first line of files that begin with a version or date in place of the column names. */
  headMark?: RegExp;
  delimiter: "," | "\t";
  /** Lines end with a comma after the last value, and with CRLF. */
  trailingComma?: true;
  security: {
    /** The code, with or without suffix and leading zeros. */
    column: string;
    /** The exchange of every row; absent when a suffix of the code names the exchange. */
    market?: Market;
    /**
     * The column with the exchange for codes without a suffix; when this column is blank or absent, the row's codes
     * determine the exchange.
     */
    marketColumn?: string;
    /** The column with the exchange as a number: 101 is Shanghai, 102 Shenzhen, 103 Hong Kong. */
    sourceColumn?: string;
  };
  /** The column that repeats the code without its suffix. A row whose two codes differ has a problem. */
  exchangeCode?: string;
  /** The column with the row's day; absent when the time includes it or the source has none. */
  date?: string;
  time: string;
  priceUnit: "tenThousandths" | "yuan";
  /**
   * The source of each stored column, by key. A column without a source gets 0 or `""`; its values are never derived.
   */
  cells: Readonly<Record<string, CellSource>>;
  /**
   * Sequence numbers that run per channel: rows with the same channel and number are the same row. `ordersRows`: the
   * number also orders the rows within a millisecond; otherwise the order of the file does. `optional`: a file may lack
   * the number.
   */
  sequence?: { channel: string; number: string; ordersRows: boolean; optional?: true };
  /** Rows with one of the source's `codes` in `column` are trades; `others` says how other rows are treated. */
  onlyRows?: { column: string; codes: readonly string[]; others: "left out" | "quarantined" };
  /** The source's codes of `orderType` that mark trades. */
  trades?: readonly string[];
}

/** A layout without its dataset. Each dataset has its own list of such entries. */
export type LayoutEntry = Omit<Layout, "dataset">;

/**
 * Properties that the vendor's files of all datasets share: a folder for each security, with one file of each dataset.
 */
export const VENDOR = {
  name: "vendor",
  recognised: { byFirstColumns: ["万得代码"] },
  delimiter: ",",
  trailingComma: true,
  security: { column: "万得代码" },
  exchangeCode: "交易所代码",
  date: "自然日",
  time: "时间",
  priceUnit: "tenThousandths",
} as const satisfies Partial<Layout>;

/** Common properties of most layouts that hold all securities in one file. */
const TABLE = { delimiter: ",", priceUnit: "yuan" } as const satisfies Partial<Layout>;

/** Insight: one file with all securities; `Symbol` is the security's name, `SecurityID` its code. */
export const INSIGHT = {
  ...TABLE,
  name: "insight",
  recognised: { byFirstColumns: ["MDDate", "MDTime"] },
  security: { column: "SecurityID", sourceColumn: "SecurityIDSource" },
  date: "MDDate",
  time: "MDTime",
  sequence: { channel: "ChannelNo", number: "ApplSeqNum", ordersRows: false },
} as const satisfies Partial<Layout>;

/** Common properties of files that hold all Shanghai securities. */
export const SHANGHAI = {
  ...TABLE,
  security: { column: "SecurityID", market: "SH" },
} as const satisfies Partial<Layout>;

/** Common properties of files that hold all Shenzhen securities. */
export const SHENZHEN = {
  ...TABLE,
  security: { column: "SecurityID", market: "SZ", sourceColumn: "SecurityIDSource" },
  time: "TransactTime",
  sequence: { channel: "ChannelNo", number: "ApplSeqNum", ordersRows: false },
} as const satisfies Partial<Layout>;

/** DataYes: Shanghai orders and trades in one stream, since 2023-12. */
export const DATAYES_SHANGHAI_MERGED = {
  ...SHANGHAI,
  name: "datayes-sse-merged",
  recognised: {
    byName: /^mdl_4_24_0\.csv$/i,
    byFirstColumns: ["BizIndex", "Channel", "SecurityID", "TickTime"],
  },
  time: "TickTime",
  sequence: { channel: "Channel", number: "BizIndex", ordersRows: true },
} as const satisfies Partial<Layout>;

/** Common properties of files whose columns have the API's own field names. */
export const PLAIN = {
  ...TABLE,
  name: "plain",
  security: { column: "symbol", marketColumn: "market" },
  date: "tradedate",
  time: "time",
} as const satisfies Partial<Layout>;
