/** A layout applied to one file: the meaning of each cell. The plan is passed between threads by value. */
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { Market, Security } from "../../orders/record.ts";
import type { CellSource, CodeMap, Layout } from "../layouts/layout.ts";
import { securityKey } from "./security-cell.ts";

export interface CellPlan {
  delimiter: number;
  columns: string[];
  /** Whether every line should end with a delimiter. */
  trailingDelimiter: boolean;
  /** Positions of cells in a line, from 0; -1 if the layout or the file lacks the cell. */
  places: Record<
    "security" | "market" | "exchangeCode" | "date" | "time" | "channel" | "sequence" | "source",
    number
  >;
  /** Positions of the dataset's stored columns by key. A column without a key here has the position -1. */
  cells: Record<string, number>;
  /**
   * The source columns of stored columns that are read from different source columns for different codes. Lists, for
   * the key of each such column, every code and the position of the source column for that code.
   */
  byCode: Record<string, { code: string; place: number }[]>;
  /** The code maps of each stored column that has any, by the column's key and by market. */
  codeMaps: Record<string, Partial<Record<Market, CodeMap>>>;
  priceInYuan: boolean;
  market: Market | null;
  /** The `securityKey` of the only security that the file may contain; `null` if it may contain any. */
  expected: number | null;
  /** YYYYMMDD as a number. */
  tradedate: number;
  trades: string[];
  onlyRows: { place: number; codes: readonly string[]; others: "left out" | "quarantined" } | null;
  /** Whether the rows of a millisecond are sorted by sequence number. */
  sequenceOrders: boolean;
}

/**
 * Returns the plan for a file of `layout` with these `columns`; `expected` is the only security that it may contain.
 */
export function planCells(
  layout: Layout,
  columns: readonly string[],
  { tradedate, expected }: { tradedate: BeijingDate; expected: Security | null },
): CellPlan {
  const optional = (names: string | undefined): number => {
    const found = names?.split("|").find((name) => columns.includes(name));
    return found === undefined ? -1 : columns.indexOf(found);
  };
  const place = (names: string): number => {
    const found = optional(names);
    if (found < 0) throw new Error(`the column ${names} of the layout ${layout.name} is missing`);
    return found;
  };
  const { security, sequence, cells } = layout;
  const ofCells = <T>(value: (source: CellSource) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      Object.entries(cells).flatMap(([key, source]) => {
        const found = value(source);
        return found === undefined ? [] : [[key, found]];
      }),
    );
  return {
    delimiter: layout.delimiter.charCodeAt(0),
    columns: [...columns],
    trailingDelimiter: layout.trailingComma === true,
    places: {
      security: place(security.column),
      market: optional(security.marketColumn),
      exchangeCode: optional(layout.exchangeCode),
      date: optional(layout.date),
      time: place(layout.time),
      channel: optional(sequence?.channel),
      sequence: optional(sequence?.number),
      source: optional(security.sourceColumn),
    },
    cells: ofCells(({ column, optional: isOptional }) => {
      if (typeof column !== "string") return undefined;
      return isOptional ? optional(column) : place(column);
    }),
    byCode: ofCells(({ column }) => {
      if (typeof column === "string") return undefined;
      return Object.entries(column.columns).map(([code, name]) => ({ code, place: place(name) }));
    }),
    codeMaps: ofCells(({ map }) => map),
    priceInYuan: layout.priceUnit === "yuan",
    market: security.market ?? null,
    expected: expected === null ? null : securityKey(expected.symbol, expected.market),
    tradedate: Number(tradedate),
    trades: [...(layout.trades ?? [])],
    onlyRows:
      layout.onlyRows === undefined ? null : { ...layout.onlyRows, place: place(layout.onlyRows.column) },
    sequenceOrders: sequence?.ordersRows === true,
  };
}
