/**
 * Parses and writes the header fields of a download (RFC 9110): one range of bytes (section 14), the conditions in the
 * order of section 13.2.2, dates, the media type, and the file name. All functions are pure. A `Range` that is not one
 * well-formed range is ignored, as the RFC allows, and the whole file is served. Several ranges would need a multipart
 * body, which no download tool requests and which R2's own stream could not provide. An absent header is `null`.
 *
 * Also chooses the version for a request when the file was replaced less than 7 days ago. A client that began the old
 * version can finish it, and no client gets bytes of two versions under one name.
 */
import type { FileVersion } from "../catalog/files.ts";

/** The bytes of a file in an answer; `length` is at least 1. */
type ByteSpan =
  | { kind: "whole" }
  | { kind: "part"; offset: number; length: number }
  | { kind: "unsatisfiable" };

const WHOLE: ByteSpan = { kind: "whole" };
const UNSATISFIABLE: ByteSpan = { kind: "unsatisfiable" };

/** A requested range, before the file's size is known. Positions are inclusive. */
export type AskedRange =
  | { kind: "from"; first: number; last: number | null }
  /** The last `length` bytes. */
  | { kind: "suffix"; length: number };

/** Returns the one range of `header`, or null when it is absent, malformed, in another unit, or has several ranges. */
export function parseRange(header: string | null): AskedRange | null {
  const set = /^\s*bytes\s*=(.*)$/i.exec(header ?? "")?.[1];
  if (set === undefined) return null;
  // A list can have empty elements (RFC 9110, 5.6.1).
  const ranges = set
    .split(",")
    .map((range) => range.trim())
    .filter((range) => range !== "");
  const [, first, last] = /^(\d*)-(\d*)$/.exec(ranges[0] ?? "") ?? [];
  if (ranges.length !== 1 || first === undefined || last === undefined) return null;
  if (first === "") return last === "" ? null : { kind: "suffix", length: Number(last) };
  if (last === "") return { kind: "from", first: Number(first), last: null };
  return Number(last) < Number(first) ? null : { kind: "from", first: Number(first), last: Number(last) };
}

/**
 * Returns the bytes of `asked` in a file of `sizeBytes`. A range that begins at or after the file's end, or asks for
 * its last 0 bytes, is unsatisfiable. A range that ends after the file's end is shortened. In an empty file, a suffix
 * range means the whole file, and any other range is unsatisfiable.
 *
 * @example spanOf(parseRange("bytes=-500"), 10_000) // { kind: "part", offset: 9_500, length: 500 }
 */
export function spanOf(asked: AskedRange | null, sizeBytes: number): ByteSpan {
  if (asked === null) return WHOLE;
  if (asked.kind === "suffix") {
    if (asked.length === 0) return UNSATISFIABLE;
    if (sizeBytes === 0) return WHOLE;
    const length = Math.min(asked.length, sizeBytes);
    return { kind: "part", offset: sizeBytes - length, length };
  }
  if (asked.first >= sizeBytes) return UNSATISFIABLE;
  const last = Math.min(asked.last ?? sizeBytes - 1, sizeBytes - 1);
  return { kind: "part", offset: asked.first, length: last - asked.first + 1 };
}

/** The validators that distinguish versions of a file. */
export interface Validators {
  /** A strong entity tag with its quotes. */
  etag: string;
  /** Unix milliseconds; headers carry whole seconds. */
  lastModifiedMs: number;
}

/** The conditional headers of one request. */
export type Conditions = ReturnType<typeof conditionsOf>;

/** The result of the conditions. The status is 412 for `failed` and 304 for `not_modified`. */
type Verdict = "proceed" | "not_modified" | "failed";

/** Returns the conditional headers of `headers`. */
export function conditionsOf(headers: Pick<Headers, "get">) {
  return {
    ifMatch: headers.get("If-Match"),
    ifNoneMatch: headers.get("If-None-Match"),
    ifModifiedSince: headers.get("If-Modified-Since"),
    ifUnmodifiedSince: headers.get("If-Unmodified-Since"),
    ifRange: headers.get("If-Range"),
  };
}

/**
 * Decides whether to serve the file with these `validators`. `If-Match` overrides `If-Unmodified-Since`, and
 * `If-None-Match` overrides `If-Modified-Since`; an invalid date is ignored.
 */
export function verdictOn(conditions: Conditions, validators: Validators): Verdict {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  if (ifMatch !== null) {
    if (!matchesStrongly(ifMatch, validators.etag)) return "failed";
  } else if (isModifiedSince(ifUnmodifiedSince, validators) === true) return "failed";
  if (ifNoneMatch !== null) return matchesWeakly(ifNoneMatch, validators.etag) ? "not_modified" : "proceed";
  return isModifiedSince(ifModifiedSince, validators) === false ? "not_modified" : "proceed";
}

/**
 * Returns whether a `Range` is honoured: always without `If-Range`; otherwise only when `If-Range` has the same strong
 * tag, or the same date to the second. A weak tag never matches.
 */
