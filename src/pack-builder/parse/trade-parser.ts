/** Parses rows of trade files; written by hand for speed. */
import type { Market } from "../../orders/record.ts";
import type { CellPlan } from "./cell-plan.ts";
import { ChunkParser } from "./chunk-parser.ts";
import type { CodeTable } from "./code-table.ts";
import { DEFECT } from "./defects.ts";
import type { RowTable } from "./row-table.ts";

const FLAGS = new Set(["", "B", "S", "N"]);
const CANCEL = "C";
/** Codes of fills and cancels in Shenzhen; Shanghai has no codes. */
const SHENZHEN_CODES = new Set(["0", CANCEL]);

/** Classes of Shenzhen's trade codes. */
const CODE = { FILL: 0, CANCEL: 1, UNKNOWN: 2 } as const;

export class TradeParser extends ChunkParser {
  private readonly flags = this.textsOf("bsFlag");
  private readonly tradeCodes = this.textsOf("tradeCode");
  private readonly orderKinds = this.textsOf("orderKind");
  private readonly rowKinds: CodeTable | null;
  private readonly places: Record<
    "id" | "price" | "volume" | "flag" | "code" | "buy" | "sell" | "orderKind",
    number
  >;
  /** Whether each flag is known, for Shanghai and for Shenzhen. */
  private readonly knownFlags: readonly [boolean[], boolean[]] = [[], []];
  private readonly codeClasses: number[] = [];
  private columns = this.tableColumns();
  private tradeCode = 0;

  constructor(plan: CellPlan, table: RowTable) {
    super(plan, table);
    this.rowKinds = plan.onlyRows === null ? null : this.textsOf("");
    this.places = {
      id: this.place("tradeId"),
      price: this.place("priceE4"),
      volume: this.place("volume"),
      flag: this.place("bsFlag"),
      code: this.place("tradeCode"),
      buy: this.place("buyOrderId"),
      sell: this.place("sellOrderId"),
      orderKind: this.place("orderKind"),
    };
  }

  protected override row(): boolean {
    const { plan, reader, table, places } = this;
    if (!this.rightShape() || this.isSentinel() || !this.isTrade()) return false;
    const code = this.code(this.tradeCodes, places.code);
    this.tradeCode = code;
    const security = this.security();
    if (security < 0 || !this.rightDay()) return false;
    const flag = this.code(this.flags, places.flag);
    const orderKind = this.code(this.orderKinds, places.orderKind);
    const tradeId = reader.integer(places.id, "zero");
    const buyOrderId = reader.integer(places.buy, "zero");
    const sellOrderId = reader.integer(places.sell, "zero");
    const priceE4 = reader.price(places.price, plan.priceInYuan ? 4 : 0);
    const volume = reader.integer(places.volume, "zero");
    const sequence = this.sequence();
    if (priceE4 < 0) reader.failCell(places.price, "that is negative");
    if (reader.problem !== "") return false;

    if (table.reserve()) this.columns = this.tableColumns();
    const { columns } = this;
    const row = this.addRow(security, sequence);
    columns.tradeId[row] = tradeId;
    columns.priceE4[row] = priceE4;
    columns.volume[row] = volume;
    columns.bsFlag[row] = flag;
    columns.tradeCode[row] = code;
    columns.buyOrderId[row] = buyOrderId;
    columns.sellOrderId[row] = sellOrderId;
    columns.orderKind[row] = orderKind;
    if (!this.isKnownFlag(flag, security % 2 === 1 ? "SZ" : "SH")) reader.note(DEFECT.unknown_flag);
    if (security % 2 === 1) this.noteCode(code, buyOrderId > 0 !== sellOrderId > 0);
    return true;
  }

  protected override marketOfCodes(): Market | null {
    const text = this.tradeCodes.values[this.tradeCode] ?? "";
    if (text === "") return "SH";
    return SHENZHEN_CODES.has(text) ? "SZ" : null;
  }

  /** Returns whether the row is a trade. The layout says whether other rows are left out or quarantined. */
  private isTrade(): boolean {
    const { reader, rowKinds } = this;
    const { onlyRows } = this.plan;
    if (onlyRows === null || rowKinds === null) return true;
    const kind = rowKinds.values[this.code(rowKinds, onlyRows.place)] ?? "";
    if (reader.problem !== "") return false;
    if (onlyRows.codes.includes(kind)) return true;
    if (onlyRows.others === "quarantined") {
      const codes = onlyRows.codes.join(", ");
      return reader.failCell(onlyRows.place, `other than ${codes}, whose meaning is unknown`);
    }
    reader.note(DEFECT.order_row);
    return false;
  }

  private isKnownFlag(flag: number, market: Market): boolean {
    const known = this.knownFlags[market === "SH" ? 0 : 1];
    const found = known[flag];
    if (found !== undefined) return found;
    const text = this.flags.values[flag] ?? "";
    const isKnown = FLAGS.has(this.plan.codeMaps.bsFlag?.[market]?.[text] ?? text);
    known[flag] = isKnown;
    return isKnown;
  }

  /** Records a Shenzhen code that is unknown, or that names a cancel in a row without exactly one order number. */
  private noteCode(code: number, isOneNumber: boolean): void {
    const { reader } = this;
    const codeClass = this.codeClasses[code] ?? this.classify(code);
    if (codeClass === CODE.UNKNOWN) reader.note(DEFECT.unknown_trade_code);
    else if (codeClass === CODE.CANCEL && !isOneNumber) reader.note(DEFECT.cancel_numbers);
  }

  private classify(code: number): number {
    const text = this.tradeCodes.values[code] ?? "";
    const meant = this.plan.codeMaps.tradeCode?.SZ?.[text] ?? text;
    const found = !SHENZHEN_CODES.has(meant) ? CODE.UNKNOWN : meant === CANCEL ? CODE.CANCEL : CODE.FILL;
    this.codeClasses[code] = found;
    return found;
  }

  private tableColumns() {
    return {
      tradeId: this.numbers("tradeId"),
      priceE4: this.numbers("priceE4"),
      volume: this.numbers("volume"),
      bsFlag: this.codes("bsFlag"),
      tradeCode: this.codes("tradeCode"),
      buyOrderId: this.numbers("buyOrderId"),
      sellOrderId: this.numbers("sellOrderId"),
      orderKind: this.codes("orderKind"),
    };
  }
}
