/** One read of a pack in R2, on the condition that the object is still the one the catalog names. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { PackReadError } from "./errors.ts";

/** The object that the catalog names for a day, and the version of it that the index belongs to. */
export interface PackObject {
  objectKey: string;
  /** R2's etag without quotes: R2 throws on a quoted one. */
  etag: string;
  tradedate: BeijingDate;
}

/** Bytes of an object, `length` of them (at least 1: R2 refuses an empty range) from `offset` on. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * The body of `range` of the pack, not yet read. Throws `PackReadError`: `missing` (no such object), `changed`
 * (another etag), `damaged` (the object ends before the range begins; a body shorter than the range is the
 * caller's to notice). Other failures of R2 pass through as they are.
 */
export async function openRange(
  bucket: R2Bucket,
  { objectKey, etag }: PackObject,
  range: ByteRange,
): Promise<R2ObjectBody> {
  const object = await bucket.get(objectKey, { range, onlyIf: { etagMatches: etag } }).catch((error) => {
    throw isBeyondEnd(error) ? cutShort(objectKey, error) : error;
  });
  if (object === null) throw new PackReadError("missing", `${objectKey} is not in the bucket`);
  if (!("body" in object)) {
    throw new PackReadError("changed", `${objectKey} has the etag ${object.etag}, the catalog names ${etag}`);
  }
  return object;
}

/** The object ends before the bytes that the index promises. */
export function cutShort(objectKey: string, cause?: unknown): PackReadError {
  return new PackReadError("damaged", `${objectKey} is cut short`, { cause });
}

/** R2 refuses a range that begins behind the object's end with this number. */
function isBeyondEnd(error: unknown): boolean {
  return error instanceof Error && error.message.includes("10039");
}
