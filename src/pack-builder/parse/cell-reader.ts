/**
 * Reads the cells of one line: trims them, parses numbers, counts defects and keeps the first problem. The parser moves
 * the reader from line to line.
 */
import { DEFECT, type DefectTally, newTally, tally } from "./defects.ts";
import { decodeText } from "./file-head.ts";
import { LineCells } from "./line-cells.ts";
import {
  type OddNumber,
  oddDecimal,
  oddNumber,
  plainDecimal,
  plainInteger,
  plainTenThousandths,
} from "./number-cell.ts";

const MINUS = 45;
const LARGEST_INT32 = 2_147_483_647;
/** Sources with fixed-width cells pad them with NUL bytes; no cell is wider than this. */
const MOST_NULS = 32;

export class CellReader {
  readonly cells = new LineCells();
  bytes: Uint8Array = new Uint8Array(0);
  /** The number of the current line in the chunk, from 1. */
  line = 0;
  defects: DefectTally = newTally();
  /** Why the current line cannot be a row; empty when there is no problem. */
  problem = "";
  private readonly delimiter: number;
  private readonly columns: readonly string[];
  private next = 0;

  constructor(delimiter: number, columns: readonly string[]) {
    this.delimiter = delimiter;
    this.columns = columns;
  }

  /** Starts reading the lines of `bytes` at byte `from`. */
  start(bytes: Uint8Array, from: number): void {
    this.bytes = bytes;
    this.next = from;
    this.line = 0;
    this.defects = newTally();
  }

  /** Advances to the next line. Returns false when there is none. */
  nextLine(): boolean {
    if (this.next >= this.bytes.length) return false;
    this.next = this.cells.split(this.bytes, this.next, this.delimiter);
    this.line += 1;
    this.problem = "";
    return true;
  }

  /** Returns the position of a cell's first byte; `to` returns the position after its last byte. */
  from(cell: number): number {
    return this.cells.from[cell] ?? 0;
  }

  to(cell: number): number {
    return this.cells.to[cell] ?? 0;
  }

  /** Returns whether the line has only blanks, NULs and delimiters. */
  lineIsBlank(): boolean {
    for (let at = this.cells.lineFrom; at < this.cells.lineTo; at++) {
      const byte = this.bytes[at] ?? 0;
      if (byte > 32 && byte !== this.delimiter) return false;
    }
    return true;
  }

  /**
   * Returns whether the line has NUL bytes that are not padding. They are not padding in a line of a single cell, after
   * the first `columns` cells, inside a value, or when more than `MOST_NULS` follow each other.
   */
  isDamaged(columns: number): boolean {
    const { from, to, count, nuls } = this.cells;
    if (nuls === 0) return false;
    if (count === 1) return true;
    for (let cell = 0; cell < count; cell++) {
      const first = from[cell] ?? 0;
      let [values, run] = [0, 0];
      for (let at = first; at < (to[cell] ?? 0); at++) {
        const byte = this.bytes[at] ?? 0;
        if (byte === 0) run += 1;
        if (run > MOST_NULS || (byte === 0 && cell >= columns)) return true;
        if (byte <= 32) continue;
        if (values > 0 && run > 0) return true;
        values += 1;
        run = 0;
      }
    }
    return false;
  }

  /** Returns whether the cell has NUL bytes. */
  hasNul(cell: number): boolean {
    return this.cells.nuls > 0 && this.bytes.subarray(this.from(cell), this.to(cell)).includes(0);
  }

  /** Returns whether the cell is absent or has only blanks and NULs. */
  isBlank(cell: number): boolean {
    const { from, to, count } = this.cells;
    if (cell >= count) return true;
    for (let at = from[cell] ?? 0; at < (to[cell] ?? 0); at++) if ((this.bytes[at] ?? 0) > 32) return false;
    return true;
  }

  /** Trims blanks, tabs and NULs from both ends of a cell. */
  trim(cell: number): void {
    const { bytes, cells } = this;
    let from = cells.from[cell] ?? 0;
    let to = cells.to[cell] ?? 0;
    if (from >= to || ((bytes[from] ?? 0) > 32 && (bytes[to - 1] ?? 0) > 32)) return;
    let nul = false;
    while (from < to && (bytes[from] ?? 0) <= 32) nul = bytes[from++] === 0 || nul;
    while (to > from && (bytes[to - 1] ?? 0) <= 32) nul = bytes[--to] === 0 || nul;
    cells.from[cell] = from;
    cells.to[cell] = to;
    this.note(nul ? DEFECT.nul_cell : DEFECT.padded_cell);
  }

