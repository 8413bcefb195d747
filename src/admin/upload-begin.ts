/** The first step of publishing: open an upload, or take up the one that was interrupted. */
import { randomBase62 } from "../access/key.ts";
import { ADOPTED_R2_UPLOAD_ID } from "../catalog/known-packs.ts";
import {
  beginUpload,
  type Content,
  moveUpload,
  type NewUpload,
  openUpload,
  type Upload,
  type UploadPart,
  uploadParts,
} from "../catalog/uploads.ts";
import { freeRevision } from "./free-revision.ts";
import type { AdminRefusal } from "./refusal.ts";
import type { Stores, UploadTarget } from "./upload-target.ts";

/** R2 forgets an incomplete upload after 7 days; one of this age is not taken up any more. */
const RESUMABLE_MS = 6 * 86_400_000;

/** An upload that takes parts, and the parts that are there already. */
export interface Begun<Claims> {
  upload: Omit<Upload<Claims>, "objectId">;
  parts: UploadPart[];
}

/**
 * Opens an upload of `content`. The open upload of the very same content is taken up again, also when another
 * publisher opened it at this moment; one of other content is replaced, and its publisher is told at its next step.
 */
export async function begin<Claims>(
  stores: Stores,
  of: Pick<UploadTarget<Claims>, "target" | "called" | "objectKey">,
  content: Content<Claims>,
  nowMs: number,
): Promise<Begun<Claims> | AdminRefusal> {
  const { db, bucket } = stores;
  const { target } = of;
  const previous = await openUpload<Claims>(db, target);
  if (previous !== null && isResumable(previous, content, nowMs)) return resumed(db, previous);

  const uploadId = randomBase62(16);
  const revision = await freeRevision(stores, of);
  const objectKey = of.objectKey(revision);
  // The object says whose it is, so that a later step can tell whose lies there, and what it should be: a
  // catalog that has forgotten it can still adopt it.
  const customMetadata = { uploadId, sha256: content.sha256, claims: JSON.stringify(content.claims) };
  const multipart = await bucket.createMultipartUpload(objectKey, { customMetadata });
  const r2UploadId = multipart.uploadId;
  const upload = { ...content, uploadId, target, revision, objectKey, r2UploadId, begunAtMs: nowMs };
  if (!(await takeOver(stores, upload, previous))) {
    await forget(bucket, objectKey, r2UploadId);
    const other = await openUpload<Claims>(db, target);
    if (other !== null && isResumable(other, content, nowMs)) return resumed(db, other);
    return { reason: "other_publisher", called: of.called };
  }
  return { upload: { ...upload, state: "uploading", stateNote: "" }, parts: [] };
}

/** Ends an upload that takes parts and that nobody needs. */
export async function discard(
  { db, bucket }: Stores,
  upload: Pick<Upload, "uploadId" | "objectKey" | "r2UploadId">,
): Promise<void> {
  if (await moveUpload(db, upload, "uploading", "replaced")) {
    await forget(bucket, upload.objectKey, upload.r2UploadId);
  }
}

/** Whether the parts of `content` may still be sent to `open`; an adoption takes none. */
function isResumable(open: Upload, content: Content<unknown>, nowMs: number): boolean {
  if (open.r2UploadId === ADOPTED_R2_UPLOAD_ID) return false;
  return isSameContent(open, content) && nowMs - open.begunAtMs < RESUMABLE_MS;
}

async function resumed<Claims>(db: D1Database, upload: Upload<Claims>): Promise<Begun<Claims>> {
  return { upload, parts: await uploadParts(db, upload.uploadId) };
}

/** Opens `upload` in the place of the target's open upload; false when somebody else opened or served one. */
export async function takeOver(
  { db, bucket }: Stores,
  upload: NewUpload,
  previous: Upload | null,
): Promise<boolean> {
  if (!(await beginUpload(db, upload, previous))) return false;
  if (previous !== null) await forget(bucket, previous.objectKey, previous.r2UploadId);
  return true;
}

function isSameContent(a: Content<unknown>, b: Content<unknown>): boolean {
  const claims = [a, b].map((content) => JSON.stringify(content.claims));
  return a.sha256 === b.sha256 && a.sizeBytes === b.sizeBytes && claims[0] === claims[1];
}

/** Frees the parts of an upload that is over. Not doing so costs storage for 7 days, so a failure is let be. */
async function forget(bucket: R2Bucket, objectKey: string, r2UploadId: string): Promise<void> {
  if (r2UploadId === ADOPTED_R2_UPLOAD_ID) return;
  try {
    await bucket.resumeMultipartUpload(objectKey, r2UploadId).abort();
  } catch (failure) {
    console.warn(JSON.stringify({ event: "upload_not_aborted", objectKey, failure: String(failure) }));
  }
}
