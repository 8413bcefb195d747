/** Checks objects and uploads in R2 against the catalog; deletes expired objects and ends abandoned uploads. */
import * as catalog from "../catalog/upkeep.ts";
import { ADOPTED_R2_UPLOAD_ID, type Upload } from "../catalog/uploads.ts";
import { DATASET_NAMES, DATASETS } from "../datasets/registry.ts";
import { listObjects } from "../packs/list-objects.ts";
import { abridged, done, type Finding, finding } from "./finding.ts";

/** R2 discards incomplete uploads after 7 days; objects of ended uploads are kept for the same time. */
const UPLOAD_KEPT_MS = 7 * 86_400_000;

/** Key prefixes of packs and files; other objects of the bucket are ignored. */
const PREFIXES = [...DATASET_NAMES.map((name) => `${DATASETS[name].prefix}/`), "files/"];

/** The maximum number of objects deleted in one run. It is low, because each pack has thousands of index rows. */
const RETIRED_AT_ONCE = 50;

export interface Upkeep {
  db: D1Database;
  bucket: R2Bucket;
  /** Unix milliseconds. */
  nowMs: number;
}

/** An object as R2 lists it. */
export type StoredObject = Pick<R2Object, "key" | "etag" | "size" | "uploaded">;

export interface Judgement {
  /** Objects in the catalog that are not in R2. */
  missing: catalog.KnownObject[];
  /** Objects whose size or ETag in R2 differs from the catalog. */
  changed: { known: catalog.KnownObject; stored: StoredObject }[];
  /** Objects that were replaced more than 7 days ago. */
  expired: catalog.KnownObject[];
  /** Objects of uploads that have ended and whose content is not served. */
  unserved: { known: catalog.KnownObject; stored: StoredObject }[];
  /** Objects in R2 that are not in the catalog. */
  unknown: StoredObject[];
}

/**
 * Compares R2 with the catalog. An object that R2 lists, or that the catalog requires, is either correct or in one of
 * the returned lists.
 */
export function judgeObjects(
  known: ReadonlyMap<string, catalog.KnownObject>,
  stored: Iterable<StoredObject>,
): Judgement {
  const judged: Judgement = { missing: [], changed: [], expired: [], unserved: [], unknown: [] };
  const there = new Set<string>();
  for (const object of stored) {
    there.add(object.key);
    const of = known.get(object.key);
    if (of === undefined) judged.unknown.push(object);
    else if (of.duty === "expired") judged.expired.push(of);
    else if (of.duty === "unserved") judged.unserved.push({ known: of, stored: object });
    else if (isNeeded(of) && (of.etag !== object.etag || of.sizeBytes !== object.size)) {
      judged.changed.push({ known: of, stored: object });
    }
  }
  for (const of of known.values()) if (isNeeded(of) && !there.has(of.objectKey)) judged.missing.push(of);
  return judged;
}

function isNeeded({ duty }: catalog.KnownObject): boolean {
  return duty === "kept" || duty === "spare";
}

/** Compares R2 with the catalog as of `nowMs`. */
export async function judgedObjects({ db, bucket, nowMs }: Upkeep): Promise<Judgement> {
  const stored: StoredObject[] = [];
  for (const prefix of PREFIXES) {
    for (const object of await listObjects(bucket, { prefix })) stored.push(object);
  }
  const judged = judgeObjects(await catalog.knownObjects(db, nowMs), stored);
  const missing: Judgement["missing"] = [];
  for (const known of judged.missing) {
    // An object may have been published after R2 was listed. Then it is not in the list, but `head` finds it.
    if ((await bucket.head(known.objectKey)) === null) missing.push(known);
  }
  return { ...judged, missing };
}

/** Returns a finding for each missing or changed object: `failed` if it is served, otherwise `warning`. */
export function objectFindings({ missing, changed }: Judgement): Finding[] {
  const { kept = [], spare = [] } = Object.groupBy(missing, ({ duty }) => duty);
  return [
    ...abridged(kept.map(missingServed)),
    ...abridged(spare.map(missingSpare)),
    ...abridged(changed.map(changedObject)),
  ];
}

const PUBLISH_AGAIN = "Publish it again from its pack or file.";
const PUBLISH_AGAIN_ZH = "请用原来的日包或文件重新发布。";

function missingServed({ objectKey, called }: catalog.KnownObject): Finding {
  return finding("objects", "failed", objectKey, {
    en: [`${called} is in the catalog, but its object ${objectKey} is not in R2.`, PUBLISH_AGAIN],
    zh: [`${called} 在目录中，但对象 ${objectKey} 不在 R2 里。`, PUBLISH_AGAIN_ZH],
  });
}

/**
 * Returns the finding about a missing object that is not served. After a restore, the catalog can list earlier packs
 * and files that were not copied to R2.
 */
