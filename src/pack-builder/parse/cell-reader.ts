/**
 * The cells of one line as values: trimmed, numbers read, oddities counted, the first problem kept. The parser
 * moves it from line to line.
 */
import { DEFECT, type DefectTally, newTally, tally } from "./defects.ts";
import { decodeText } from "./file-head.ts";
import { LineCells } from "./line-cells.ts";
import { oddNumber, plainInteger, plainTenThousandths } from "./number-cell.ts";

const MINUS = 45;
const LARGEST_INT32 = 2_147_483_647;
/** Sources that keep cells in fixed width fill them with NUL bytes; no cell is wider than this. */
const MOST_NULS = 32;

export class CellReader {
  readonly cells = new LineCells();
  bytes: Uint8Array = new Uint8Array(0);
  /** Lines of the chunk so far: the number of the present one, the first being 1. */
  line = 0;
  defects: DefectTally = newTally();
  /** Why the present line is no row; empty while nothing is wrong. */
  problem = "";
  private readonly delimiter: number;
  private readonly columns: readonly string[];
  private next = 0;

  constructor(delimiter: number, columns: readonly string[]) {
    this.delimiter = delimiter;
    this.columns = columns;
  }

  /** Begins with the lines of `bytes` from byte `from` on. */
  start(bytes: Uint8Array, from: number): void {
    this.bytes = bytes;
    this.next = from;
    this.line = 0;
    this.defects = newTally();
  }

  /** Moves to the next line; false when there is none. */
  nextLine(): boolean {
    if (this.next >= this.bytes.length) return false;
    this.next = this.cells.split(this.bytes, this.next, this.delimiter);
    this.line += 1;
    this.problem = "";
    return true;
  }

  /** The first byte of a cell, and the first one behind it. */
  from(cell: number): number {
    return this.cells.from[cell] ?? 0;
  }

  to(cell: number): number {
    return this.cells.to[cell] ?? 0;
  }

  /** Whether the line is nothing but blanks, NULs and delimiters. */
  lineIsBlank(): boolean {
    for (let at = this.cells.lineFrom; at < this.cells.lineTo; at++) {
      const byte = this.bytes[at] ?? 0;
      if (byte > 32 && byte !== this.delimiter) return false;
    }
    return true;
  }

  /**
   * Whether the line holds NUL bytes that no cell of a source has: in a line without cells, behind the last of
   * `columns` cells, inside a value, or more in a row than a cell is wide.
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

  /** Whether the cell holds NUL bytes. */
  hasNul(cell: number): boolean {
    return this.cells.nuls > 0 && this.bytes.subarray(this.from(cell), this.to(cell)).includes(0);
  }

  /** Whether the cell is absent or nothing but blanks and NULs. */
  isBlank(cell: number): boolean {
    const { from, to, count } = this.cells;
    if (cell >= count) return true;
    for (let at = from[cell] ?? 0; at < (to[cell] ?? 0); at++) if ((this.bytes[at] ?? 0) > 32) return false;
    return true;
  }

  /** Takes blanks, tabs and NULs off both ends of a cell. */
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

  /** The integer in a cell, 0 for no cell (-1); `sentinel`: what 2^64 - 1 becomes. */
  integer(cell: number, sentinel: "zero" | "refuse"): number {
    if (cell < 0) return 0;
    this.trim(cell);
    const value = plainInteger(this.bytes, this.cells.from[cell] ?? 0, this.cells.to[cell] ?? 0);
    if (value < 0) return this.odd(cell, 0, sentinel);
    if (value > LARGEST_INT32) this.note(DEFECT.over_int32);
    return value;
  }

  /** The price in a cell × 10000, negative ones included; `decimals`: 4 for yuan, 0 for ten-thousandths. */
  price(cell: number, decimals: 0 | 4): number {
    this.trim(cell);
    const first = this.from(cell);
    const isNegative = this.bytes[first] === MINUS && (this.bytes[first + 1] ?? 0) > MINUS;
    if (isNegative) this.cells.from[cell] = first + 1;
    const value = decimals === 4 ? this.yuan(cell) : this.integer(cell, "refuse");
    return isNegative && value !== 0 ? -value : value;
  }

  /** Whether the cell is six or more nines, with a point and zeros behind them or not: no price in several sources. */
  isNines(cell: number): boolean {
    return /^9{6,}0*$/.test(this.text(cell).replace(".", ""));
  }

  /** The integer in a cell, blanks around it or not; -1 for a blank cell or anything else. */
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

  /** A number in an odd form; 0 with `problem` set when it is none. */
  private odd(cell: number, decimals: number, sentinel: "zero" | "refuse"): number {
    const read = oddNumber(this.text(cell), decimals, sentinel);
    if ("problem" in read) {
      this.fail(`has a ${this.columns[cell]} that ${read.problem}`);
      return 0;
    }
    if (read.form === "empty") this.note(DEFECT.empty_cell);
    if (read.form === "sentinel") this.note(DEFECT.sentinel);
    if (read.form === "exponent") this.note(DEFECT.exponent);
    if (decimals === 0 && read.value > LARGEST_INT32) this.note(DEFECT.over_int32);
    return read.value;
  }

  /** A trimmed cell as text. */
  text(cell: number): string {
    return decodeText(this.bytes.subarray(this.cells.from[cell] ?? 0, this.cells.to[cell] ?? 0)).trim();
  }

  /** Counts a defect of the present line. */
  note(kind: number): void {
    tally(this.defects, kind, this.line);
  }

  /** Sets the line's problem, the first one only; always false. */
  fail(problem: string): false {
    if (this.problem === "") this.problem = problem;
    return false;
  }
}
