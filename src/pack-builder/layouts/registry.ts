/**
 * Holds all layouts and finds the layout of a file: by its name, or by the columns that the layout reads. Recognises
 * files of other datasets, which are listed in the report and not read.
 */
import { DATASET_NAMES, type DatasetName } from "../../datasets/registry.ts";
import { otherRows } from "../delivery/source-file.ts";
import type { FileHead } from "../parse/file-head.ts";
import type { Layout, LayoutEntry } from "./layout.ts";
import { ORDER_LAYOUTS } from "./orders.ts";
import { QUOTE_LAYOUTS } from "./quotes.ts";
import { TRADE_LAYOUTS } from "./trades.ts";

const layoutsOf = (dataset: DatasetName, entries: readonly LayoutEntry[]) =>
  entries.map((entry): Layout => ({ dataset, ...entry }));

const LAYOUTS: Readonly<Record<DatasetName, readonly Layout[]>> = {
  orders: layoutsOf("orders", ORDER_LAYOUTS),
  trades: layoutsOf("trades", TRADE_LAYOUTS),
  quotes: layoutsOf("quotes", QUOTE_LAYOUTS),
};

/**
 * Patterns for the names of files without a layout, with the dataset of the files. DataYes names a file after the
 * number of its message type. Four types have a layout; 4_4 and 6_28 are the snapshots of Shanghai and Shenzhen.
 */
const NAMES: readonly { name: RegExp; holds: DatasetName | "other" }[] = [
  { name: /^委托队列\.csv$/, holds: "other" },
  { name: /^mdl_(4_4|6_28)_0\.csv$/i, holds: "quotes" },
  { name: /^mdl_(?!(4_4|4_19|4_24|6_28|6_33|6_36)_0\.)\d+_\d+_\d+\.csv$/i, holds: "other" },
  { name: /^[ap]m_hq_snap_\w+\.txt$/i, holds: "quotes" },
  { name: /^[ap]m_hq_trade_\w+\.txt$/i, holds: "trades" },
  { name: /^\d{8}_aucde\.parquet$/i, holds: "other" },
];

interface HeaderSigns extends Pick<Layout["recognised"], "byFirstColumns" | "byColumns"> {
  /** Columns that must be absent. */
  without?: readonly string[];
}

/** For each dataset, the header patterns of files that hold a different dataset. */
const HEADERS: Readonly<Record<DatasetName, readonly HeaderSigns[]>> = {
  orders: [
    { byFirstColumns: ["万得代码"], without: ["委托编号", "交易所委托号", "委托价格"] },
    { byFirstColumns: ["MDDate", "MDTime"], without: ["OrderNO", "OrderPrice", "OrderQty"] },
    { byColumns: ["TradeBuyNo", "TradeSellNo"], without: ["OrderNO"] },
    { byColumns: ["BidApplSeqNum", "OfferApplSeqNum"] },
    { byColumns: ["symbol", "trade_id"], without: ["order_type"] },
    { byColumns: ["symbol", "pre_close"], without: ["order_type"] },
    { byColumns: ["symbol", "m_price"], without: ["order_type"] },
  ],
  trades: [
    { byFirstColumns: ["万得代码"], without: ["成交编号", "叫买序号", "叫卖序号"] },
    { byFirstColumns: ["MDDate", "MDTime"], without: ["TradeBuyNo", "TradeSellNo", "TradePrice"] },
    { byColumns: ["symbol", "order_type"], without: ["trade_id"] },
    { byColumns: ["symbol", "pre_close"], without: ["trade_id"] },
    { byColumns: ["symbol", "m_price"], without: ["trade_id"] },
  ],
  quotes: [
    { byFirstColumns: ["万得代码"], without: ["前收盘", "当日累计成交量", "申买价1"] },
    { byColumns: ["symbol", "order_type"], without: ["pre_close"] },
    { byColumns: ["symbol", "trade_id"], without: ["pre_close"] },
    { byColumns: ["symbol", "m_price"], without: ["pre_close"] },
  ],
};

/** Returns the layout of files of `dataset` with the API's own field names. */
export function plainLayout(dataset: DatasetName): Layout {
  const found = LAYOUTS[dataset].find(({ name }) => name === "plain");
  if (found === undefined) throw new Error(`${dataset} have no plain layout`);
  return found;
}

/** Returns the layout of `dataset` for the base name `name`, if there is one. */
export function layoutOfName(name: string, dataset: DatasetName): Layout | undefined {
  return LAYOUTS[dataset].find(({ recognised }) => recognised.byName?.test(name));
}

/** Returns the layout of `dataset` for a header with these `columns`, if there is one. */
export function layoutOfHeader(columns: readonly string[], dataset: DatasetName): Layout | undefined {
  return LAYOUTS[dataset].find((layout) => hasHeader(layout, columns));
}