function missingSpare({ objectKey, called }: catalog.KnownObject): Finding {
  return finding("objects", "warning", objectKey, {
    en: [
      `${objectKey} of ${called} is not in R2. It is not served at present.`,
      "Copy it back, or run `edgetape doctor --repair` to remove it from the catalog; served data stays unchanged.",
    ],
    zh: [
      `${called} 的对象 ${objectKey}（目前没有提供）不在 R2 里。`,
      "请复制回来，或用 `edgetape doctor --repair` 放弃它；正在提供的数据不受影响。",
    ],
  });
}

function changedObject({ known, stored }: Judgement["changed"][number]): Finding {
  const { objectKey, called, sizeBytes, duty } = known;
  return finding("objects", duty === "kept" ? "failed" : "warning", objectKey, {
    en: [
      `${called}: the object ${objectKey} in R2 (${stored.size} bytes, ETag ${stored.etag}) differs from the catalog (${sizeBytes} bytes).`,
      PUBLISH_AGAIN,
    ],
    zh: [
      `${called}：R2 中的对象 ${objectKey}（${stored.size} 字节）与目录记录（${sizeBytes} 字节）不符。`,
      PUBLISH_AGAIN_ZH,
    ],
  });
}

/** Deletes objects that were replaced more than 7 days ago, and the index rows of replaced packs. */
export async function deleteExpired(
  { db, bucket, nowMs }: Upkeep,
  { expired }: Judgement,
): Promise<Finding[]> {
  const deleted: Finding[] = [];
  for (const { objectKey, packId, called } of expired.slice(0, RETIRED_AT_ONCE)) {
    if (packId !== null && !(await catalog.retirePack(db, packId, nowMs))) continue;
    await bucket.delete(objectKey);
    deleted.push(
      done("replaced", objectKey, `${called} was replaced more than 7 days ago; ${objectKey} was deleted.`),
    );
  }
  return abridged(deleted);
}

/** Returns the objects of uploads that ended without being served and began at least `keptMs` ago. */
export function unservedSince({ nowMs }: Upkeep, { unserved }: Judgement, keptMs: number) {
  return unserved.filter(
    ({ known, stored }) => nowMs - Math.max(stored.uploaded.getTime(), known.begunAtMs) >= keptMs,
  );
}

/** Deletes the objects of uploads that ended without being served, once they are `keptMs` old. */
export async function deleteUnserved(
  place: Upkeep,
  judged: Judgement,
  keptMs = UPLOAD_KEPT_MS,
): Promise<Finding[]> {
  const deleted: Finding[] = [];
  for (const { known, stored } of unservedSince(place, judged, keptMs)) {
    // A newer upload may use the same number and key by now.
    const present = await place.bucket.head(stored.key);
    if (present?.etag !== stored.etag) continue;
    await place.bucket.delete(stored.key);
    deleted.push(
      done("uploads", stored.key, `An upload of ${known.called} was not served; ${stored.key} was deleted.`),
    );
  }
  return abridged(deleted);
}

/** Ends open uploads that began more than `keptMs` ago and frees their parts. */
export async function endAbandoned(
  { db, bucket, nowMs }: Upkeep,
  keptMs = UPLOAD_KEPT_MS,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const upload of await catalog.staleUploads(db, nowMs - keptMs)) {
    // An upload that is being completed keeps its parts; the object made of them is deleted when it expires.
    if (!(await catalog.endStaleUpload(db, upload))) continue;
    if (upload.state === "uploading") await freeParts(bucket, upload);
    const { target } = upload;
    findings.push(done("uploads", target, `The upload of ${target} was never completed and has been ended.`));
  }
  return abridged(findings);
}

/** Reports open uploads that began more than `forMs` ago. */
export async function waitingUploads({ db, nowMs }: Upkeep, forMs: number): Promise<Finding[]> {
  const waiting = await catalog.staleUploads(db, nowMs - forMs);
  const advice =
    "Publish the day or add the file again to resume the upload, or run `edgetape doctor --repair` to end it.";
  const findings = waiting.map(({ target }) =>
    finding("uploads", "warning", target, { en: [`The upload of ${target} was not completed.`, advice] }),
  );
  return abridged(findings);
}

/** Frees the parts of an ended upload. A failure is only logged, because R2 frees parts by itself after 7 days. */
export async function freeParts(
  bucket: R2Bucket,
  { objectKey, r2UploadId }: Pick<Upload, "objectKey" | "r2UploadId">,
): Promise<void> {
  if (r2UploadId === ADOPTED_R2_UPLOAD_ID) return;
  try {
    await bucket.resumeMultipartUpload(objectKey, r2UploadId).abort();
  } catch (failure) {
    console.warn(JSON.stringify({ event: "upload_not_aborted", objectKey, failure: String(failure) }));
  }
}
