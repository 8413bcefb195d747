/**
 * Parses the lines of a file into rows; a subclass for each dataset parses the dataset's cells. A line becomes a row
 * only if every relevant cell is understood. A cell that is unusual but understood is counted as a defect. A line that
 * is not understood is returned as broken, with its number and the reason.
 */
import type { Market } from "../../orders/record.ts";
import type { CellPlan } from "./cell-plan.ts";
import { CellReader } from "./cell-reader.ts";
import { CodeTable } from "./code-table.ts";
import { type BrokenLine, DEFECT, type DefectTally } from "./defects.ts";
import { decodeText } from "./file-head.ts";
import { plainInteger } from "./number-cell.ts";
import type { RowTable } from "./row-table.ts";
import { NOT_CARRIED, SecurityReader, UNKNOWN_MARKET } from "./security-reader.ts";
import { readDate, readTime, TIME_FORM, type TimeCell } from "./time-cell.ts";

/** Longer lines are truncated in the quarantine. */
const QUARANTINED_BYTES = 400;

/** A longer text is not a code; the longest code of a source has six characters. */
const MOST_CODE_BYTES = 32;

/** Channel (below 2^15) and sequence number (below 2^38) are combined into one integer that a double holds exactly. */
const CHANNELS = 2 ** 15;
const NUMBERS = 2 ** 38;

/** The exchanges by their number in the layout's `sourceColumn`. */
const SOURCES: Record<number, Market> = { 101: "SH", 102: "SZ" };

const DAMAGED = "holds NUL bytes outside a value: the file is damaged here";

export interface ParsedChunk {
  /** The parser's table; valid until the next chunk is parsed. */
  table: RowTable;
  /** The texts of each code column, by the column's key. The codes in `table` are indices into them. */
  texts: Record<string, readonly string[]>;
  /** Number of lines that are not blank. */
  read: number;
  /** Number of lines, including blank and broken ones. */
  lines: number;
  defects: DefectTally;
  broken: BrokenLine[];
}

/** Parses the chunks of one file. */
export abstract class ChunkParser {
  protected readonly plan: CellPlan;
  protected readonly table: RowTable;
  protected readonly reader: CellReader;
  protected readonly securities: SecurityReader;
  protected readonly clock: TimeCell = { time: 0, form: 0, date: 0 };
  private readonly texts: Record<string, CodeTable> = {};
  private isContinued = false;

  /** Creates a parser that writes rows to `table`. Each call of `parse` clears the table first. */
  constructor(plan: CellPlan, table: RowTable) {
    this.plan = plan;
    this.table = table;
    this.reader = new CellReader(plan.delimiter, plan.columns);
    this.securities = new SecurityReader(plan.market);
  }

  /**
   * Adds the current line to the table. Returns false when the line is not a row; if that is an error, the reader's
   * `problem` is set.
   */
  protected abstract row(): boolean;

  /** Returns the exchange that a row's codes imply, or `null`. Used only when nothing else names the exchange. */
  protected abstract marketOfCodes(): Market | null;

  /** Returns the position of the stored column `key`, or -1. */
  protected place(key: string): number {
    return this.plan.cells[key] ?? -1;
  }

  /** Creates the table of texts of the code column `key`. */
  protected textsOf(key: string): CodeTable {
    const texts = new CodeTable();
    this.texts[key] = texts;
    return texts;
  }

  /** Returns the array of the numeric column `key`. The table replaces its arrays when it grows. */
  protected numbers(key: string): Float64Array {
    const column = this.table.columns[key];
    if (column instanceof Float64Array) return column;
    throw new Error(`the table has no numeric column ${key}`);
  }

  /** Returns the array of the code column `key`. The table replaces its arrays when it grows. */
  protected codes(key: string): Uint16Array {
    const column = this.table.columns[key];
    if (column instanceof Uint16Array) return column;
    throw new Error(`the table has no code column ${key}`);
  }

