/** Holds all layouts and finds the layout of a file: by its name, or by the columns that the layout reads. */
import { DATASET_NAMES, type DatasetName } from "../../datasets/registry.ts";
import type { FileHead } from "../parse/file-head.ts";
import type { Layout, LayoutEntry } from "./layout.ts";
import { ORDER_LAYOUTS } from "./orders.ts";
import { isOtherHeader, isOtherName, OTHER_ROWS } from "./other-datasets.ts";
import { QUOTE_LAYOUTS } from "./quotes.ts";
import { TRADE_LAYOUTS } from "./trades.ts";

const layoutsOf = (dataset: DatasetName, entries: readonly LayoutEntry[]) =>
  entries.map((entry): Layout => ({ dataset, ...entry }));

const LAYOUTS: Readonly<Record<DatasetName, readonly Layout[]>> = {
  orders: layoutsOf("orders", ORDER_LAYOUTS),
  trades: layoutsOf("trades", TRADE_LAYOUTS),
  quotes: layoutsOf("quotes", QUOTE_LAYOUTS),
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
  return isOtherName(name, dataset) || isReadElsewhere((other) => layoutOfName(name, other), dataset);
}

/** Returns whether a header with these `columns` belongs to a dataset other than `dataset`. */
export function isOtherDataset(columns: readonly string[], dataset: DatasetName): boolean {
  return (
    isOtherHeader(columns, dataset) || isReadElsewhere((other) => layoutOfHeader(columns, other), dataset)
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
export function columnsOf(layout: Layout): string[] {
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
  if (byFirstColumns === undefined && byColumns === undefined) return false;
  return (
    (byFirstColumns ?? []).every((name, i) => columns[i] === name) &&
    (byColumns ?? []).every((name) => columns.includes(name))
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

/** Why a file is not read, as a text that follows its name. */
export interface NotRead {
  problem: string;
}

/** Returns the heading of a file that begins with `head` and should have the layout `layout`. */
export function headingOf(layout: Layout, { columns, hasNul }: FileHead): Heading | NotRead {
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
    return { problem: ` has the header of ${OTHER_ROWS[layout.dataset]}` };
  if (missing === undefined) return { problem: " has a header that matches no known layout" };
  return {
    problem: `: the column ${missing.replaceAll("|", " or ")} of the layout ${layout.name} is missing`,
  };
}
