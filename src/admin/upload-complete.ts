/**
 * The last step of publishing: parts become an object, and the target checks it and enters it into the
 * catalog. A stop anywhere leaves what was served; calling it again completes.
 */
import type { By } from "../catalog/accounts.ts";
import { ADOPTED_R2_UPLOAD_ID } from "../catalog/known-packs.ts";
import { dropUnserved, findUpload, moveUpload, type Upload, uploadParts } from "../catalog/uploads.ts";
import type { AdminRefusal } from "./refusal.ts";
import { isUploadLost, partCountOf } from "./upload-part.ts";
import type { Stores, UploadTarget } from "./upload-target.ts";

/** `newRevision` is false when the upload had been completed before. */
export interface Completed {
  newRevision: boolean;
}

/** One upload, what it is of, and who completes it. */
interface Completion<Claims> {
  target: UploadTarget<Claims>;
  upload: Upload<Claims>;
  by: By;
}

/**
 * Completes `upload` and makes it a revision of its target. Refuses when parts are missing, when the content
 * is not what was announced (it is never served then), and when another publisher took the target over.
 */
export async function complete<Claims>(
  stores: Stores,
  completion: Completion<Claims>,
): Promise<Completed | AdminRefusal> {
  const { upload } = completion;
  if (upload.state === "uploading") return assembleFirst(stores, completion);
  if (upload.state === "completing") return settle(stores, completion);
  if (upload.state === "served") return { newRevision: false };
  return { reason: "upload_ended", state: upload.state, note: upload.stateNote };
}

async function assembleFirst<Claims>(
  stores: Stores,
  completion: Completion<Claims>,
): Promise<Completed | AdminRefusal> {
  const { upload } = completion;
  const there = new Set((await uploadParts(stores.db, upload.uploadId)).map(({ n }) => n));
  const numbers = Array.from({ length: partCountOf(upload.sizeBytes) }, (_, i) => i + 1);
  const missing = numbers.filter((n) => !there.has(n));
  if (missing.length > 0) return { reason: "parts_missing", missing };
  // From here on the parts may become an object at any moment, so the revision's number is taken.
  await moveUpload(stores.db, upload, "uploading", "completing");
  return again(stores, completion);
}

/** Goes on with the upload as it is now: somebody else may have moved it. */
async function again<Claims>(
  stores: Stores,
  completion: Completion<Claims>,
): Promise<Completed | AdminRefusal> {
  const { target, uploadId } = completion.upload;
  const now = await findUpload<Claims>(stores.db, target, uploadId);
  if (now === null || now.state === "uploading") throw new Error(`upload ${uploadId} went back`);
  return complete(stores, { ...completion, upload: now });
}

async function settle<Claims>(
  stores: Stores,
  { target, upload, by }: Completion<Claims>,
): Promise<Completed | AdminRefusal> {
  const { db } = stores;
  const etag = await assembledEtag(stores, upload);
  if (etag === null) {
    await moveUpload(db, upload, "completing", "replaced");
    return { reason: "upload_lost" };
  }
  const settled = await target.settle(stores, upload, etag, by);
  if (settled === "settled") return { newRevision: true };
  if (settled === "lost") return lost(stores, target.called, upload);
  if ("held" in settled) return settled.held;
  await moveUpload(db, upload, "completing", "refused", settled.problem);
  await db.batch(dropUnserved(db, upload.target));
  return { reason: "content_wrong", called: target.called, problem: settled.problem };
}

/** The same upload may have been settled by a second caller of `complete`; else another publisher won. */
async function lost({ db }: Stores, called: string, upload: Upload): Promise<Completed | AdminRefusal> {
  const now = await findUpload(db, upload.target, upload.uploadId);
  if (now?.state === "served") return { newRevision: false };
  await moveUpload(db, upload, "completing", "abandoned");
  await db.batch(dropUnserved(db, upload.target));
  return { reason: "other_publisher", called };
}

/** The etag of the upload's object, made of its parts now or by an earlier call; null when R2 lost the parts. */
async function assembledEtag({ db, bucket }: Stores, upload: Upload): Promise<string | null> {
  if (upload.r2UploadId === ADOPTED_R2_UPLOAD_ID) return (await bucket.head(upload.objectKey))?.etag ?? null;
  const own = async () => {
    const object = await bucket.head(upload.objectKey);
    return object?.customMetadata?.uploadId === upload.uploadId ? object.etag : null;
  };
  const earlier = await own();
  if (earlier !== null) return earlier;
  const parts = (await uploadParts(db, upload.uploadId)).map(({ n, etag }) => ({ partNumber: n, etag }));
  try {
    const multipart = bucket.resumeMultipartUpload(upload.objectKey, upload.r2UploadId);
    return (await multipart.complete(parts)).etag;
  } catch (failure) {
    if (!isUploadLost(failure)) throw failure;
    // A second call of the same moment may have completed it.
    return own();
  }
}
