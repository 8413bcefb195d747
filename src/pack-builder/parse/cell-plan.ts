/** A layout applied to one file: which cell of its lines holds what. Passes between threads as it is. */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { Market, Security } from "../../orders/record.ts";
import type { CodeMap, Layout } from "../layouts/layout.ts";
import { securityKey } from "./security-cell.ts";

/** Places of cells in a line, from 0; -1 for what the layout or the file does not have. */
export interface CellPlaces {
  security: number;
  market: number;
  exchangeCode: number;
  date: number;
  time: number;
  orderId: number;
  exchangeOrderId: number;
  orderType: number;
  orderCode: number;
  price: number;
  volume: number;
  channel: number;
  sequence: number;
  source: number;
}

export interface CellPlan {
  delimiter: number;
  columns: string[];
  /** Every line should end with a delimiter. */
  trailingDelimiter: boolean;
  places: CellPlaces;
  /** Where the exchange order number depends on the order code: code and place. */
  numberBySide: { code: string; place: number }[];
  priceInYuan: boolean;
  market: Market | null;
  /** `securityKey` of the only security the file may hold. */
  expected: number | null;
  /** YYYYMMDD as a number. */
  tradedate: number;
  typeMaps: Partial<Record<Market, CodeMap>>;
  codeMap: CodeMap;
  trades: string[];
  /** Whether the sequence number orders the rows of a millisecond. */
  sequenceOrders: boolean;
}

/** The plan for a file of `layout` with these `columns`; `expected` is the only security that it may hold. */
export function planCells(
  layout: Layout,
  columns: readonly string[],
  { tradedate, expected }: { tradedate: BeijingDate; expected: Security | null },
): CellPlan {
  const place = (names: string): number => {
    for (const name of names.split("|")) {
      const found = columns.indexOf(name);
      if (found >= 0) return found;
    }
    throw new Error(`the column ${names} of the layout ${layout.name} is missing`);
  };
  const optional = (names: string | undefined): number => (names === undefined ? -1 : columns.indexOf(names));
  const bySide = typeof layout.exchangeOrderId === "string" ? {} : layout.exchangeOrderId;
  return {
    delimiter: layout.delimiter.charCodeAt(0),
    columns: [...columns],
    trailingDelimiter: layout.trailingComma === true,
    places: {
      security: place(layout.security.column),
      market: optional(layout.security.marketColumn),
      exchangeCode: optional(layout.exchangeCode),
      date: optional(layout.date),
      time: place(layout.time),
      orderId: optional(layout.orderId),
      exchangeOrderId: typeof layout.exchangeOrderId === "string" ? place(layout.exchangeOrderId) : -1,
      orderType: place(layout.orderType.column),
      orderCode: place(layout.orderCode.column),
      price: place(layout.price.column),
      volume: place(layout.volume),
      channel: optional(layout.sequence?.channel),
      sequence: optional(layout.sequence?.number),
      source: optional(layout.security.sourceColumn),
    },
    numberBySide: Object.entries(bySide).map(([code, column]) => ({ code, place: place(column) })),
    priceInYuan: layout.price.unit === "yuan",
    market: layout.security.market ?? null,
    expected: expected === null ? null : securityKey(expected.symbol, expected.market),
    tradedate: Number(tradedate),
    typeMaps: layout.orderType.map ?? {},
    codeMap: layout.orderCode.map ?? {},
    trades: [...(layout.trades ?? [])],
    sequenceOrders: layout.sequence?.ordersRows === true,
  };
}
