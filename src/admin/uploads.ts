/**
 * The three steps of an upload, shared by packs and files: begin (or resume), send parts, complete. An interrupted step
 * leaves the served content unchanged and can be repeated.
 */
import { randomBase62 } from "../base/base62.ts";
import { readAtMost } from "../base/read-at-most.ts";
import { ok, refused } from "../base/result.ts";
import type { By } from "../catalog/accounts.ts";
import * as catalog from "../catalog/uploads.ts";
import { listObjects } from "../packs/list-objects.ts";
import { freeParts } from "../upkeep/objects.ts";
import { type AdminContext, byOf } from "./context.ts";
import type { AdminRefusal, Answered } from "./refusal.ts";
import { PART_SHA256_HEADER, PART_SIZE_BYTES, type StoredPart, type Uploading } from "./wire.ts";
import { sha256Schema } from "./wire-fields.ts";

/** The stores that publishing uses. */
export interface Stores {
  db: D1Database;
  bucket: R2Bucket;
}

/** The uploaded object differs from the announcement or is invalid; `problem` is a clause for the operator. */
export interface ArrivalProblem {
  problem: string;
}

export interface UploadTarget<Claims> {
  /** The day or file that is uploaded, as the table `uploads` names it. */
  target: string;
  /** The target's name in messages: the day of a pack, the name of a file. */
  called: string;
  /** Returns the object key of a revision. */
  objectKey(revision: number): string;
  /**
   * Checks the complete object of the upload and adds it to the catalog. Returns `lost`, and adds nothing, when another
   * publisher has taken over the target. Returns `held` when the content is valid but needs `force`; the upload stays
   * open, so that the content need not be sent again.
   */
  settle(
    stores: Stores,
    upload: catalog.Upload<Claims>,
    etag: string,
    by: By,
  ): Promise<"settled" | "lost" | ArrivalProblem | { held: AdminRefusal }>;
}

/** Matches the revision number in the last segment of an object key (`UploadTarget.objectKey`). */
const NUMBER = /^(\d+)(\.|$)/;

/**
 * Returns the target's next revision number. It is higher than every number that the catalog has issued, and higher
 * than the number of every unknown object in R2. A catalog restored from a backup can lack revisions to which cursors,
 * downloads, copies and newer backups still refer.
 */
export async function freeRevision(
  { db, bucket }: Stores,
  { target, objectKey: keyOf }: UploadTarget<never>,
): Promise<number> {
  const key = keyOf(1);
  const prefix = key.slice(0, key.lastIndexOf("/") + 1);
  const [next, own, stored] = await Promise.all([
    catalog.nextRevision(db, target),
    catalog.targetUploadIds(db, target),
    listObjects(bucket, { prefix, include: ["customMetadata"] }),
  ]);
  const strange = stored
    .filter(({ customMetadata }) => !own.has(customMetadata?.uploadId ?? ""))
    .map((object) => Number(NUMBER.exec(object.key.slice(prefix.length))?.[1] ?? 0));
  return Math.max(next, ...strange.map((number) => number + 1));
}

/** Uploads older than this are not resumed, because R2 discards an incomplete upload after 7 days. */
const RESUMABLE_MS = 6 * 86_400_000;

/** An upload that accepts parts, with the parts already stored. */
export interface Begun<Claims> {
  upload: Omit<catalog.Upload<Claims>, "objectId">;
  parts: catalog.UploadPart[];
}

/**
 * Opens an upload of `content`. An open upload of the same content is resumed, even when another publisher has just
 * opened it. An open upload of different content is replaced, and its publisher is refused at the next step.
 */
