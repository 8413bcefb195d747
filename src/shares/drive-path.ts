/**
 * Paths of a share, parsed into what they name. A path never becomes a key of the store: it is matched here,
 * and then looked up among the files that the share covers, letter by letter.
 */
import { type BeijingDate, parseBeijingDate } from "../calendar/beijing.ts";
import type { Market } from "../orders/record.ts";

export const BY_SYMBOL = "by-symbol";
export const MANIFEST = "manifest.json";
export const SUMS = "SHA256SUMS";

/** What a path below a share names. `slash` says whether a folder was written with its slash. */
export type DrivePath =
  | { kind: "root" }
  | { kind: "manifest" }
  | { kind: "sums" }
  | { kind: "day"; tradedate: BeijingDate; slash: boolean }
  | { kind: "by_symbol"; tradedate: BeijingDate; slash: boolean }
  | { kind: "file"; tradedate: BeijingDate; name: string }
  | { kind: "security"; tradedate: BeijingDate; symbol: string; market: Market };

/** A path that belongs to a share: its id, and the rest behind the slash, still encoded; null without one. */
interface SharePath {
  shareId: string;
  rest: string | null;
}

/** `/s/<id>` or `/s/<id>/<rest>` of a URL's path. The id is whatever stands there. */
export function sharePath(pathname: string): SharePath {
  const [, , shareId = "", ...rest] = pathname.split("/");
  return { shareId, rest: rest.length === 0 ? null : rest.join("/") };
}

/**
 * What `rest` (encoded, without a leading slash) names, or null when nothing of a share can have that name.
 * Each part is decoded once; one that then holds a slash, a backslash or a control character names nothing.
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

/** `tradedate` and what stands behind `by-symbol/`; undefined without the slash. */
function bySymbol(tradedate: BeijingDate, name: string | undefined): DrivePath | null {
  if (name === undefined || name === "") return { kind: "by_symbol", tradedate, slash: name === "" };
  const [, symbol, market] = /^(\d{6})\.(SH|SZ)\.parquet$/.exec(name) ?? [];
  if (symbol === undefined || market === undefined) return null;
  return { kind: "security", tradedate, symbol, market: market as Market };
}

function decodedPart(part: string): string | null {
  try {
    const text = decodeURIComponent(part);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return /[/\\\u0000-\u001f\u007f]/.test(text) || text === "." || text === ".." ? null : text;
  } catch {
    return null;
  }
}

/** The path of a file below its share, as `manifest.json` and `SHA256SUMS` write it: not encoded. */
export function pathOf({ tradedate, name }: { tradedate: BeijingDate; name: string }): string {
  return `${tradedate}/${name}`;
}

/** The name of a security's file below `by-symbol/`. */
export function securityFileName({ symbol, market }: { symbol: string; market: Market }): string {
  return `${symbol}.${market}.parquet`;
}
