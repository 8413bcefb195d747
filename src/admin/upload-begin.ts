/** The first step of publishing: open an upload of the day, or take up the one that was interrupted. */
import { randomBase62 } from "../access/key.ts";
import type { BeijingDate } from "../calendar/beijing.ts";
import { type ServedDay, servedDay } from "../catalog/days.ts";
import {
  beginUpload,
  nextRevision,
  openUpload,
  type PackClaims,
  type Upload,
  type UploadPart,
  uploadParts,
} from "../catalog/uploads.ts";
import { packObjectKey } from "../packs/layout.ts";
import type { AdminRefusal } from "./refusal.ts";

/** Where publishing acts. */
export interface Stores {
  db: D1Database;
  bucket: R2Bucket;
}

/** R2 forgets an incomplete upload after 7 days; one of this age is not taken up any more. */
const RESUMABLE_MS = 6 * 86_400_000;

export type Begun = { served: ServedDay } | { upload: Omit<Upload, "packId">; parts: UploadPart[] };

/**
 * Opens an upload of `claims` for the day. The open upload of the very same content is taken up again;
 * one of other content is replaced, and its publisher is told at its next step. When the served revision
 * has this content already there is nothing to do, unless `force` asks for a new revision of it.
 */
export async function begin(
  { db, bucket }: Stores,
  tradedate: BeijingDate,
  { claims, force, nowMs }: { claims: PackClaims; force: boolean; nowMs: number },
): Promise<Begun | AdminRefusal> {
  const served = await servedDay(db, tradedate);
  if (!force && served?.state === "available" && isSameContent(served, claims)) return { served };

  const previous = await openUpload(db, tradedate);
  if (previous !== null && isSameContent(previous, claims) && nowMs - previous.begunAtMs < RESUMABLE_MS) {
    return { upload: previous, parts: await uploadParts(db, previous.uploadId) };
  }

  const uploadId = randomBase62(16);
  const revision = await nextRevision(db, tradedate);
  const objectKey = packObjectKey(tradedate, revision);
  // The object carries the upload's id, so that a later step can tell whose object lies there.
  const multipart = await bucket.createMultipartUpload(objectKey, { customMetadata: { uploadId } });
  const upload = { ...claims, uploadId, tradedate, revision, objectKey, begunAtMs: nowMs };
  const opened = await beginUpload(db, { ...upload, r2UploadId: multipart.uploadId }, previous);
  if (!opened) {
    await forget(bucket, objectKey, multipart.uploadId);
    return { reason: "other_publisher", tradedate };
  }
  if (previous !== null) await forget(bucket, previous.objectKey, previous.r2UploadId);
  return {
    upload: { ...upload, r2UploadId: multipart.uploadId, state: "uploading", stateNote: "" },
    parts: [],
  };
}

function isSameContent(a: PackClaims, b: PackClaims): boolean {
  return a.sha256 === b.sha256 && a.sizeBytes === b.sizeBytes && a.degraded === b.degraded;
}

/** Frees the parts of an upload that is over. Not doing so costs storage for 7 days, so a failure is let be. */
async function forget(bucket: R2Bucket, objectKey: string, r2UploadId: string): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(objectKey, r2UploadId).abort();
  } catch (failure) {
    console.warn(JSON.stringify({ event: "upload_not_aborted", objectKey, failure: String(failure) }));
  }
}
