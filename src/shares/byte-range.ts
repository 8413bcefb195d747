/**
 * The `Range` header of a download (RFC 9110, 14): one range of bytes. What is not one well-formed range of
 * bytes is ignored, as the RFC allows, and the whole file is served: several ranges would need a multipart
 * body, which no download tool asks for and which could not be R2's own stream.
 */

/** Which bytes of a file an answer carries; `length` is at least 1. */
export type ByteSpan =
  | { kind: "whole" }
  | { kind: "part"; offset: number; length: number }
  | { kind: "unsatisfiable" };

const WHOLE: ByteSpan = { kind: "whole" };
const UNSATISFIABLE: ByteSpan = { kind: "unsatisfiable" };

/** A range as it was asked for, before a file's size is known. Positions are inclusive. */
export type AskedRange =
  | { kind: "from"; first: number; last: number | null }
  /** The last `length` bytes. */
  | { kind: "suffix"; length: number };

/** The one range that `header` asks for, or null when it is absent, malformed, of another unit, or several. */
export function parseRange(header: string | null): AskedRange | null {
  const set = /^\s*bytes\s*=(.*)$/i.exec(header ?? "")?.[1];
  if (set === undefined) return null;
  // A list may have empty elements (RFC 9110, 5.6.1).
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
 * The bytes of a file of `sizeBytes` that `asked` names. A range that begins behind the end, or is the last
 * 0 bytes, is unsatisfiable; one that ends behind it is cut. An empty file has no ranges: a suffix of it is
 * the whole.
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

/** `Content-Range` of an answer that is not the whole file, else null. */
export function contentRange(span: ByteSpan, sizeBytes: number): string | null {
  switch (span.kind) {
    case "whole":
      return null;
    case "part":
      return `bytes ${span.offset}-${span.offset + span.length - 1}/${sizeBytes}`;
    case "unsatisfiable":
      return `bytes */${sizeBytes}`;
  }
}
