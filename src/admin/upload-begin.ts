/** The first step of publishing: open an upload, or take up the one that was interrupted. */
import { randomBase62 } from "../access/key.ts";
import {
  beginUpload,
  type Content,
  findUpload,
  nextRevision,
  openUpload,
  type Upload,
  type UploadPart,
  uploadParts,
} from "../catalog/uploads.ts";
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
 * Opens an upload of `content`. The open upload of the very same content is taken up again; one of other
 * content is replaced, and its publisher is told at its next step.
 */
export async function begin<Claims>(
  stores: Stores,
  { target, called, objectKey: keyOf }: UploadTarget<Claims>,
  content: Content<Claims>,
  nowMs: number,
): Promise<Begun<Claims> | AdminRefusal> {
  const { db, bucket } = stores;
  const previous = await openUpload<Claims>(db, target);
  if (previous !== null && isSameContent(previous, content) && nowMs - previous.begunAtMs < RESUMABLE_MS) {
    return { upload: previous, parts: await uploadParts(db, previous.uploadId) };
  }

  const uploadId = randomBase62(16);
  const revision = await freeRevision(stores, target, keyOf);
  const objectKey = keyOf(revision);
  // The object carries the upload's id, so that a later step can tell whose object lies there.
  const multipart = await bucket.createMultipartUpload(objectKey, { customMetadata: { uploadId } });
  const r2UploadId = multipart.uploadId;
  const upload = { ...content, uploadId, target, revision, objectKey, r2UploadId, begunAtMs: nowMs };
  const opened = await beginUpload(db, upload, previous);
  if (!opened) {
    await forget(bucket, objectKey, r2UploadId);
    return { reason: "other_publisher", called };
  }
  if (previous !== null) await forget(bucket, previous.objectKey, previous.r2UploadId);
  return { upload: { ...upload, state: "uploading", stateNote: "" }, parts: [] };
}

/**
 * The target's next number under which no object lies that the catalog does not know: one that was put back to an
 * earlier state has forgotten revisions which cursors, downloads and newer backups still speak of.
 */
async function freeRevision(
  { db, bucket }: Stores,
  target: string,
  keyOf: (revision: number) => string,
): Promise<number> {
  for (let revision = await nextRevision(db, target); ; revision++) {
    const object = await bucket.head(keyOf(revision));
    if (object === null) return revision;
    const maker = object.customMetadata?.uploadId;
    if (maker !== undefined && (await findUpload(db, target, maker)) !== null) return revision;
  }
}

function isSameContent(a: Content<unknown>, b: Content<unknown>): boolean {
  const claims = [a, b].map((content) => JSON.stringify(content.claims));
  return a.sha256 === b.sha256 && a.sizeBytes === b.sizeBytes && claims[0] === claims[1];
}

/** Frees the parts of an upload that is over. Not doing so costs storage for 7 days, so a failure is let be. */
async function forget(bucket: R2Bucket, objectKey: string, r2UploadId: string): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(objectKey, r2UploadId).abort();
  } catch (failure) {
    console.warn(JSON.stringify({ event: "upload_not_aborted", objectKey, failure: String(failure) }));
  }
}
