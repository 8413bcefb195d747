/**
 * Conditional requests (RFC 9110, 13): which of the conditions a client sent with a `GET` or `HEAD` holds,
 * in the order of 13.2.2. All functions are pure; a header is `null` when absent.
 */
import { parseHttpDate } from "./http-date.ts";

/** What tells two versions of a file apart. */
export interface Validators {
  /** A strong entity tag with its quotes. */
  etag: string;
  /** Unix milliseconds; headers carry whole seconds. */
  lastModifiedMs: number;
}

/** The conditional headers of one request. */
export interface Conditions {
  ifMatch: string | null;
  ifNoneMatch: string | null;
  ifModifiedSince: string | null;
  ifUnmodifiedSince: string | null;
  ifRange: string | null;
}

/** `failed` is 412, `not_modified` is 304. */
export type Verdict = "proceed" | "not_modified" | "failed";

/** The conditional headers of `headers`. */
export function conditionsOf(headers: Pick<Headers, "get">): Conditions {
  return {
    ifMatch: headers.get("If-Match"),
    ifNoneMatch: headers.get("If-None-Match"),
    ifModifiedSince: headers.get("If-Modified-Since"),
    ifUnmodifiedSince: headers.get("If-Unmodified-Since"),
    ifRange: headers.get("If-Range"),
  };
}

/**
 * Whether the file as `validators` name it is to be served. `If-Match` silences `If-Unmodified-Since`, and
 * `If-None-Match` silences `If-Modified-Since`, whatever they say; a date that is none is ignored.
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
 * Whether a `Range` counts: without `If-Range` it does; with it only when the client's part is of this very
 * version: the same strong tag, or the same date to the second. A weak tag never is.
 */
export function rangeCounts(ifRange: string | null, validators: Validators): boolean {
  if (ifRange === null) return true;
  if (/^\s*(W\/)?"/.test(ifRange)) return ifRange.trim() === validators.etag;
  const date = parseHttpDate(ifRange);
  return date !== null && date === wholeSeconds(validators.lastModifiedMs);
}

/** Whether `list`, the value of `If-Match`, names `etag`; weak tags never match strongly. */
export function matchesStrongly(list: string, etag: string): boolean {
  return tagsOf(list).some((tag) => tag === "*" || tag === etag);
}

function matchesWeakly(list: string, etag: string): boolean {
  return tagsOf(list).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);
}

/** The entity tags of a list, or `*`; what is neither is passed over. */
function tagsOf(list: string): string[] {
  if (list.trim() === "*") return ["*"];
  return list.match(/(W\/)?"[^"]*"/g) ?? [];
}

/** Null when there is no date to compare with. */
function isModifiedSince(date: string | null, { lastModifiedMs }: Validators): boolean | null {
  const sinceMs = date === null ? null : parseHttpDate(date);
  return sinceMs === null ? null : wholeSeconds(lastModifiedMs) > sinceMs;
}

function wholeSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000) * 1000;
}
