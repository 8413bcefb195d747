/**
 * Parses paths of a share. A path is never used as a key of the store: it is parsed here and then looked up among the
 * files that the share covers.
 */
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../datasets/registry.ts";
import type { Market } from "../orders/record.ts";

export const BY_SYMBOL = "by-symbol";
export const MANIFEST = "manifest.json";
export const SUMS = "SHA256SUMS";

/** The resource that a path inside a share names. `slash` says whether a folder's path ended with a slash. */
export type DrivePath =
  | { kind: "root" }
  | { kind: "manifest" }
  | { kind: "sums" }
  | { kind: "day"; tradedate: BeijingDate; slash: boolean }
  | { kind: "by_symbol"; tradedate: BeijingDate; slash: boolean }
  | { kind: "file"; tradedate: BeijingDate; name: string }
  | ({ kind: "security"; tradedate: BeijingDate } & SecurityFile);

/** A security's file below `by-symbol/`. */
export interface SecurityFile {
  dataset: DatasetName;
  symbol: string;
  market: Market;
}

/**
 * Splits the URL path `/s/<id>` or `/s/<id>/<rest>` into the share's id, which is not checked here, and what follows the
 * slash after it, still encoded. `rest` is null when no slash follows the id.
 */
export function sharePath(pathname: string): { shareId: string; rest: string | null } {
  const [, , shareId = "", ...rest] = pathname.split("/");
  return { shareId, rest: rest.length === 0 ? null : rest.join("/") };
}

/**
 * Returns what `rest` (encoded, without a leading slash) names, or null when no file of a share can have that name.
 * Each part is decoded once. A part that then contains a slash, a backslash or a control character is invalid.
 *
 * @example drivePath("20260311/by-symbol/600519.SH.parquet") // { kind: "security", symbol: "600519", … }
 */
export function drivePath(rest: string): DrivePath | null {
  if (rest === "") return { kind: "root" };
  const parts = rest.split("/").map(decodedPart);
  if (parts.some((part) => part === null)) return null;
  const [first = "", second, third, ...more] = parts as string[];
  if (more.length > 0) return null;
  if (second === undefined && first === MANIFEST) return { kind: "manifest" };
  if (second === undefined && first === SUMS) return { kind: "sums" };
  const tradedate = parseBeijingDate(first);
  if (tradedate === null) return null;
  if (second === undefined || (second === "" && third === undefined)) {
    return { kind: "day", tradedate, slash: second === "" };
  }
  if (second === BY_SYMBOL) return bySymbol(tradedate, third);
  return third === undefined ? { kind: "file", tradedate, name: second } : null;
}

/** Parses the `name` after `by-symbol/`; it is undefined when the path ends at `by-symbol` without a slash. */
function bySymbol(tradedate: BeijingDate, name: string | undefined): DrivePath | null {
  if (name === undefined || name === "") return { kind: "by_symbol", tradedate, slash: name === "" };
  const [, symbol, market, suffix] = /^(\d{6})\.(SH|SZ)(_[a-z]+)?\.parquet$/.exec(name) ?? [];
  const dataset = DATASET_NAMES.find((each) => DATASETS[each].fileSuffix === (suffix ?? ""));
  if (symbol === undefined || market === undefined || dataset === undefined) return null;
  return { kind: "security", tradedate, dataset, symbol, market: market as Market };
}

function decodedPart(part: string): string | null {
  try {
    const text = decodeURIComponent(part);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
    return /[/\\\u0000-\u001f\u007f]/.test(text) || text === "." || text === ".." ? null : text;
  } catch {
    return null;
  }
}

/** Returns the unencoded path of a file inside its share, as in `manifest.json` and `SHA256SUMS`. */
export function pathOf({ tradedate, name }: { tradedate: BeijingDate; name: string }): string {
  return `${tradedate}/${name}`;
}

/** Returns the name of a security's file in `by-symbol/`: `600519.SH.parquet` has its orders. */
export function securityFileName({ dataset, symbol, market }: SecurityFile): string {
  return `${symbol}.${market}${DATASETS[dataset].fileSuffix}.parquet`;
}