/** Returns whether files with the base name `name` hold a dataset other than `dataset`. */
export function isOtherDatasetName(name: string, dataset: DatasetName): boolean {
  if (layoutOfName(name, dataset) !== undefined) return false;
  return (
    NAMES.some((each) => each.name.test(name) && each.holds !== dataset) ||
    isReadElsewhere((other) => layoutOfName(name, other), dataset)
  );
}

/** Returns whether a header with these `columns`, which matches no layout, belongs to a dataset other than `dataset`. */
export function isOtherDataset(columns: readonly string[], dataset: DatasetName): boolean {
  return (
    HEADERS[dataset].some((signs) => hasSigns(columns, signs)) ||
    isReadElsewhere((other) => layoutOfHeader(columns, other), dataset)
  );
}

/** Returns whether `find` finds a layout of another dataset whose files hold no rows of `dataset`. */
function isReadElsewhere(find: (other: DatasetName) => Layout | undefined, dataset: DatasetName): boolean {
  return DATASET_NAMES.some((other) => {
    const found = other === dataset ? undefined : find(other);
    const hasTrades = dataset === "trades" && found?.trades !== undefined;
    return found !== undefined && !hasTrades;
  });
}

/** Returns the columns that a file of `layout` must have; `A|B` means one of them. */
function columnsOf(layout: Layout): string[] {
  const { security, time, cells, sequence, onlyRows } = layout;
  const wanted = Object.values(cells).filter(({ optional }) => !optional);
  return [
    security.column,
    time,
    ...wanted.flatMap(({ column }) => (typeof column === "string" ? column : Object.values(column.columns))),
    ...(sequence?.ordersRows && !sequence.optional ? [sequence.number] : []),
    ...(onlyRows === undefined ? [] : [onlyRows.column]),
  ];
}

/**
 * Returns whether `columns` is a header of `layout`: it begins as the layout says and has every column that the layout
 * reads.
 */
function hasHeader(layout: Layout, columns: readonly string[]): boolean {
  return beginsLike(layout, columns) && columnsOf(layout).every((names) => hasOne(columns, names));
}

function hasOne(columns: readonly string[], names: string): boolean {
  return names.split("|").some((name) => columns.includes(name));
}

function beginsLike({ recognised }: Layout, columns: readonly string[]): boolean {
  const { byFirstColumns, byColumns } = recognised;
  return (byFirstColumns !== undefined || byColumns !== undefined) && hasSigns(columns, recognised);
}

function hasSigns(
  columns: readonly string[],
  { byFirstColumns = [], byColumns = [], without = [] }: HeaderSigns,
): boolean {
  return (
    byFirstColumns.every((name, place) => columns[place] === name) &&
    byColumns.every((name) => columns.includes(name)) &&
    !without.some((name) => columns.includes(name))
  );
}

/** How to read a file: its layout, its columns and the line of the first row. */
export interface Heading {
  layout: Layout;
  columns: readonly string[];
  /** Number of lines before the first row, 0 or 1. */
  lines: number;
  /** Whether the file has a header line although its layout has none. */
  isSurplus: boolean;
}

/**
 * Returns the heading of a file that begins with `head` and should have the layout `layout`, or the reason why the file
 * is not read, as a text that follows its name.
 */
export function headingOf(layout: Layout, { columns, hasNul }: FileHead): Heading | { problem: string } {
  const { withoutHeader, headMark } = layout;
  if (withoutHeader !== undefined) {
    const isHeader = columns.filter((name) => withoutHeader.includes(name)).length * 2 > withoutHeader.length;
    if (headMark === undefined)
      return { layout, columns: withoutHeader, lines: Number(isHeader), isSurplus: isHeader };
    if (headMark.test(columns[0] ?? ""))
      return { layout, columns: withoutHeader, lines: 1, isSurplus: false };
  }
  // The NUL bytes may have overwritten the name of an optional column or the first rows.
  if (hasNul) return { problem: " has NUL bytes in its header line: the file is damaged here" };
  const found = hasHeader(layout, columns) ? layout : layoutOfHeader(columns, layout.dataset);
  if (found !== undefined && found.delimiter === layout.delimiter) {
    return { layout: found, columns, lines: 1, isSurplus: false };
  }
  const missing = beginsLike(layout, columns)
    ? columnsOf(layout).find((names) => !hasOne(columns, names))
    : undefined;
  if (missing === undefined && isOtherDataset(columns, layout.dataset))
    return { problem: ` has the header of ${otherRows(layout.dataset)}` };
  if (missing === undefined) return { problem: " has a header that matches no known layout" };
  return {
    problem: `: the column ${missing.replaceAll("|", " or ")} of the layout ${layout.name} is missing`,
  };
}
