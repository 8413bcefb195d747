/**
 * Defines a layout: how its files are recognised, the meaning of its columns, and how codes map to the API's. A new
 * layout is a table beside the others of its dataset, added to their list.
 */
import type { DatasetName } from "../../datasets/registry.ts";
import type { Market } from "../../orders/record.ts";

/** Maps a source's codes to the API's; an unlisted code is kept. */
export type CodeMap = Readonly<Record<string, string>>;

/** Returns `map` for both exchanges. */
export const both = (map: CodeMap) => ({ SH: map, SZ: map });

/** The source of a stored column's values. */
export interface CellSource {
  /** A column, or one of several columns chosen by the code in another column (no column for other codes). */
  column: string | { by: string; columns: Readonly<Record<string, string>> };
  /** Whether a file may lack the column. */
  optional?: true;
  /** The code map of one exchange or both. */
  map?: Readonly<Partial<Record<Market, CodeMap>>>;
}

/**
 * Columns are named as in the header; `A|B` means the first of them that the file has. An absent optional member means
 * that the source has no such column.
 */
export interface Layout {
  dataset: DatasetName;
  name: string;
  recognised: {
    /** Matches the whole base name. */
    byName?: RegExp;
    /** The first columns of the header. */
    byFirstColumns?: readonly string[];
    /** Columns that the header has in any position. */
    byColumns?: readonly string[];
  };
  /** All columns in order, for files without a header line; with `headMark`, only for files that begin with it. */
  withoutHeader?: readonly string[];
  /** The beginning of the line that replaces the header line in files that do not name their columns. */
  headMark?: RegExp;
  delimiter: "," | "\t";
  /** Lines end with a comma after the last value, and with CRLF. */
  trailingComma?: true;
  security: {
    /** The code, with or without suffix and leading zeros. */
    column: string;
    /** The exchange of every row; absent when the code has a suffix. */
    market?: Market;
    /**
     * The column with the exchange for codes without a suffix; when this column is blank or absent, the row's codes
     * determine the exchange.
     */
    marketColumn?: string;
    /** The column with the exchange as a number: 101 is Shanghai, 102 Shenzhen, 103 Hong Kong. */
    sourceColumn?: string;
  };
  /** The column with the bare code, which is checked against the full one. */
  exchangeCode?: string;
  /** The column with the row's day; absent when the time includes it or the source has none. */
  date?: string;
  time: string;
  priceUnit: "tenThousandths" | "yuan";
  /** Sources by key of the dataset's columns. Values of absent ones are 0 or `""` and are never derived. */
  cells: Readonly<Record<string, CellSource>>;
  /**
   * Sequence numbers of a channel: rows with the same channel and number are the same row. `ordersRows`: the number
   * also orders the rows of a millisecond; otherwise the order of the file does. `optional`: a file may lack it.
   */
  sequence?: { channel: string; number: string; ordersRows: boolean; optional?: true };
  /** Rows with one of the source's `codes` in `column` are trades; `others` says how other rows are treated. */
  onlyRows?: { column: string; codes: readonly string[]; others: "left out" | "quarantined" };
  /** The source's codes of `orderType` whose rows are trades. */
  trades?: readonly string[];
}

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

/** Properties that files with the API's own field names share. */
export const PLAIN = {
  name: "plain",
  delimiter: ",",
  security: { column: "symbol", marketColumn: "market" },
  date: "tradedate",
  time: "time",
  priceUnit: "yuan",
} as const satisfies Partial<Layout>;
