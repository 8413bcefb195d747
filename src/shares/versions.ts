/**
 * Which version of a file a request is about, when the file was replaced less than 7 days ago: who began to
 * download the old one finishes it, and no client ever gets bytes of two versions under one name. Pure.
 */
import type { FileVersion } from "../catalog/files.ts";
import type { AskedRange } from "./http-fields.ts";
import { type Conditions, matchesStrongly, rangeCounts, type Validators } from "./http-fields.ts";

/** Enough of the SHA-256 that two contents never share a tag. */
const TAG_DIGITS = 32;

/**
 * The entity tag of a version, or of a `part` of it, with its quotes. A restored content is a new revision
 * and gets a new tag.
 */
export function etagOf({ revision, sha256 }: Pick<FileVersion, "revision" | "sha256">, part = ""): string {
  return `"r${revision}-${sha256.slice(0, TAG_DIGITS)}${part === "" ? "" : `-${part}`}"`;
}

/**
 * The version that the request names by `If-Match` or `If-Range`, or null when it names none of `versions`.
 * A file's tag in `If-Match` is a wish for that version, so an old one is served instead of refused.
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
 * What a client did with a path: it `got` the file from its first byte on, so that it may have a part of it, or
 * it `saw` its size and tag (`HEAD`, a listing with sizes, single pieces).
 */
export interface Begun {
  client: string;
  how: "got" | "saw";
  revision: number;
}

/** A request that begins something. A piece at the file's start is seeing it. */
export type Beginning = Begun["how"] | "started";

/** What a request for `range` of a file begins; null when it only continues. */
export function beginningOf(method: string, range: AskedRange | null): Beginning | null {
  if (method === "HEAD" || range?.kind === "suffix") return "saw";
  if (range === null) return "got";
  if (range.first > 0) return null;
  return range.last === null ? "got" : "started";
}

/**
 * The revision that a client means by a range in the middle of a file without saying which version its part
 * is of, as `curl -C -`, `wget -c` and `aria2c` do. What it got and last saw itself decides, if that is one
 * revision; for a client not met before, what all others of the share did, if they agree. Null: it cannot be known (it
 * got one and then got or saw another, or no client of the share was met), or that revision is gone; a range could join
 * two versions.
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
