/** All layouts, and how a file finds its own: by its name, and by all columns that the layout reads. */
import { DATASET_NAMES, type DatasetName } from "../../datasets/registry.ts";
import type { FileHead } from "../parse/file-head.ts";
import type { Layout } from "./layout.ts";
import { ORDER_LAYOUTS } from "./orders.ts";
import { isOtherHeader, isOtherName } from "./other-datasets.ts";
import { TRADE_LAYOUTS } from "./trades.ts";

const LAYOUTS: Readonly<Record<DatasetName, readonly Layout[]>> = {
  orders: ORDER_LAYOUTS,
  trades: TRADE_LAYOUTS,
};

/** The layout of files of `dataset` with the API's own field names. */
export function plainLayout(dataset: DatasetName): Layout {
  const found = LAYOUTS[dataset].find(({ name }) => name === "plain");
  if (found === undefined) throw new Error(`${dataset} have no plain layout`);
  return found;
}

/** The layout whose files of `dataset` bear the base name `name`, if any does. */
export function layoutOfName(name: string, dataset: DatasetName): Layout | undefined {
  return LAYOUTS[dataset].find(({ recognised }) => recognised.byName?.test(name));
}

/** The layout of `dataset` whose header has these `columns`, if any does. */
export function layoutOfHeader(columns: readonly string[], dataset: DatasetName): Layout | undefined {
  return LAYOUTS[dataset].find((layout) => hasHeader(layout, columns));
}

/** Whether files with the base name `name` hold another dataset than `dataset`. */
export function isOtherDatasetName(name: string, dataset: DatasetName): boolean {
  if (layoutOfName(name, dataset) !== undefined) return false;
  return isOtherName(name, dataset) || isReadElsewhere((other) => layoutOfName(name, other), dataset);
}

/** Whether a header with these `columns` is of another dataset than `dataset`. */
export function isOtherDataset(columns: readonly string[], dataset: DatasetName): boolean {
  return (
    isOtherHeader(columns, dataset) || isReadElsewhere((other) => layoutOfHeader(columns, other), dataset)
  );
}

/** Whether a layout of another dataset is found whose files do not hold trades too. */
function isReadElsewhere(find: (other: DatasetName) => Layout | undefined, dataset: DatasetName): boolean {
  return DATASET_NAMES.some((other) => {
    const found = other === dataset ? undefined : find(other);
    return found !== undefined && found.trades === undefined;
  });
}

/** The columns that a file of `layout` must have; `A|B` means one of them. */
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

/** Whether `columns` is a header of `layout`: its first columns, and all that it reads. */
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

/** How a file is read: in which layout, with which columns, from which of its lines on. */
export interface Heading {
  layout: Layout;
  columns: readonly string[];
  /** Lines before the first row, 0 or 1. */
  lines: number;
  /** The file names its columns although its layout has no header line. */
  isSurplus: boolean;
}

/** What files of other datasets hold. */
export const OTHERS = { orders: "trades or quotes", trades: "orders or quotes" } as const;

/** Why a file is not read, for directly behind its name. */
export interface NotRead {
  problem: string;
}

/** The heading of a file that was found as one of `layout` and begins with `head`. */
export function headingOf(layout: Layout, { columns, hasNul }: FileHead): Heading | NotRead {
  const { withoutHeader, headMark } = layout;
  if (withoutHeader !== undefined) {
    const isHeader = columns.filter((name) => withoutHeader.includes(name)).length * 2 > withoutHeader.length;
    if (headMark === undefined)
      return { layout, columns: withoutHeader, lines: Number(isHeader), isSurplus: isHeader };
    if (headMark.test(columns[0] ?? ""))
      return { layout, columns: withoutHeader, lines: 1, isSurplus: false };
  }
  // What they have overwritten can be the name of a column that is read where it is there, or the first rows.
  if (hasNul) return { problem: " has NUL bytes in its header line: the file is damaged here" };
  const found = hasHeader(layout, columns) ? layout : layoutOfHeader(columns, layout.dataset);
  if (found !== undefined && found.delimiter === layout.delimiter) {
    return { layout: found, columns, lines: 1, isSurplus: false };
  }
  const missing = beginsLike(layout, columns)
    ? columnsOf(layout).find((names) => !hasOne(columns, names))
    : undefined;
  if (missing === undefined && isOtherDataset(columns, layout.dataset))
    return { problem: ` has the header of ${OTHERS[layout.dataset]}` };
  if (missing === undefined) return { problem: " has a header of no known layout" };
  return {
    problem: `: the column ${missing.replaceAll("|", " or ")} of the layout ${layout.name} is missing`,
  };
}