export async function begin<Claims>(
  stores: Stores,
  of: UploadTarget<Claims>,
  content: catalog.Content<Claims>,
  nowMs: number,
): Promise<Answered<Begun<Claims>>> {
  const { db, bucket } = stores;
  const { target } = of;
  const previous = await catalog.openUpload<Claims>(db, target);
  if (previous !== null && isResumable(previous, content, nowMs)) return ok(await resumed(db, previous));

  const uploadId = randomBase62(16);
  const revision = await freeRevision(stores, of);
  const objectKey = of.objectKey(revision);
  // The metadata names the upload, its checksum and its claims, so that later steps can identify the object and a
  // restored catalog can adopt it.
  const customMetadata = { uploadId, sha256: content.sha256, claims: JSON.stringify(content.claims) };
  const multipart = await bucket.createMultipartUpload(objectKey, { customMetadata });
  const r2UploadId = multipart.uploadId;
  const upload = { ...content, uploadId, target, revision, objectKey, r2UploadId, begunAtMs: nowMs };
  if (!(await takeOver(stores, upload, previous))) {
    await freeParts(bucket, { objectKey, r2UploadId });
    const other = await catalog.openUpload<Claims>(db, target);
    if (other !== null && isResumable(other, content, nowMs)) return ok(await resumed(db, other));
    return refused({ reason: "other_publisher", called: of.called });
  }
  return ok({ upload: { ...upload, state: "uploading", stateNote: "" }, parts: [] });
}

/** Ends an upload that is not needed. */
export async function discard(
  { db, bucket }: Stores,
  upload: Pick<catalog.Upload, "uploadId" | "objectKey" | "r2UploadId">,
): Promise<void> {
  if (await catalog.moveUpload(db, upload, "uploading", "replaced")) {
    await freeParts(bucket, upload);
  }
}

/** Returns whether parts of `content` can still be sent to the open upload; never for an adoption, which has none. */
function isResumable(open: catalog.Upload, content: catalog.Content<unknown>, nowMs: number): boolean {
  const [had, claims] = [open, content].map((each) => JSON.stringify(each.claims));
  const isSame = open.sha256 === content.sha256 && open.sizeBytes === content.sizeBytes && had === claims;
  return isSame && open.r2UploadId !== catalog.ADOPTED_R2_UPLOAD_ID && nowMs - open.begunAtMs < RESUMABLE_MS;
}

async function resumed<Claims>(db: D1Database, upload: catalog.Upload<Claims>): Promise<Begun<Claims>> {
  return { upload, parts: await catalog.uploadParts(db, upload.uploadId) };
}

/**
 * Opens `upload` in place of the target's open upload. Returns false when another upload was opened or served since
 * `previous` was read.
 */
export async function takeOver(
  { db, bucket }: Stores,
  upload: catalog.NewUpload,
  previous: catalog.Upload | null,
): Promise<boolean> {
  if (!(await catalog.beginUpload(db, upload, previous))) return false;
  if (previous !== null) await freeParts(bucket, previous);
  return true;
}

/** Returns the number of parts of an upload of this size. */
function partCountOf(sizeBytes: number): number {
  return Math.ceil(sizeBytes / PART_SIZE_BYTES);
}

/** Returns the upload of `target` whose id is in the path, or a refusal. */
async function uploadOf<Claims>(
  c: AdminContext,
  { target, called }: UploadTarget<Claims>,
): Promise<Answered<catalog.Upload<Claims>>> {
  const upload = await catalog.findUpload<Claims>(c.env.DB, target, c.req.param("uploadId") ?? "");
  return upload === null
    ? refused({ reason: "absent", what: `upload of ${called} with this id` })
    : ok(upload);
}

/**
 * Stores the part whose number is in the path. Refuses bytes of the wrong size or with a SHA-256 other than that in the
 * header. A part that is already stored with this hash is not sent to R2 again, even if another caller has completed
 * the upload since then. When several publishers send the same content at once, only one of them stores each part.
 */
