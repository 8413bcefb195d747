/** The second step of publishing: parts, each checked before the storage sees it. */
import { moveUpload, recordPart, type Upload, uploadParts } from "../catalog/uploads.ts";
import type { AdminRefusal } from "./refusal.ts";
import type { Stores } from "./upload-target.ts";
import { PART_SIZE_BYTES, type StoredPart } from "./wire.ts";

/** Parts that an upload of this many bytes has. */
export function partCountOf(sizeBytes: number): number {
  return Math.ceil(sizeBytes / PART_SIZE_BYTES);
}

/** The bytes that part `n` must have, or null when the upload has no such part. */
export function partSizeOf(sizeBytes: number, n: number): number | null {
  const count = partCountOf(sizeBytes);
  if (!Number.isInteger(n) || n < 1 || n > count) return null;
  return n < count ? PART_SIZE_BYTES : sizeBytes - (count - 1) * PART_SIZE_BYTES;
}

/**
 * Stores part `n` of `upload`, which must be `uploading`. `bytes` are refused unless their number is right
 * and their SHA-256 is `sha256`. A part that is there already with this hash is not sent to R2 again.
 */
export async function storePart(
  { db, bucket }: Stores,
  upload: Upload,
  part: { n: number; bytes: Uint8Array<ArrayBuffer> | null; sha256: string },
): Promise<StoredPart | AdminRefusal> {
  const { n, bytes, sha256 } = part;
  const sizeBytes = partSizeOf(upload.sizeBytes, n);
  if (sizeBytes === null) {
    return { reason: "part_number", n: String(n), partCount: partCountOf(upload.sizeBytes) };
  }
  if (bytes === null || bytes.length !== sizeBytes) return { reason: "part_size", n, sizeBytes };
  if ((await sha256Hex(bytes)) !== sha256) return { reason: "part_hash", n };

  const stored = { n, sizeBytes, sha256 };
  const there = (await uploadParts(db, upload.uploadId)).find((each) => each.n === n);
  if (there?.sha256 === sha256) return stored;

  const multipart = bucket.resumeMultipartUpload(upload.objectKey, upload.r2UploadId);
  try {
    const { etag } = await multipart.uploadPart(n, bytes);
    await recordPart(db, upload.uploadId, { ...stored, etag });
  } catch (failure) {
    if (!isUploadLost(failure)) throw failure;
    await moveUpload(db, upload, "uploading", "replaced");
    return { reason: "upload_lost" };
  }
  return stored;
}

async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

/** Whether R2 says it knows no such upload (10024) or other parts of it than we do (10025). */
export function isUploadLost(failure: unknown): boolean {
  return failure instanceof Error && /\((10024|10025)\)/.test(failure.message);
}
