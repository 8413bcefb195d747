/** Reads a range of a pack in R2, on condition that the object is still the one that the catalog names. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { PackReadError } from "./errors.ts";

/** The object that the catalog names for a day, with the etag of the version that the index describes. */
export interface PackObject {
  objectKey: string;
  /** R2's etag without quotes: R2 throws on a quoted one. */
  etag: string;
  tradedate: BeijingDate;
}

/** A range of bytes of an object. `length` is at least 1, because R2 refuses an empty range. */
export interface ByteRange {
  offset: number;
  length: number;
}

/**
 * Opens the body of `range` of the pack. Throws `PackReadError`: `missing` (no such object), `changed` (a different
 * etag), `damaged` (the object ends before the range begins; the caller must check for a shorter body). Other failures
 * of R2 pass through unchanged.
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
    throw new PackReadError(
      "changed",
      `${objectKey} has the etag ${object.etag}, but the catalog names ${etag}`,
    );
  }
  return object;
}

/** Returns the error for an object that ends before the bytes that its index describes. */
export function cutShort(objectKey: string, cause?: unknown): PackReadError {
  return new PackReadError("damaged", `${objectKey} is truncated`, { cause });
}

/** Returns whether R2 reports that a range begins after the object's end. */
function isBeyondEnd(error: unknown): boolean {
  return error instanceof Error && error.message.includes("10039");
}
