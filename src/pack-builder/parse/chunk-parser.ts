/**
 * Lines of an order file → rows. Strict: a line becomes a row only if every cell that matters is understood;
 * what is odd but understood is counted, what is not goes back as broken with its line and reason.
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

/** Longer lines are cut in the quarantine. */
const QUARANTINED_BYTES = 400;
const SHANGHAI_TYPES = new Set(["A", "D", "S"]);
const SHENZHEN_TYPES = new Set(["0", "1", "U"]);

/** What an order type is to the parser. */
const TYPE = { KNOWN: 0, BLANK: 1, UNKNOWN: 2, TRADE: 3 } as const;

export interface ParsedChunk {
  /** The table given to the parser: valid until the next chunk. */
  table: RowTable;
  typeValues: readonly string[];
  codeValues: readonly string[];
  /** Lines of the chunk that are not blank. */
  read: number;
  /** Lines of the chunk, blank and broken ones included. */
  lines: number;
  defects: DefectTally;
  broken: BrokenLine[];
}

/** Parses the chunks of one file. */
export class ChunkParser {
  private readonly plan: CellPlan;
  private readonly table: RowTable;
  private readonly reader: CellReader;
  private readonly types = new CodeTable();
  private readonly codes = new CodeTable();
  private readonly typeClasses: number[] = [];
  private readonly securities: SecurityReader;
  private readonly clock: TimeCell = { time: 0, form: 0, date: 0 };
  private previousTrailing = false;

  /** Rows go to `table`, which every chunk clears. */
  constructor(plan: CellPlan, table: RowTable) {
    this.plan = plan;
    this.table = table;
    this.reader = new CellReader(plan.delimiter, plan.columns);
    this.securities = new SecurityReader(plan.market);
  }

  /** Parses `bytes`, whole lines from byte `from` on (the last one may lack its end). */
  parse(bytes: Uint8Array, from: number): ParsedChunk {
    const { reader, table } = this;
    const broken: BrokenLine[] = [];
    table.clear();
    this.previousTrailing = false;
    reader.start(bytes, from);
    while (reader.nextLine()) {
      if (this.row() || reader.problem === "") continue;
      const { lineFrom, lineTo } = reader.cells;
      const text = decodeText(bytes.subarray(lineFrom, Math.min(lineTo, lineFrom + QUARANTINED_BYTES)));
      broken.push({ line: reader.line, reason: reader.problem, text });
    }
    return {
      table,
      typeValues: this.types.values,
      codeValues: this.codes.values,
      read: reader.line - (reader.defects.counts[DEFECT.blank_line] ?? 0),
      lines: reader.line,
      defects: reader.defects,
      broken,
    };
  }

  /** Adds the line to the table; false when it is no row, which is a problem of the reader or in order. */
  private row(): boolean {
    const { plan, reader, table, clock } = this;
    const { places } = plan;
    if (!this.rightShape()) return false;
    const orderType = this.code(this.types, places.orderType);
    if (this.classOf(orderType) === TYPE.TRADE) {
      reader.note(DEFECT.trade_row);
      return false;
    }
    const security = this.security(orderType);
    if (security < 0 || !this.rightDay()) return false;
    const orderCode = this.code(this.codes, places.orderCode);
    const numberPlace = places.exchangeOrderId >= 0 ? places.exchangeOrderId : this.sidePlace(orderCode);
    const orderId = reader.integer(places.orderId, "zero");
    const exchangeOrderId = reader.integer(numberPlace, "zero");
    const priceE4 = plan.priceInYuan ? reader.yuan(places.price) : reader.integer(places.price, "refuse");
    const volume = reader.integer(places.volume, "zero");
    const sequence = reader.integer(places.sequence, "refuse");
    if (reader.problem !== "") return false;

    table.reserve();
    const row = table.rows;
    table.security[row] = security;
    table.time[row] = clock.time;
    table.orderId[row] = orderId;
    table.exchangeOrderId[row] = exchangeOrderId;
    table.orderType[row] = orderType;
    table.orderCode[row] = orderCode;
    table.priceE4[row] = priceE4;
    table.volume[row] = volume;
    table.sequence[row] = sequence;
    table.rows = row + 1;
    this.noteOddities(orderType, orderCode);
    if (this.securities.wentBack(security, clock.time)) reader.note(DEFECT.unsorted);
    return true;
  }

  private noteOddities(orderType: number, orderCode: number): void {
    const { reader, clock } = this;
    const typeClass = this.typeClasses[orderType];
    if (typeClass === TYPE.BLANK) reader.note(DEFECT.blank_type);
    if (typeClass === TYPE.UNKNOWN) reader.note(DEFECT.unknown_letter);
    if (this.codes.values[orderCode] === "") reader.note(DEFECT.blank_code);
    if (clock.form === TIME_FORM.ZERO_LOST) reader.note(DEFECT.time_zero_lost);
    if (clock.form === TIME_FORM.NO_MILLISECONDS) reader.note(DEFECT.time_without_milliseconds);
    if (reader.cells.quoted) reader.note(DEFECT.quoted_cell);
  }

