/**
 * Day packs in R2 that the catalog does not know, as a restored backup leaves those that are newer than it: they
 * are listed by day, and one of them is served as its day's next revision without being sent again.
 */
import * as z from "zod";
import { randomBase62 } from "../access/key.ts";
import { type BeijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import type { By } from "../catalog/accounts.ts";
import { damageOf } from "../catalog/decisions.ts";
import {
  ADOPTED_R2_UPLOAD_ID,
  isKnownPackKey,
  knownPackKeys,
  servedRevisions,
} from "../catalog/known-packs.ts";
import { type PackClaims, setForced } from "../catalog/publish-day.ts";
import { findUpload, moveUpload, openUpload, type Upload } from "../catalog/uploads.ts";
import { parsePackObjectKey } from "../packs/layout.ts";
import { listObjects } from "../packs/list-objects.ts";
import { arrivedRange, packIndex } from "./arrival.ts";
import { freeRevision } from "./free-revision.ts";
import type { AdminRefusal } from "./refusal.ts";
import { takeOver } from "./upload-begin.ts";
import { type Completed, complete } from "./upload-complete.ts";
import { dayDecision, packUpload } from "./upload-pack.ts";
import type { Stores, UploadTarget } from "./upload-target.ts";
import type { AdoptableDay, adoptDaySchema } from "./wire.ts";

/** Days with packs that may be adopted, oldest first, each with its packs, newest first. */
export async function adoptableDays({ db, bucket }: Stores): Promise<AdoptableDay[]> {
  const [known, served] = await Promise.all([knownPackKeys(db), servedRevisions(db)]);
  const days = new Map<BeijingDate, R2Object[]>();
  for (const object of await listObjects(bucket, { prefix: "orders/" })) {
    const day = parsePackObjectKey(object.key)?.tradedate;
    if (day !== undefined && !known.has(object.key)) days.set(day, [...(days.get(day) ?? []), object]);
  }
  return [...days]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([day, objects]) => ({
      tradedate: day,
      served: served.get(day) ?? null,
      packs: objects
        .toSorted((a, b) => b.uploaded.getTime() - a.uploaded.getTime() || numberOf(b) - numberOf(a))
        .map(({ key, size, uploaded }) => ({
          objectKey: key,
          sizeBytes: size,
          uploadedAt: beijingTimestamp(uploaded.getTime()),
        })),
    }));
}

function numberOf({ key }: R2Object): number {
  return parsePackObjectKey(key)?.revision ?? 0;
}

/** What the object says of itself since its upload began; `sha256` is absent from objects of earlier versions. */
const metadataSchema = z.object({ sha256: z.string().optional(), claims: z.string().optional() });
const claimsSchema = z.object({ degraded: z.boolean() });

/**
 * Serves the pack in `ask.objectKey` as the next revision of `tradedate`, after the same checks as of one that
 * was just sent. Refuses an object that is not there, that the catalog knows (a revision of its history is
 * restored), whose sum nobody tells, one that is no whole pack of that day or was found damaged, and content that
 * was withdrawn.
 */
export async function adoptPack(
  stores: Stores,
  { tradedate, ...ask }: z.output<typeof adoptDaySchema> & { tradedate: BeijingDate },
  by: By,
): Promise<Completed | AdminRefusal> {
  const { db, bucket } = stores;
  const { objectKey, force } = ask;
  const object = parsePackObjectKey(objectKey)?.tradedate === tradedate ? await bucket.head(objectKey) : null;
  if (object === null) return { reason: "absent", what: `pack ${objectKey} of ${tradedate} in R2` };
  if (await isKnownPackKey(db, objectKey)) {
    const isLoaded = (await servedRevisions(db)).has(tradedate);
    return { reason: "pack_known", tradedate, objectKey, isLoaded };
  }
  const damage = await damageOf(db, objectKey);
  if (damage !== null) return { reason: "pack_damaged", tradedate, called: objectKey, ...damage };
  const metadata = metadataSchema.parse(object.customMetadata ?? {});
  const sha256 = ask.sha256 ?? metadata.sha256;
  if (sha256 === undefined) return { reason: "pack_sum_unknown", objectKey };

  const index = await packIndex(object.size, arrivedRange(bucket, { objectKey, etag: object.etag }));
  if ("problem" in index) return { reason: "content_wrong", called: objectKey, problem: index.problem };
  const { buildId, entries } = index;
  const rows = entries.reduce((sum, entry) => sum + entry.rows, 0);
  const degraded = ask.degraded ?? degradedOf(metadata.claims);
  const claims: PackClaims = { buildId, rows, securities: entries.length, degraded };
  const decision = await dayDecision(db, tradedate, buildId, force);
  if (decision !== null) return decision;

  const target = packUpload(tradedate);
  const content = { objectKey, sizeBytes: object.size, sha256, claims };
  const upload = await openAdoption(stores, target, content, by.nowMs);
  if (upload === null) return { reason: "other_publisher", called: tradedate };
  await setForced(db, upload.uploadId, force);
  if (upload.state === "uploading") await moveUpload(db, upload, "uploading", "completing");
  return complete(stores, { target, upload: { ...upload, state: "completing" }, by });
}

type Adopted = Pick<Upload<PackClaims>, "objectKey" | "sizeBytes" | "sha256" | "claims">;

/** An upload that has nothing to send; the open one of the very same pack is taken up again, as when it was held. */
async function openAdoption(
  stores: Stores,
  target: UploadTarget<PackClaims>,
  pack: Adopted,
  nowMs: number,
): Promise<Upload<PackClaims> | null> {
  const previous = await openUpload<PackClaims>(stores.db, target.target);
  const isSame = previous?.objectKey === pack.objectKey && previous.sha256 === pack.sha256;
  if (previous !== null && isSame && previous.claims.degraded === pack.claims.degraded) return previous;
  const uploadId = randomBase62(16);
  const revision = await freeRevision(stores, target);
  const upload = { ...pack, uploadId, target: target.target, revision, begunAtMs: nowMs };
  const opened = await takeOver(stores, { ...upload, r2UploadId: ADOPTED_R2_UPLOAD_ID }, previous);
  return opened ? findUpload<PackClaims>(stores.db, target.target, uploadId) : null;
}

/** What the upload said; objects of earlier versions do not tell, and their packs count as complete. */
function degradedOf(claims: string | undefined): boolean {
  if (claims === undefined) return false;
  const parsed = claimsSchema.safeParse(JSON.parse(claims));
  return parsed.success && parsed.data.degraded;
}