  /**
   * Parses the lines of `bytes` from byte `from`; the last one may lack its line end. `isContinued` says that the file
   * has lines before these.
   */
  parse(bytes: Uint8Array, from: number, isContinued: boolean): ParsedChunk {
    const { reader, table } = this;
    const broken: BrokenLine[] = [];
    table.clear();
    this.isContinued = isContinued;
    reader.start(bytes, from);
    while (reader.nextLine()) {
      if (this.row() || reader.problem === "") continue;
      const { lineFrom, lineTo } = reader.cells;
      const text = decodeText(bytes.subarray(lineFrom, Math.min(lineTo, lineFrom + QUARANTINED_BYTES)));
      broken.push({ line: reader.line, reason: reader.problem, text });
    }
    return {
      table,
      texts: Object.fromEntries(Object.entries(this.texts).map(([key, { values }]) => [key, values])),
      read: reader.line - (reader.defects.counts[DEFECT.blank_line] ?? 0),
      lines: reader.line,
      defects: reader.defects,
      broken,
    };
  }

  /** Adds the common columns of a valid row and returns its number. The caller adds the dataset's own columns. */
  protected addRow(security: number, sequence: number): number {
    const { table, clock, reader } = this;
    const row = table.rows;
    table.security[row] = security;
    table.time[row] = clock.time;
    table.sequence[row] = sequence;
    table.rows = row + 1;
    if (clock.form === TIME_FORM.ZERO_LOST) reader.note(DEFECT.time_zero_lost);
    if (clock.form === TIME_FORM.NO_MILLISECONDS) reader.note(DEFECT.time_without_milliseconds);
    if (reader.cells.quoted) reader.note(DEFECT.quoted_cell);
    if (this.securities.wentBack(security, clock.time)) reader.note(DEFECT.unsorted);
    return row;
  }

  /** Returns channel and sequence number as one number, or 0 without them. */
  protected sequence(): number {
    const { reader, plan } = this;
    const { places } = plan;
    if (places.sequence < 0) return 0;
    const number = reader.integer(places.sequence, "refuse");
    const channel = places.channel < 0 ? 0 : Math.max(0, reader.bareInteger(places.channel));
    if (number === 0) return 0;
    if (number < NUMBERS && channel < CHANNELS) return channel * NUMBERS + number;
    reader.failCell(places.sequence, "that is beyond 2^38, or a channel beyond 2^15");
    return 0;
  }

  /** Returns whether the line's date is 0, and records such a line. Some files end with such a line. */
  protected isSentinel(): boolean {
    const { reader, plan } = this;
    const { date } = plan.places;
    if (date < 0 || reader.to(date) - reader.from(date) > 2 || reader.bareInteger(date) !== 0) return false;
    reader.note(DEFECT.sentinel_row);
    return true;
  }

  /** Returns whether the line has as many cells as the header. A blank line is recorded and is not a problem. */
  protected rightShape(): boolean {
    const { reader, plan } = this;
    const { cells } = reader;
    const wanted = plan.columns.length;
    if (reader.isDamaged(wanted)) return reader.fail(DAMAGED);
    if (reader.isBlank(plan.places.security) && reader.lineIsBlank()) {
      reader.note(DEFECT.blank_line);
      return false;
    }
    let surplus = cells.count - wanted;
    for (let cell = wanted; cell < cells.count && reader.isBlank(cell); cell++) surplus -= 1;
    if (surplus !== 0) return reader.fail(`has ${cells.count} cells instead of ${wanted}`);
    const trailing = cells.count > wanted;
    // Only the last line of the file can lack its line end; its last value may be truncated.
    if (!trailing && !cells.ended && (this.isContinued || reader.line > 1)) {
      return reader.fail("is truncated: the file ends inside a line");
    }
    if (!trailing && plan.trailingDelimiter) {
      // When NULs have overwritten a comma, the empty cell after the trailing comma is read as the last value.
      if (cells.nuls > 0 && reader.isBlank(wanted - 1)) return reader.fail(DAMAGED);
      reader.note(DEFECT.no_trailing_comma);
    }
    return true;
  }