export async function receivePart<Claims>(
  c: AdminContext,
  target: UploadTarget<Claims>,
): Promise<Answered<StoredPart>> {
  const found = await uploadOf(c, target);
  if (!found.ok) return found;
  const upload = found.value;
  const { state, sizeBytes } = upload;
  const ends = state === "replaced" || state === "abandoned" || state === "refused";
  if (ends) return refused({ reason: "upload_ended", upload });
  const asked = c.req.param("n") ?? "";
  const partCount = partCountOf(sizeBytes);
  const unknownPart = refused({ reason: "part_number", n: asked, partCount } as const);
  if (!/^[1-9]\d{0,4}$/.test(asked)) return unknownPart;
  const sha256 = sha256Schema.safeParse(c.req.header(PART_SHA256_HEADER));
  if (!sha256.success) return refused({ reason: "part_hash_absent" });
  const bytes = await readAtMost(c.req.raw.body, PART_SIZE_BYTES);
  const n = Number(asked);
  if (n > partCount) return unknownPart;
  const partBytes = n < partCount ? PART_SIZE_BYTES : sizeBytes - (partCount - 1) * PART_SIZE_BYTES;
  if (bytes?.length !== partBytes) return refused({ reason: "part_size", n, sizeBytes: partBytes });
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  if (Buffer.from(digest).toString("hex") !== sha256.data) return refused({ reason: "part_hash", n });

  const stored = { n, sizeBytes: partBytes, sha256: sha256.data };
  const claim = await claimed(c.env.DB, upload, stored);
  if (!claim.ok) return claim;
  const isHere = claim.value === "stored" || (await sendPart(storesOf(c), upload, stored, bytes));
  return isHere ? ok(stored) : refused({ reason: "upload_lost" });
}

/** Stores a part that this call has claimed. Returns false when R2 no longer has the upload, which then ends. */
async function sendPart(
  { db, bucket }: Stores,
  upload: catalog.Upload,
  part: StoredPart,
  bytes: Uint8Array,
): Promise<boolean> {
  const multipart = bucket.resumeMultipartUpload(upload.objectKey, upload.r2UploadId);
  try {
    const { etag } = await multipart.uploadPart(part.n, bytes);
    await catalog.recordPart(db, upload.uploadId, { ...part, etag });
    return true;
  } catch (failure) {
    await catalog.releasePart(db, upload.uploadId, part.n);
    if (!isUploadLost(failure)) throw failure;
    await catalog.moveUpload(db, upload, "uploading", "replaced");
    return false;
  }
}

/**
 * How long a claim on a part lasts. After this time another publisher may store the part. The time is short, because
 * the holder of the claim already has the bytes in memory.
 */
const CLAIM_MS = 2_000;
const POLL_MS = 100;

/**
 * Claims a part. Waits while another publisher holds the claim. Returns `ours` when this call has the claim and must
 * store the part, and `stored` when the part is already stored. Refuses when the upload accepts no parts.
 */
