/** Parses rows of quote files; written by hand for speed, because a row has more than fifty numbers. */
import { storedColumns } from "../../datasets/dataset.ts";
import { quotes } from "../../datasets/quotes.ts";
import type { Market } from "../../orders/record.ts";
import type { CellPlan } from "./cell-plan.ts";
import { ChunkParser } from "./chunk-parser.ts";
import type { RowTable } from "./row-table.ts";
import { exchangeOfCode, readSecurity } from "./security-cell.ts";

type NumberKind = "price" | "integer" | "yuan";

/** The columns with numbers of one kind. */
interface Cells {
  keys: readonly string[];
  /** The positions of the numbers; -1 for columns that the file lacks. */
  places: Int32Array;
  /** The table's columns, in the order of `keys`. */
  columns: Float64Array[];
}

export class QuoteParser extends ChunkParser {
  private readonly prices = this.cellsOf("price");
  private readonly quantities = this.cellsOf("integer");
  private readonly amounts = this.cellsOf("yuan");

  constructor(plan: CellPlan, table: RowTable) {
    super(plan, table);
    for (const cells of this.allCells()) {
      cells.places = Int32Array.from(cells.keys, (key) => this.place(key));
    }
    this.bindColumns();
  }

  protected override row(): boolean {
    const { reader, table } = this;
    if (!this.rightShape() || this.isSentinel()) return false;
    const security = this.security();
    if (security < 0 || !this.rightDay()) return false;
    if (table.reserve()) this.bindColumns();
    // The cells of a refused line are stored after the last row, where the next line overwrites them.
    this.readPrices(table.rows);
    this.readQuantities(table.rows);
    this.readAmounts(table.rows);
    const sequence = this.sequence();
    if (reader.problem !== "") return false;
    this.addRow(security, sequence);
    return true;
  }

  /** Returns the exchange that the code's digits imply, because nothing else in a quote names it. */
  protected override marketOfCodes(): Market | null {
    const cell = readSecurity(this.reader.text(this.plan.places.security));
    return cell === null ? null : exchangeOfCode(cell.symbol);
  }

  private readPrices(row: number): void {
    const { reader, plan } = this;
    const { places, columns } = this.prices;
    const decimals = plan.priceInYuan ? 4 : 0;
    for (let cell = 0; cell < places.length; cell++) {
      const place = places[cell] ?? -1;
      const value = place < 0 ? 0 : reader.price(place, decimals);
      if (value < 0) reader.failCell(place, "that is negative");
      const column = columns[cell];
      if (column !== undefined) column[row] = value;
    }
  }

  private readQuantities(row: number): void {
    const { places, columns } = this.quantities;
    for (let cell = 0; cell < places.length; cell++) {
      const value = this.reader.integer(places[cell] ?? -1, "zero");
      const column = columns[cell];
      if (column !== undefined) column[row] = value;
    }
  }

  private readAmounts(row: number): void {
    const { places, columns } = this.amounts;
    for (let cell = 0; cell < places.length; cell++) {
      const value = this.reader.decimal(places[cell] ?? -1);
      const column = columns[cell];
      if (column !== undefined) column[row] = value;
    }
  }

  private cellsOf(wanted: NumberKind): Cells {
    const keys = storedColumns(quotes).flatMap(({ kind, key }) => (kind === wanted ? key : []));
    return { keys, places: new Int32Array(keys.length), columns: [] };
  }

  private allCells(): Cells[] {
    return [this.prices, this.quantities, this.amounts];
  }

  private bindColumns(): void {
    for (const cells of this.allCells()) cells.columns = cells.keys.map((key) => this.numbers(key));
  }
}