  /** Returns the number that `table` gives to the text of a cell; the text of an absent cell (-1) is `""`. */
  protected code(table: CodeTable, cell: number): number {
    const { reader } = this;
    if (cell < 0) return table.numberOf(reader.bytes, 0, 0);
    reader.trim(cell);
    const [from, to] = [reader.from(cell), reader.to(cell)];
    if (to - from <= MOST_CODE_BYTES) {
      const number = table.numberOf(reader.bytes, from, to);
      if (to - from < 3 || !table.values[number]?.includes("\uFFFD")) return number;
    }
    reader.failCell(cell, "that is not a code");
    return table.numberOf(reader.bytes, from, from);
  }

  /**
   * Returns the row's `securityKey`. Returns a negative value when the row has a problem, or when the service does not
   * carry the row's exchange. Records the reason in both cases.
   */
  protected security(): number {
    const { plan, reader, securities } = this;
    const { places } = plan;
    const isPadded = reader.hasNul(places.security);
    reader.trim(places.security);
    let key = securities.keyOf(reader.bytes, reader.from(places.security), reader.to(places.security));
    if (key === UNKNOWN_MARKET) key = securities.keyIn(this.marketOf());
    if (key === NOT_CARRIED) return this.notCarried();
    if (key < 0) {
      reader.fail(`names no security of a known exchange`);
      return key;
    }
    // When NULs have overwritten digits, the rest can be the code of another security.
    if (isPadded && securities.zerosLost) {
      reader.fail(DAMAGED);
      return -1;
    }
    if (plan.expected !== null && key !== plan.expected) {
      reader.fail("names a different security from its folder");
      return -1;
    }
    if (places.source >= 0 && !this.isOfSource(key)) return NOT_CARRIED;
    if (securities.zerosLost) reader.note(DEFECT.code_without_zeros);
    return places.exchangeCode < 0 || this.rightExchangeCode(key) ? key : -1;
  }

  /** Returns the market of a code without a suffix: from the market column or from the row's codes. */
  private marketOf(): Market | null {
    const { reader, plan } = this;
    const { market } = plan.places;
    if (market < 0 || reader.isBlank(market)) return this.marketOfCodes();
    const text = reader.text(market).toUpperCase();
    return text === "SH" || text === "SZ" ? text : null;
  }

  /** Records a row of an exchange that is not carried. A row that already has a problem is quarantined instead. */
  private notCarried(): typeof NOT_CARRIED {
    if (this.reader.problem === "") this.reader.note(DEFECT.market_not_carried);
    return NOT_CARRIED;
  }

  /**
   * Returns whether the source column is blank or names the exchange of the security `key`. If the column names the
   * other exchange, the row has a problem. If it names an exchange that is not carried, the row is recorded.
   */
  private isOfSource(key: number): boolean {
    const { reader, plan } = this;
    const source = reader.bareInteger(plan.places.source);
    if (source < 0) return true;
    const market = SOURCES[source];
    if (market === undefined) this.notCarried();
    else if (market !== (key % 2 === 1 ? "SZ" : "SH")) {
      reader.failCell(plan.places.source, "that names a different exchange from its security's");
    } else return true;
    return false;
  }

  private rightExchangeCode(key: number): boolean {
    const { reader, plan } = this;
    const place = plan.places.exchangeCode;
    reader.trim(place);
    const digits = reader.to(place) - reader.from(place);
    if (digits === 0) return true;
    if (plainInteger(reader.bytes, reader.from(place), reader.to(place)) !== key >> 1) {
      return reader.failCell(place, "that is not its security's");
    }
    if (digits < 6) reader.note(DEFECT.code_without_zeros);
    return true;
  }

  /** Returns whether time and date are valid and belong to the pack's day. */
  protected rightDay(): boolean {
    const { plan, reader, clock } = this;
    const { time, date } = plan.places;
    reader.trim(time);
    if (!readTime(reader.bytes, reader.from(time), reader.to(time), clock)) {
      return reader.fail("has no time of day");
    }
    if (clock.date !== 0 && clock.date !== plan.tradedate) {
      return reader.fail("belongs to another day");
    }
    if (date < 0) return true;
    reader.trim(date);
    const day = readDate(reader.bytes, reader.from(date), reader.to(date));
    return day === plan.tradedate || reader.fail("belongs to another day");
  }
}