  /** Whether the line has the cells of the header. A blank line is noted and is no problem. */
  private rightShape(): boolean {
    const { reader, plan } = this;
    const { cells } = reader;
    if (reader.isBlank(plan.places.security) && reader.lineIsBlank()) {
      reader.note(DEFECT.blank_line);
      return false;
    }
    const wanted = plan.columns.length;
    let surplus = cells.count - wanted;
    for (let cell = wanted; cell < cells.count && reader.isBlank(cell); cell++) surplus -= 1;
    if (surplus !== 0) return reader.fail(`has ${cells.count} cells instead of ${wanted}`);
    const trailing = cells.count > wanted;
    // The line before ended with a comma and this one, the file's last, ends with nothing at all: whatever
    // wrote it stopped in the middle, and the last number may be a part of one.
    if (!trailing && !cells.ended && this.previousTrailing) {
      return reader.fail("is cut short: the file ends without its line end and trailing comma");
    }
    if (!trailing && plan.trailingDelimiter) reader.note(DEFECT.no_trailing_comma);
    this.previousTrailing = trailing;
    return true;
  }

  private code(table: CodeTable, cell: number): number {
    const { reader } = this;
    reader.trim(cell);
    return table.numberOf(reader.bytes, reader.from(cell), reader.to(cell));
  }

  private classOf(orderType: number): number {
    const known = this.typeClasses[orderType];
    if (known !== undefined) return known;
    const text = this.types.values[orderType] ?? "";
    const { SH = {}, SZ = {} } = this.plan.typeMaps;
    let found: number = TYPE.UNKNOWN;
    if (text === "") found = TYPE.BLANK;
    else if (this.plan.trades.includes(text)) found = TYPE.TRADE;
    else if (SHANGHAI_TYPES.has(SH[text] ?? text) || SHENZHEN_TYPES.has(SZ[text] ?? text)) found = TYPE.KNOWN;
    this.typeClasses[orderType] = found;
    return found;
  }

  /** The row's `securityKey`; negative with a problem, or with a note when its exchange is not carried. */
  private security(orderType: number): number {
    const { plan, reader, securities } = this;
    const { places } = plan;
    reader.trim(places.security);
    let key = securities.keyOf(reader.bytes, reader.from(places.security), reader.to(places.security));
    if (key === UNKNOWN_MARKET) key = securities.keyIn(this.marketOf(orderType));
    if (key === NOT_CARRIED) {
      reader.note(DEFECT.market_not_carried);
      return key;
    }
    if (key < 0) {
      reader.fail(`names no security of a known exchange: ${JSON.stringify(reader.text(places.security))}`);
      return key;
    }
    if (plan.expected !== null && key !== plan.expected) {
      reader.fail(`is of ${reader.text(places.security)}, another security than its folder's`);
      return -1;
    }
    if (securities.zerosLost) reader.note(DEFECT.code_without_zeros);
    return places.exchangeCode < 0 || this.rightExchangeCode(key) ? key : -1;
  }

  /** The market of a code without a suffix: the market column's, or the one that knows the order type. */
  private marketOf(orderType: number): Market | null {
    const { reader, plan } = this;
    const { market } = plan.places;
    if (market >= 0 && !reader.isBlank(market)) {
      const text = reader.text(market).toUpperCase();
      return text === "SH" || text === "SZ" ? text : null;
    }
    const type = this.types.values[orderType] ?? "";
    if (SHANGHAI_TYPES.has(type)) return "SH";
    return SHENZHEN_TYPES.has(type) ? "SZ" : null;
  }

  private rightExchangeCode(key: number): boolean {
    const { reader, plan } = this;
    const place = plan.places.exchangeCode;
    reader.trim(place);
    const digits = reader.to(place) - reader.from(place);
    if (digits === 0) return true;
    if (plainInteger(reader.bytes, reader.from(place), reader.to(place)) !== key >> 1) {
      return reader.fail(`has ${plan.columns[place]} ${reader.text(place)} beside another code`);
    }
    if (digits < 6) reader.note(DEFECT.code_without_zeros);
    return true;
  }

  /** Whether time and date are right and of the pack's day. */
  private rightDay(): boolean {
    const { plan, reader, clock } = this;
    const { time, date } = plan.places;
    reader.trim(time);
    if (!readTime(reader.bytes, reader.from(time), reader.to(time), clock)) {
      return reader.fail(`has no time of day: ${JSON.stringify(reader.text(time))}`);
    }
    if (clock.date !== 0 && clock.date !== plan.tradedate) {
      return reader.fail(`is of another day: ${clock.date}`);
    }
    if (date < 0) return true;
    reader.trim(date);
    const day = readDate(reader.bytes, reader.from(date), reader.to(date));
    return day === plan.tradedate || reader.fail(`is of another day: ${JSON.stringify(reader.text(date))}`);
  }

  /** Where the exchange order number of a row with this code stands; -1 where neither side is meant. */
  private sidePlace(orderCode: number): number {
    const code = this.codes.values[orderCode];
    for (const side of this.plan.numberBySide) if (side.code === code) return side.place;
    return -1;
  }
}
