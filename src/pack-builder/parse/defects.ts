/**
 * Defects that occur in real deliveries. A defect is tolerated, counted by kind and reported with the place of its
 * first occurrence. An invalid row, in contrast, is broken and quarantined.
 */

import { DATASETS, type DatasetName } from "../../datasets/registry.ts";

/**
 * Tolerated defects of rows and files, each with its text in the report. ROWS stands for the dataset's term for rows.
 */
const DEFECT_TEXTS = {
  time_zero_lost: "time without its leading zero",
  time_without_milliseconds: "time of five or six digits, read as whole seconds",
  padded_cell: "blanks or tabs around a value",
  quoted_cell: "value in quotation marks",
  nul_cell: "NUL bytes in a cell, read as blanks",
  empty_cell: "number without digits, stored as 0",
  sentinel: "18446744073709551615, stored as 0",
  exponent: "number in exponent form",
  over_int32: "value over 2147483647",
  blank_type: "blank order type",
  blank_code: "blank order code",
  unknown_code: "order code other than B, S, F, G and N, kept as it is",
  market_price_zero: "Shenzhen market order with the price 0, kept as it is",
  market_price_nines: "Shenzhen market order with a price of nines, kept as it is",
  market_price_negative: "Shenzhen market order with a negative price, kept as it is",
  unknown_flag: "trade flag other than B, S and N, kept as it is",
  unknown_trade_code: "Shenzhen trade code other than 0 and C, kept as it is",
  cancel_numbers: "Shenzhen cancel without exactly one order number, kept as it is",
  unknown_letter: "order type other than A, D, S, 0, 1 and U, kept as it is",
  code_without_zeros: "security code without its leading zeros",
  unsorted: "row earlier than the one before it, sorted by time",
  blank_line: "blank line",
  no_trailing_comma: "line without the trailing comma of its layout",
  identical_row: "row equal to an earlier one of its millisecond, kept because its layout has no row numbers",
  header_line: "header line in a file whose layout has none, skipped",
  cr_line_ends: "file whose lines end with CR alone",
  utf16: "file in UTF-16",
  several_files: "security whose rows are in consecutive files, read as one",
  lf_line_ends: "file with LF instead of CRLF",
  utf8_bom: "file that begins with a byte order mark",
  empty_file: "file of 0 bytes: a security without ROWS",
  header_only: "file with a header and no rows: a security without ROWS",
  no_order_file: "security's folder without a file of ROWS: a security without ROWS",
  trade_row: "trade among the orders, left out",
  order_row: "order among the trades, left out",
  sentinel_row: "row with the date 0, left out",
  repeated_row: "row that also occurs earlier in its file or in another file, left out",
  market_not_carried: "row or file of an exchange that is not carried, left out",
} as const;

/** Kinds whose rows are left out of the pack: rows that do not belong to its dataset and day, and repeated rows. */
export const LEFT_OUT_KINDS = [
  "trade_row",
  "order_row",
  "market_not_carried",
  "sentinel_row",
  "repeated_row",
] as const;

export type DefectKind = keyof typeof DEFECT_TEXTS;

/** Returns the report's text for a defect in files of `dataset`. */
export function defectText(kind: DefectKind, dataset: DatasetName): string {
  return DEFECT_TEXTS[kind].replaceAll("ROWS", DATASETS[dataset].rows);
}

export const DEFECT_KINDS = Object.keys(DEFECT_TEXTS) as DefectKind[];

/** The kinds as numbers, because the parser counts them in an array, millions of times a second. */
export const DEFECT = Object.fromEntries(DEFECT_KINDS.map((kind, number) => [kind, number])) as Record<
  DefectKind,
  number
>;

/** Counts of defects in one chunk of a file; passed between threads by value. */
export interface DefectTally {
  counts: Float64Array;
  /** The line of the first defect of each kind, counted from 1 at the chunk's first line; 0 for none. */
  firstLines: Float64Array;
}

export function newTally(): DefectTally {
  return {
    counts: new Float64Array(DEFECT_KINDS.length),
    firstLines: new Float64Array(DEFECT_KINDS.length),
  };
}

/** Counts one defect of `kind` (a number of `DEFECT`) at `line`. */
export function tally(defects: DefectTally, kind: number, line: number): void {
  if (defects.counts[kind] === 0) defects.firstLines[kind] = line;
  defects.counts[kind] = (defects.counts[kind] ?? 0) + 1;
}

/** An invalid line. `line` is counted as in `DefectTally.firstLines`. */
export interface BrokenLine {
  line: number;
  reason: string;
  text: string;
}
