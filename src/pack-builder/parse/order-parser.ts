/** Parses rows of order files; written by hand for speed, because a day has 130 million rows. */
import type { Market } from "../../orders/record.ts";
import type { CellPlan } from "./cell-plan.ts";
import { ChunkParser } from "./chunk-parser.ts";
import { DEFECT } from "./defects.ts";
import type { RowTable } from "./row-table.ts";

const SHANGHAI_TYPES = new Set(["A", "D", "S"]);
const SHENZHEN_TYPES = new Set(["0", "1", "U"]);

/** Classes of order types. */
const TYPE = { KNOWN: 0, BLANK: 1, UNKNOWN: 2, TRADE: 3, PHASE: 4 } as const;

/** The order codes that are not reported as unknown. `F` and `G` are Shenzhen's lending sides. */
const SIDES = new Set(["B", "S", "F", "G", "N"]);

/** Classes of order codes. */
const CODE = { KNOWN: 0, BLANK: 1, UNKNOWN: 2 } as const;

export class OrderParser extends ChunkParser {
  private readonly types = this.textsOf("orderType");
  private readonly sides = this.textsOf("orderCode");
  private readonly typeClasses: number[] = [];
  private readonly sideClasses: number[] = [];
  private readonly places: Record<"id" | "number" | "type" | "side" | "price" | "volume", number>;
  private readonly numberBySide: readonly { code: string; place: number }[];
  private columns = this.tableColumns();
  private orderType = 0;

  constructor(plan: CellPlan, table: RowTable) {
    super(plan, table);
    this.places = {
      id: this.place("orderId"),
      number: this.place("exchangeOrderId"),
      type: this.place("orderType"),
      side: this.place("orderCode"),
      price: this.place("priceE4"),
      volume: this.place("volume"),
    };
    this.numberBySide = plan.byCode.exchangeOrderId ?? [];
  }

  protected override row(): boolean {
    const { plan, reader, table, places } = this;
    if (!this.rightShape() || this.isSentinel()) return false;
    const orderType = this.code(this.types, places.type);
    if (this.classOf(orderType) === TYPE.TRADE) {
      reader.note(DEFECT.trade_row);
      return false;
    }
    this.orderType = orderType;
    const security = this.security();
    if (security < 0 || !this.rightDay()) return false;
    const side = this.code(this.sides, places.side);
    this.classifySide(side);
    const orderId = reader.integer(places.id, "zero");
    const number = reader.integer(places.number >= 0 ? places.number : this.sidePlace(side), "zero");
    const priceE4 = reader.price(places.price, plan.priceInYuan ? 4 : 0);
    const volume = reader.integer(places.volume, "zero");
    const sequence = this.sequence();
    const isMarketOrder = this.isMarketOrder(orderType, security);
    if (priceE4 < 0 && !isMarketOrder) reader.failCell(places.price, "that is negative");
    if (reader.problem !== "") return false;

    if (table.reserve()) this.columns = this.tableColumns();
    const { columns } = this;
    const row = this.addRow(security, sequence);
    columns.orderId[row] = orderId;
    columns.exchangeOrderId[row] = number;
    columns.orderType[row] = orderType;
    columns.orderCode[row] = side;
    columns.priceE4[row] = priceE4;
    columns.volume[row] = volume;
    this.noteOddities(orderType, side);
    if (isMarketOrder) this.noteMarketPrice(priceE4);
    return true;
  }

  private tableColumns() {
    return {
      orderId: this.numbers("orderId"),
      exchangeOrderId: this.numbers("exchangeOrderId"),
      orderType: this.codes("orderType"),
      orderCode: this.codes("orderCode"),
      priceE4: this.numbers("priceE4"),
      volume: this.numbers("volume"),
    };
  }

  private noteOddities(orderType: number, side: number): void {
    const { reader } = this;
    const typeClass = this.typeClasses[orderType];
    if (typeClass === TYPE.BLANK) reader.note(DEFECT.blank_type);
    if (typeClass === TYPE.UNKNOWN) reader.note(DEFECT.unknown_letter);
    const sideClass = this.sideClasses[side];
    if (sideClass === CODE.BLANK) reader.note(DEFECT.blank_code);
    if (sideClass === CODE.UNKNOWN && typeClass !== TYPE.PHASE) reader.note(DEFECT.unknown_code);
  }

  private noteMarketPrice(priceE4: number): void {
    const { reader, places } = this;
    if (priceE4 === 0) reader.note(DEFECT.market_price_zero);
    else if (priceE4 < 0) reader.note(DEFECT.market_price_negative);
    else if (reader.isNines(places.price)) reader.note(DEFECT.market_price_nines);
  }

  /** Returns whether the row is a Shenzhen order without a limit. The price of such an order is meaningless. */
  private isMarketOrder(orderType: number, security: number): boolean {
    if (security % 2 === 0) return false;
    const text = this.types.values[orderType] ?? "";
    const type = this.plan.codeMaps.orderType?.SZ?.[text] ?? text;
    return type === "1" || type === "U";
  }

  private classifySide(side: number): void {
    if (this.sideClasses[side] !== undefined) return;
    const text = this.sides.values[side] ?? "";
    // The map of the Shenzhen side codes also serves for Shanghai, because both maps are the same.
    const known = SIDES.has(this.plan.codeMaps.orderCode?.SZ?.[text] ?? text);
    this.sideClasses[side] = text === "" ? CODE.BLANK : known ? CODE.KNOWN : CODE.UNKNOWN;
  }

  private classOf(orderType: number): number {
    const known = this.typeClasses[orderType];
    if (known !== undefined) return known;
    const text = this.types.values[orderType] ?? "";
    const { SH = {}, SZ = {} } = this.plan.codeMaps.orderType ?? {};
    let found: number = TYPE.UNKNOWN;
    if (text === "") found = TYPE.BLANK;
    else if (this.plan.trades.includes(text)) found = TYPE.TRADE;
    else if ((SH[text] ?? text) === "S") found = TYPE.PHASE;
    else if (SHANGHAI_TYPES.has(SH[text] ?? text) || SHENZHEN_TYPES.has(SZ[text] ?? text)) found = TYPE.KNOWN;
    this.typeClasses[orderType] = found;
    return found;
  }

  protected override marketOfCodes(): Market | null {
    const type = this.types.values[this.orderType] ?? "";
    if (SHANGHAI_TYPES.has(type)) return "SH";
    return SHENZHEN_TYPES.has(type) ? "SZ" : null;
  }

  /** Returns the position of the exchange order number for this side; -1 for a code that names neither side. */
  private sidePlace(side: number): number {
    const code = this.sides.values[side];
    for (const each of this.numberBySide) if (each.code === code) return each.place;
    return -1;
  }
}
