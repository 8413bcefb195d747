/**
 * The last step of publishing: parts become an object, the object is checked, its index rows are loaded,
 * and the catalog row is written last. A stop anywhere leaves what was served; calling it again completes.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { By } from "../catalog/accounts.ts";
import type { SectionRow } from "../catalog/order-day.ts";
import { loadIndexRows, serveUpload } from "../catalog/publish-day.ts";
import { dropUnservedRows, findUpload, moveUpload, type Upload, uploadParts } from "../catalog/uploads.ts";
import { encodeBlocks } from "../packs/blocks-blob.ts";
import type { SectionEntry } from "../packs/layout.ts";
import { checkArrival } from "./arrival.ts";
import type { AdminRefusal } from "./refusal.ts";
import type { Stores } from "./upload-begin.ts";
import { isUploadLost, partCountOf } from "./upload-part.ts";

/**
 * Completes `upload` and makes it the served revision. `newRevision` is false when it was that already.
 * Refuses when parts are missing, when the pack is not what was announced (it is never served then), and
 * when another publisher took the day over.
 */
export async function complete(
  stores: Stores,
  upload: Upload,
  by: By,
): Promise<{ newRevision: boolean } | AdminRefusal> {
  if (upload.state === "uploading") return assembleFirst(stores, upload, by);
  if (upload.state === "completing") return serve(stores, upload, by);
  if (upload.state === "served") return { newRevision: false };
  return { reason: "upload_ended", state: upload.state, note: upload.stateNote };
}

async function assembleFirst(
  stores: Stores,
  upload: Upload,
  by: By,
): Promise<{ newRevision: boolean } | AdminRefusal> {
  const there = new Set((await uploadParts(stores.db, upload.uploadId)).map(({ n }) => n));
  const numbers = Array.from({ length: partCountOf(upload.sizeBytes) }, (_, i) => i + 1);
  const missing = numbers.filter((n) => !there.has(n));
  if (missing.length > 0) return { reason: "parts_missing", missing };
  // From here on the parts may become an object at any moment, so the revision's number is taken.
  await moveUpload(stores.db, upload, "uploading", "completing");
  return again(stores, upload, by);
}

/** Goes on with the upload as it is now: somebody else may have moved it. */
async function again(
  stores: Stores,
  upload: Upload,
  by: By,
): Promise<{ newRevision: boolean } | AdminRefusal> {
  const now = await findUpload(stores.db, upload.tradedate, upload.uploadId);
  if (now === null || now.state === "uploading") throw new Error(`upload ${upload.uploadId} went back`);
  return complete(stores, now, by);
}

async function serve(
  stores: Stores,
  upload: Upload,
  by: By,
): Promise<{ newRevision: boolean } | AdminRefusal> {
  const { db, bucket } = stores;
  const etag = await assembledEtag(stores, upload);
  if (etag === null) {
    await moveUpload(db, upload, "completing", "replaced");
    return { reason: "upload_lost" };
  }
  const index = await checkArrival(bucket, upload, etag);
  if ("problem" in index) {
    await moveUpload(db, upload, "completing", "refused", index.problem);
    return { reason: "pack_wrong", problem: index.problem };
  }
  await loadIndexRows(db, upload.packId, index.entries.map(rowOf));
  if (await serveUpload(db, { upload, etag, actor: by.actor, nowMs: by.nowMs })) return { newRevision: true };
  return lost(stores, upload);
}

/** The same upload may have been served by a second caller of `complete`; else another publisher won. */
async function lost({ db }: Stores, upload: Upload): Promise<{ newRevision: boolean } | AdminRefusal> {
  const now = await findUpload(db, upload.tradedate, upload.uploadId);
  if (now?.state === "served") return { newRevision: false };
  await moveUpload(db, upload, "completing", "abandoned");
  await db.batch([dropUnservedRows(db, upload.tradedate)]);
  return { reason: "other_publisher", tradedate: upload.tradedate satisfies BeijingDate };
}

/** The etag of the upload's object, made of its parts now or by an earlier call; null when R2 lost the parts. */
async function assembledEtag({ db, bucket }: Stores, upload: Upload): Promise<string | null> {
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

function rowOf({ blocks, ...entry }: SectionEntry): SectionRow {
  return { ...entry, blocksBlob: encodeBlocks(blocks) };
}