async function claimed(
  db: D1Database,
  { target, uploadId }: catalog.Upload,
  part: StoredPart,
): Promise<Answered<"ours" | "stored">> {
  for (;;) {
    const nowMs = Date.now();
    if (await catalog.claimPart(db, uploadId, part, { nowMs, staleMs: nowMs - CLAIM_MS })) return ok("ours");
    const there = (await catalog.uploadParts(db, uploadId)).find((each) => each.n === part.n);
    if (there?.sha256 === part.sha256) return ok("stored");
    const now = await catalog.findUpload(db, target, uploadId);
    if (now === null) return refused({ reason: "upload_lost" });
    if (now.state !== "uploading") return refused({ reason: "upload_ended", upload: now });
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Returns whether R2 reports an unknown upload (10024) or invalid parts (10025). */
function isUploadLost(failure: unknown): boolean {
  return failure instanceof Error && /\((10024|10025)\)/.test(failure.message);
}

/** `newRevision` is false when the upload was already completed. */
export interface Completed {
  revision: number;
  newRevision: boolean;
}

/**
 * Completes the upload of `target` whose id is in the path, and makes it a revision of the target. Refuses when parts
 * are missing, when the content differs from the announcement (it is then never served), and when another publisher has
 * taken over the target.
 */
export async function complete<Claims>(
  c: AdminContext,
  target: UploadTarget<Claims>,
): Promise<Answered<Completed>> {
  const stores = storesOf(c);
  const { db } = stores;
  const found = await uploadOf(c, target);
  if (!found.ok) return found;
  let upload = found.value;
  const { uploadId, revision } = upload;
  if (upload.state === "uploading") {
    const there = new Set((await catalog.uploadParts(db, uploadId)).map(({ n }) => n));
    const numbers = Array.from({ length: partCountOf(upload.sizeBytes) }, (_, i) => i + 1);
    const missing = numbers.filter((n) => !there.has(n));
    if (missing.length > 0) return refused({ reason: "parts_missing", missing });
    // From here on the parts can become an object at any moment, so the revision number counts as used.
    await catalog.moveUpload(db, upload, "uploading", "completing");
    // Another caller may have changed the state since the upload was read.
    const now = await catalog.findUpload<Claims>(db, target.target, uploadId);
    if (now === null || now.state === "uploading")
      throw new Error(`upload ${uploadId} returned to an earlier state`);
    upload = now;
  }
  if (upload.state === "completing") return settle(stores, { target, upload, by: byOf(c) });
  if (upload.state === "served") return ok({ revision, newRevision: false });
  return refused({ reason: "upload_ended", upload });
}

/**
 * Returns `by` with its time advanced by the milliseconds since `begunMs` (from `Date.now()`). A change is announced a
 * fixed time after its timestamp, so the timestamp must be the instant at which the change takes effect. The checks
 * before a change can take minutes.
 */
export function asOfNow(by: By, begunMs: number): By {
  return { ...by, nowMs: by.nowMs + Date.now() - begunMs };
}

/** Makes an upload that is `completing` a revision of its target. Refuses as `complete` does. */
export async function settle<Claims>(
  stores: Stores,
  { target, upload, by }: { target: UploadTarget<Claims>; upload: catalog.Upload<Claims>; by: By },
): Promise<Answered<Completed>> {
  const { db } = stores;
  const { revision } = upload;
  const begunMs = Date.now();
  const etag = await assembledEtag(stores, upload);
  if (etag === null) {
    await catalog.moveUpload(db, upload, "completing", "replaced");
    return refused({ reason: "upload_lost" });
  }
  const settled = await target.settle(stores, upload, etag, asOfNow(by, begunMs));
  if (settled === "settled") return ok({ revision, newRevision: true });
  if (settled === "lost") {
    // A concurrent call may have settled the upload.
    const now = await catalog.findUpload(db, upload.target, upload.uploadId);
    if (now?.state === "served") return ok({ revision, newRevision: false });
  } else if ("held" in settled) return refused(settled.held);
  const problem = settled === "lost" ? null : settled.problem;
  const ended = problem === null ? "abandoned" : "refused";
  await catalog.moveUpload(db, upload, "completing", ended, problem ?? "");
  await db.batch(catalog.dropUnserved(db, upload.target));
  const { called } = target;
  return problem === null
    ? refused({ reason: "other_publisher", called })
    : refused({ reason: "content_wrong", called, problem });
}

/** Returns the etag of the upload's object, which is assembled now or was before; null when R2 lost the parts. */
async function assembledEtag({ db, bucket }: Stores, upload: catalog.Upload): Promise<string | null> {
  if (upload.r2UploadId === catalog.ADOPTED_R2_UPLOAD_ID)
    return (await bucket.head(upload.objectKey))?.etag ?? null;
  const own = async () => {
    const object = await bucket.head(upload.objectKey);
    return object?.customMetadata?.uploadId === upload.uploadId ? object.etag : null;
  };
  const earlier = await own();
  if (earlier !== null) return earlier;
  const stored = await catalog.uploadParts(db, upload.uploadId);
  const parts = stored.map(({ n: partNumber, etag }) => ({ partNumber, etag }));
  try {
    const multipart = bucket.resumeMultipartUpload(upload.objectKey, upload.r2UploadId);
    return (await multipart.complete(parts)).etag;
  } catch (failure) {
    if (!isUploadLost(failure)) throw failure;
    // A concurrent call may have completed the upload.
    return own();
  }
}

/** Returns the stores of this deployment. */
export function storesOf(c: AdminContext): Stores {
  return { db: c.env.DB, bucket: c.env.PACKS };
}

/** Returns the answer that tells the command which parts to send. */
export function uploadingAnswer({ upload, parts }: Begun<unknown>): Uploading {
  return {
    state: "uploading",
    uploadId: upload.uploadId,
    revision: upload.revision,
    partSizeBytes: PART_SIZE_BYTES,
    partCount: partCountOf(upload.sizeBytes),
    parts: parts.map(({ etag: _, ...part }) => part),
  };
}
