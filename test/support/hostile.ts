/** Parsers that read a request before authentication, with texts that would make a backtracking pattern slow. */
import { preferredLanguage } from "../../src/base/language.ts";
import { parseHistoryQuery } from "../../src/orders/query/history-query.ts";
import { basicCredentials, hasShareCookie } from "../../src/shares/credentials.ts";
import { drivePath } from "../../src/shares/drive-path.ts";
import { conditionsOf, parseRange, rangeCounts, verdictOn } from "../../src/shares/http-fields.ts";
import { parsePropfind } from "../../src/shares/webdav.ts";

/** One parser; `read` applies it to a hostile text of `length` characters. */
export interface HostileRead {
  name: string;
  read(length: number): unknown;
}

const VALIDATORS = { etag: '"r1-0"', lastModifiedMs: 0 };

const fill = (length: number, head: string, unit: string, tail = "") =>
  head + unit.repeat(Math.max(0, Math.ceil((length - head.length - tail.length) / unit.length))) + tail;

const order = (params: Record<string, unknown>, fields?: unknown) =>
  parseHistoryQuery({ params, ...(fields === undefined ? {} : { fields }) }, "refuse", "orders");

/** Evaluates the value as the content of each conditional header. */
function conditions(value: string): unknown {
  const verdict = verdictOn(conditionsOf({ get: () => value }), VALIDATORS);
  return [verdict, rangeCounts(value, VALIDATORS)];
}

/** Every parser of input from outside, with the texts for which its time was or could be quadratic. */
export const HOSTILE_READS: readonly HostileRead[] = [
  { name: "Accept-Language, blanks", read: (n) => preferredLanguage(fill(n, "en;q=", " ", "a b")) },
  { name: "Accept-Language, ranges", read: (n) => preferredLanguage(fill(n, "", "en;q=0.1,")) },
  { name: "Accept-Language, parameters", read: (n) => preferredLanguage(fill(n, "en", ";q=")) },
  { name: "Authorization, blanks", read: (n) => basicCredentials(fill(n, "Basic ", " ", "!")) },
  { name: "Authorization, digits", read: (n) => basicCredentials(fill(n, "Basic ", "A", "!")) },
  {
    name: "Cookie",
    read: (n) =>
      hasShareCookie("secret", { header: fill(n, "", "edgetape_share=1 ;"), shareId: "a", nowMs: 0 }),
  },
  { name: "Range, blanks", read: (n) => parseRange(fill(n, "bytes", " ", "x")) },
  { name: "Range, list", read: (n) => parseRange(fill(n, "bytes=", "1-2,")) },
  { name: "If-Match, quotes", read: (n) => conditions(fill(n, "", 'W/"')) },
  { name: "If-Range, blanks", read: (n) => conditions(fill(n, "", " ", "W")) },
  { name: "path of a share", read: (n) => drivePath(fill(n, "20260311/", "a.", "/")) },
  { name: "PROPFIND, names", read: (n) => parsePropfind(fill(n, "<a ", "a")) },
  { name: "PROPFIND, blanks", read: (n) => parsePropfind(fill(n, '<a b="c"', " ", "!")) },
  { name: "PROPFIND, attributes", read: (n) => parsePropfind(fill(n, "<a", ' b="c"', "!")) },
  { name: "PROPFIND, comments", read: (n) => parsePropfind(fill(n, "", "<!--")) },
  { name: "symbol", read: (n) => order({ symbol: fill(n, "", " ", "x") }) },
  { name: "tradedate", read: (n) => order({ symbol: "600519", tradedate: fill(n, "2026", " ", "x") }) },
  { name: "start_time", read: (n) => order({ symbol: "600519", start_time: fill(n, "", " ", "x") }) },
  { name: "page_size", read: (n) => order({ symbol: "600519", page_size: fill(n, "1", " ", "x") }) },
  { name: "cursor", read: (n) => order({ symbol: "600519", cursor: fill(n, "v2.", "0", "!") }) },
  { name: "fields, blanks", read: (n) => order({ symbol: "600519" }, fill(n, "time", " ", "x")) },
  { name: "fields, names", read: (n) => order({ symbol: "600519" }, fill(n, "", "time ,", "x")) },
  { name: "an unknown parameter", read: (n) => order({ symbol: "600519", [fill(n, "", "tradedat")]: 1 }) },
];

export const HOSTILE_LENGTHS = [4_096, 8_192, 16_384] as const;

/** Returns the duration of the shortest of seven runs, in milliseconds. Other load can only make a run longer. */
export function msOf(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 7; round++) {
    const beganMs = performance.now();
    work();
    best = Math.min(best, performance.now() - beganMs);
  }
  return best;
}
