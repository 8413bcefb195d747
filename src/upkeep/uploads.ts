/** Ends and reports incomplete uploads. */
import { endStaleUpload, staleUploads } from "../catalog/upkeep.ts";
import { abridged, type Finding } from "./finding.ts";
import { UPLOAD_KEPT_MS, type Upkeep } from "./objects.ts";

/** Ends open uploads that began more than `keptMs` ago and frees their parts. */
export async function endAbandoned(
  { db, bucket, nowMs }: Upkeep,
  keptMs = UPLOAD_KEPT_MS,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const upload of await staleUploads(db, nowMs - keptMs)) {
    // An upload that is being completed keeps its parts; an object made of them is deleted when it expires.
    if (!(await endStaleUpload(db, upload))) continue;
    if (upload.state === "uploading") await freeParts(bucket, upload.objectKey, upload.r2UploadId);
    findings.push({
      check: "uploads",
      level: "done",
      subject: upload.target,
      sentence: `The upload of ${upload.target} was never completed and is ended.`,
      advice: "",
    });
  }
  return abridged(findings);
}

/** Reports open uploads that began more than `forMs` ago. */
export async function waitingUploads({ db, nowMs }: Upkeep, forMs: number): Promise<Finding[]> {
  const waiting = await staleUploads(db, nowMs - forMs);
  return abridged(
    waiting.map(({ target }) => ({
      check: "uploads",
      level: "warning",
      subject: target,
      sentence: `The upload of ${target} was not completed.`,
      advice: "Publish or add it again to go on, or `edgetape doctor --repair` to end it.",
    })),
  );
}

/** R2 frees parts by itself after 7 days and no longer has the upload then. */
async function freeParts(bucket: R2Bucket, objectKey: string, r2UploadId: string): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(objectKey, r2UploadId).abort();
  } catch (failure) {
    console.warn(JSON.stringify({ event: "upload_not_aborted", objectKey, failure: String(failure) }));
  }
}