  /**
   * Returns the integer in a cell, 0 for an absent cell (-1). `sentinel` says whether 2^64 - 1 is read as 0 or refused.
   */
  integer(cell: number, sentinel: "zero" | "refuse"): number {
    if (cell < 0) return 0;
    // Only a cell that is not plain digits can need trimming.
    let value = plainInteger(this.bytes, this.cells.from[cell] ?? 0, this.cells.to[cell] ?? 0);
    if (value < 0) {
      this.trim(cell);
      value = plainInteger(this.bytes, this.cells.from[cell] ?? 0, this.cells.to[cell] ?? 0);
      if (value < 0) return this.odd(cell, 0, sentinel);
    }
    if (value > LARGEST_INT32) this.note(DEFECT.over_int32);
    return value;
  }

  /**
   * Returns the price that a cell states, converted to ten-thousandths of a yuan. It can be negative. `decimals` is 4
   * for cells in yuan and 0 for cells in ten-thousandths.
   */
  price(cell: number, decimals: 0 | 4): number {
    if (decimals === 4) {
      const plain = plainTenThousandths(this.bytes, this.cells.from[cell] ?? 0, this.cells.to[cell] ?? 0);
      if (plain >= 0) return plain;
    }
    this.trim(cell);
    const first = this.from(cell);
    const isNegative = this.bytes[first] === MINUS && (this.bytes[first + 1] ?? 0) > MINUS;
    if (isNegative) this.cells.from[cell] = first + 1;
    const value = decimals === 4 ? this.yuan(cell) : this.integer(cell, "refuse");
    return isNegative && value !== 0 ? -value : value;
  }

  /** Returns the double nearest to the decimal number in a cell, 0 for an absent cell (-1). */
  decimal(cell: number): number {
    if (cell < 0) return 0;
    const plain = plainDecimal(this.bytes, this.cells.from[cell] ?? 0, this.cells.to[cell] ?? 0);
    if (plain >= 0) return plain;
    this.trim(cell);
    const value = plainDecimal(this.bytes, this.cells.from[cell] ?? 0, this.cells.to[cell] ?? 0);
    return value < 0 ? this.unusual(cell, oddDecimal(this.text(cell))) : value;
  }

  /**
   * Returns whether the cell is six or more nines with an optional fraction of zeros, which stands for "no price" in
   * several sources.
   */
  isNines(cell: number): boolean {
    return /^9{6,}0*$/.test(this.text(cell).replace(".", ""));
  }

  /** Returns the integer in a cell, ignoring blanks around it; -1 for anything else. */
  bareInteger(cell: number): number {
    let [from, to] = [this.from(cell), this.to(cell)];
    while (from < to && (this.bytes[from] ?? 0) <= 32) from += 1;
    while (to > from && (this.bytes[to - 1] ?? 0) <= 32) to -= 1;
    return plainInteger(this.bytes, from, to);
  }

  private yuan(cell: number): number {
    this.trim(cell);
    const value = plainTenThousandths(this.bytes, this.cells.from[cell] ?? 0, this.cells.to[cell] ?? 0);
    return value < 0 ? this.odd(cell, 4, "refuse") : value;
  }

  /** Reads a number in an unusual form. Returns 0 and sets `problem` when it is not a number. */
  private odd(cell: number, decimals: number, sentinel: "zero" | "refuse"): number {
    const value = this.unusual(cell, oddNumber(this.text(cell), decimals, sentinel));
    if (decimals === 0 && value > LARGEST_INT32) this.note(DEFECT.over_int32);
    return value;
  }

  /**
   * Returns the value in `read` and counts its form as a defect if it is unusual. Without a value, sets `problem` and
   * returns 0.
   */
  private unusual(cell: number, read: OddNumber): number {
    if ("problem" in read) {
      this.failCell(cell, `that ${read.problem}`);
      return 0;
    }
    if (read.form === "empty") this.note(DEFECT.empty_cell);
    if (read.form === "sentinel") this.note(DEFECT.sentinel);
    if (read.form === "exponent") this.note(DEFECT.exponent);
    return read.value;
  }

  /** Returns a trimmed cell as text. */
  text(cell: number): string {
    return decodeText(this.bytes.subarray(this.cells.from[cell] ?? 0, this.cells.to[cell] ?? 0)).trim();
  }

  /** Counts a defect of the current line. */
  note(kind: number): void {
    tally(this.defects, kind, this.line);
  }

  /**
   * Sets the line's problem to the name of the cell's column and `problem`, such as "that is negative". Always returns
   * false.
   */
  failCell(cell: number, problem: string): false {
    const column = this.columns[cell] ?? "";
    return this.fail(`has ${/^[aeiou]/i.test(column) ? "an" : "a"} ${column} ${problem}`);
  }

  /** Sets the line's problem unless one is already set. Always returns false. */
  fail(problem: string): false {
    if (this.problem === "") this.problem = problem;
    return false;
  }
}
