/** All layouts, and how a file finds its own. */
import { datayesShanghai, datayesShanghaiMerged, datayesShenzhen } from "./datayes.ts";
import { shanghaiEntrust, shanghaiStockTick, shenzhenHistory } from "./exchange-history.ts";
import { insight } from "./insight.ts";
import type { Layout } from "./layout.ts";
import { plain } from "./plain.ts";
import { vendor } from "./vendor.ts";

/** In the order in which a header is tried. */
export const LAYOUTS: readonly Layout[] = [
  vendor,
  insight,
  datayesShanghai,
  datayesShanghaiMerged,
  datayesShenzhen,
  shanghaiEntrust,
  shanghaiStockTick,
  shenzhenHistory,
  plain,
];

/** The layout whose files bear the base name `name`, if any does. */
export function layoutOfName(name: string): Layout | undefined {
  return LAYOUTS.find(({ recognised }) => recognised.byName?.test(name));
}

/** The layout whose header has these `columns`, if any does. */
export function layoutOfHeader(columns: readonly string[]): Layout | undefined {
  return LAYOUTS.find((layout) => hasHeader(layout, columns));
}

/** Whether `columns` is a header of `layout`. */
export function hasHeader({ recognised }: Layout, columns: readonly string[]): boolean {
  const { byFirstColumns, byColumns } = recognised;
  if (byFirstColumns === undefined && byColumns === undefined) return false;
  return (
    (byFirstColumns ?? []).every((name, i) => columns[i] === name) &&
    (byColumns ?? []).every((name) => columns.includes(name))
  );
}