export function rangeCounts(ifRange: string | null, validators: Validators): boolean {
  if (ifRange === null) return true;
  if (/^\s*(W\/)?"/.test(ifRange)) return ifRange.trim() === validators.etag;
  const date = parseHttpDate(ifRange);
  return date !== null && date === wholeSeconds(validators.lastModifiedMs);
}

/** Returns whether `list`, the value of `If-Match`, contains `etag`; weak tags never match. */
function matchesStrongly(list: string, etag: string): boolean {
  return tagsOf(list).some((tag) => tag === "*" || tag === etag);
}

function matchesWeakly(list: string, etag: string): boolean {
  return tagsOf(list).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}

/** Returns the entity tags of a list, or `*`; other elements are ignored. */
function tagsOf(list: string): string[] {
  if (list.trim() === "*") return ["*"];
  return list.match(/(W\/)?"[^"]*"/g) ?? [];
}

/** Returns whether the file was modified after `date`; null without a valid date. */
function isModifiedSince(date: string | null, { lastModifiedMs }: Validators): boolean | null {
  const sinceMs = date === null ? null : parseHttpDate(date);
  return sinceMs === null ? null : wholeSeconds(lastModifiedMs) > sinceMs;
}

function wholeSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000) * 1000;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The current form, then the two obsolete ones that a recipient must still accept. */
const FORMS = [
  /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w+, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/** Formats `epochMs` (Unix milliseconds) as an HTTP date to the second: `Thu, 12 Mar 2026 02:00:00 GMT`. */
export function httpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString();
}

/** Returns the Unix milliseconds of an HTTP date in any of its three forms; null for anything else. */
export function parseHttpDate(text: string): number | null {
  for (const form of FORMS) {
    const { day = "", month = "", year = "", time = "" } = form.exec(text.trim())?.groups ?? {};
    if (time === "") continue;
    const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, "0");
    const date = `${fullYear(year)}-${monthNumber}-${day.trim().padStart(2, "0")}`;
    const epochMs = Date.parse(`${date}T${time}Z`);
    return Number.isFinite(epochMs) ? epochMs : null;
  }
  return null;
}

/** Returns the four-digit year; two digits from 70 to 99 mean 1970 to 1999 (RFC 9110, 5.6.7). */
function fullYear(year: string): string {
  if (year.length === 4) return year;
  return Number(year) < 70 ? `20${year}` : `19${year}`;
}

const TYPES: Readonly<Record<string, string>> = {
  parquet: "application/vnd.apache.parquet",
  zip: "application/zip",
  gz: "application/gzip",
  zst: "application/zstd",
  "7z": "application/x-7z-compressed",
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
};

/** Returns the media type of a file by its extension; `SHA256SUMS` is plain text. */
export function contentTypeOf(name: string): string {
  if (name === "SHA256SUMS") return "text/plain; charset=utf-8";
  return TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
}

/** Returns the `Content-Disposition` for `name`, which need not be ASCII (RFC 6266). */
export function disposition(name: string): string {
  const plain = name.replaceAll(/[^\w. ()+-]/g, "_");
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  const exact = plain === name ? "" : `; filename*=UTF-8''${encoded}`;
  return `attachment; filename="${plain}"${exact}`;
}

/** With this many digits of the SHA-256, different contents never have the same tag. */
const TAG_DIGITS = 32;

/** Returns the quoted entity tag of a version or of a `part` of it. Restored content gets a new revision and tag. */
export function etagOf({ revision, sha256 }: Pick<FileVersion, "revision" | "sha256">, part = ""): string {
  return `"r${revision}-${sha256.slice(0, TAG_DIGITS)}${part === "" ? "" : `-${part}`}"`;
}

/**
 * Returns the version that `If-Match` or `If-Range` names, or null when it is none of `versions`. A client requests an
 * old version by its tag in `If-Match`; that version is then served instead of refused.
 */
export function namedVersion<V extends Validators>(
  { ifMatch, ifRange }: Conditions,
  versions: readonly V[],
): V | null {
  if (ifMatch !== null) return versions.find((each) => matchesStrongly(ifMatch, each.etag)) ?? null;
  if (ifRange !== null) return versions.find((each) => rangeCounts(ifRange, each)) ?? null;
  return null;
}

/**
 * What a client did with a path. It `got` the file from its first byte and may have a part of it, or it `saw` the
 * file's size and tag (`HEAD`, a listing with sizes, a suffix range, a bounded range at the file's start).
 */
export interface Begun {
  client: string;
  how: "got" | "saw";
  revision: number;
}

/**
 * What a request does. `got`: it begins a download. `saw`: it reads only the headers or the end of the file. `started`:
 * it reads a bounded range at the start of the file.
 */
export type Beginning = Begun["how"] | "started";

/** Returns what a request for `range` of a file does; null when it continues an earlier download. */
export function beginningOf(method: string, range: AskedRange | null): Beginning | null {
  if (method === "HEAD" || range?.kind === "suffix") return "saw";
  if (range === null) return "got";
  if (range.first > 0) return null;
  return range.last === null ? "got" : "started";
}

/**
 * Returns the revision that a client means when it requests a range from the middle of a file and names no version, as
 * `curl -C -`, `wget -c` and `aria2c` do. If everything that the client got and last saw has one revision, returns that
 * revision. For a client without records, returns the revision that the other clients of the share got and saw, if
 * there is only one. Returns null when the revision is ambiguous, unknown or no longer available, because the range
 * could then join two versions.
 */
export function meantRevision(
  begun: readonly Begun[],
  client: string,
  versions: readonly { revision: number }[],
): number | null {
  const own = begun.filter((each) => each.client === client);
  const revisions = new Set((own.length > 0 ? own : begun).map((each) => each.revision));
  const [only = null] = revisions;
  return revisions.size === 1 && versions.some((each) => each.revision === only) ? only : null;
}
