/**
 * What a layout says: by what its files are recognised, which column holds what, how codes become the API's.
 * A new layout is one table beside the others of its dataset, and its place in `registry.ts`.
 */
import type { DatasetName } from "../../datasets/registry.ts";
import type { Market } from "../../orders/record.ts";

/** From a source's code to the API's; a code that is not listed is kept as it is. */
export type CodeMap = Readonly<Record<string, string>>;

/** Returns `map` for the codes of both exchanges. */
export const both = (map: CodeMap) => ({ SH: map, SZ: map });

/** Where a layout has the values of a stored column. */
export interface CellSource {
  /** One column, or a column by the code in another one (no column for any other code). */
  column: string | { by: string; columns: Readonly<Record<string, string>> };
  /** A file may lack the column. */
  optional?: true;
  /** For both exchanges, or for one of them. */
  map?: Readonly<Partial<Record<Market, CodeMap>>>;
}

/**
 * Columns are given by their name in the header; `A|B` means the first of them that the file has.
 * Optional members that are absent: the source has no such column.
 */
export interface Layout {
  dataset: DatasetName;
  name: string;
  recognised: {
    /** Base names, matched whole. */
    byName?: RegExp;
    /** The first columns of the header line. */
    byFirstColumns?: readonly string[];
    /** Columns that the header has somewhere. */
    byColumns?: readonly string[];
  };
  /** All columns in file order, for files that have no header line. With `headMark`: only those that begin with it. */
  withoutHeader?: readonly string[];
  /** The beginning of the line that stands in the place of the header line where the columns are not named. */
  headMark?: RegExp;
  delimiter: "," | "\t";
  /** The layout's own files end their lines with a comma behind the last value, and with CRLF. */
  trailingComma?: true;
  security: {
    /** Its code with or without a suffix, with or without leading zeros. */
    column: string;
    /** The exchange of every row. Absent: the code's suffix says it. */
    market?: Market;
    /** Says the exchange where the suffix does not; where this is blank or absent too, the row's codes do. */
    marketColumn?: string;
    /** The exchange as a number: 101 is Shanghai, 102 Shenzhen, 103 Hong Kong. */
    sourceColumn?: string;
  };
  /** The bare code beside the full one: checked against it. */
  exchangeCode?: string;
  /** The day of the row. Absent: the time has it, or nothing does. */
  date?: string;
  time: string;
  priceUnit: "tenThousandths" | "yuan";
  /** By key of the dataset's columns. Absent: 0 or `""`, never filled from another number. */
  cells: Readonly<Record<string, CellSource>>;
  /**
   * Numbers the rows of a channel: rows with the same channel and number are one row. `ordersRows`: the number also
   * orders the rows of a millisecond; otherwise their order in the file does. `optional`: a file may lack it.
   */
  sequence?: { channel: string; number: string; ordersRows: boolean; optional?: true };
  /** Rows with one of the `codes` in `column`, as the source writes them, are trades; what becomes of the others. */
  onlyRows?: { column: string; codes: readonly string[]; others: "left out" | "quarantined" };
  /** Codes of `orderType` (as the source writes them) whose rows are trades. */
  trades?: readonly string[];
}
