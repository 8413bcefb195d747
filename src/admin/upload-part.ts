/** The second step of publishing: parts, each checked before the storage sees it. */
import {
  claimPart,
  findUpload,
  moveUpload,
  recordPart,
  releasePart,
  type Upload,
  uploadParts,
} from "../catalog/uploads.ts";
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
 * How long a part that another publisher took may take to arrive in R2. Its bytes lie in memory by then, so it is
 * a moment; when the other one was stopped, the part is stored again.
 */
const CLAIM_MS = 2_000;
const POLL_MS = 100;

/**
 * Stores part `n` of `upload`. `bytes` are refused unless their number is right and their SHA-256 is `sha256`. A
 * part that is there already with this hash is not sent to R2 again: of publishers who send the same content at the
 * same time, one stores each part, also when the upload is complete by then.
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
  const claim = await claimed(db, upload, stored);
  if (claim !== "ours") return claim === "stored" ? stored : claim;
  const multipart = bucket.resumeMultipartUpload(upload.objectKey, upload.r2UploadId);
  try {
    const { etag } = await multipart.uploadPart(n, bytes);
    await recordPart(db, upload.uploadId, { ...stored, etag });
  } catch (failure) {
    await releasePart(db, upload.uploadId, n);
    if (!isUploadLost(failure)) throw failure;
    await moveUpload(db, upload, "uploading", "replaced");
    return { reason: "upload_lost" };
  }
  return stored;
}

/** Takes the part, waiting for another publisher who is storing it; a refusal when the upload takes no parts. */
async function claimed(
  db: D1Database,
  { target, uploadId }: Upload,
  part: StoredPart,
): Promise<"ours" | "stored" | AdminRefusal> {
  for (;;) {
    const nowMs = Date.now();
    if (await claimPart(db, uploadId, part, { nowMs, staleMs: nowMs - CLAIM_MS })) return "ours";
    const there = (await uploadParts(db, uploadId)).find((each) => each.n === part.n);
    if (there?.sha256 === part.sha256) return "stored";
    const now = await findUpload(db, target, uploadId);
    if (now === null) return { reason: "upload_lost" };
    if (now.state !== "uploading") return endedRefusal(now);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Why an upload that is not `uploading` takes no part. */
export function endedRefusal({ state, stateNote: note }: Upload): AdminRefusal {
  const ended = state === "uploading" || state === "completing" ? "served" : state;
  return { reason: "upload_ended", state: ended, note };
}

async function sha256Hex(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

/** Whether R2 says it knows no such upload (10024) or other parts of it than we do (10025). */
export function isUploadLost(failure: unknown): boolean {
  return failure instanceof Error && /\((10024|10025)\)/.test(failure.message);
}
