/** What the upload routes of days and files read and answer alike. */
import type { Upload } from "../catalog/uploads.ts";
import { type AdminContext, readAtMost } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import type { Begun } from "./upload-begin.ts";
import { endedRefusal, partCountOf, storePart } from "./upload-part.ts";
import type { Stores } from "./upload-target.ts";
import { PART_SHA256_HEADER, PART_SIZE_BYTES, type StoredPart, type Uploading } from "./wire.ts";
import { sha256Schema } from "./wire-fields.ts";

/** Where the uploads of this deployment go. */
export function storesOf(c: AdminContext): Stores {
  return { db: c.env.DB, bucket: c.env.PACKS };
}

/** The parts that are still to be sent, as the operator's command reads them. */
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

/** Stores the part `:n` of the path, or says why this upload does not take it. */
export async function receivePart(c: AdminContext, upload: Upload): Promise<StoredPart | AdminRefusal> {
  const ends = upload.state === "replaced" || upload.state === "abandoned" || upload.state === "refused";
  if (ends) return endedRefusal(upload);
  const n = c.req.param("n") ?? "";
  if (!/^[1-9]\d{0,4}$/.test(n))
    return { reason: "part_number", n, partCount: partCountOf(upload.sizeBytes) };
  const sha256 = sha256Schema.safeParse(c.req.header(PART_SHA256_HEADER));
  if (!sha256.success) return { reason: "part_hash_absent" };
  const bytes = await readAtMost(c.req.raw.body, PART_SIZE_BYTES);
  return storePart(storesOf(c), upload, { n: Number(n), bytes, sha256: sha256.data });
}
