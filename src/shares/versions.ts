/**
 * Chooses the version for a request when the file was replaced less than 7 days ago. A client that began the old
 * version can finish it, and no client gets bytes of two versions under one name. The functions here do no I/O.
 */
import type { FileVersion } from "../catalog/files.ts";
import type { AskedRange } from "./http-fields.ts";
import { type Conditions, matchesStrongly, rangeCounts, type Validators } from "./http-fields.ts";

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
