/**
 * How a day's content comes to be served: a pack that was uploaded, a content of the day's history, or a pack in R2 that
 * the catalog does not know, as a restored backup leaves those that are newer than it.
 */

import * as z from "zod";
import { randomBase62 } from "../base/base62.ts";
import { type BeijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import type { By } from "../catalog/accounts.ts";
import { lastActorOf } from "../catalog/audit.ts";
import { serveAgain, withdrawDay } from "../catalog/day-actions.ts";
import { type DayRevision, dayRevisions, hasIndexRows, type ServedDay, servedDay } from "../catalog/days.ts";
import { damageOf, withdrawalAgainst } from "../catalog/decisions.ts";
import {
  ADOPTED_R2_UPLOAD_ID,
  isKnownPackKey,
  knownPackKeys,
  servedRevisions,
} from "../catalog/known-packs.ts";
import type { DayState, SectionRow } from "../catalog/order-day.ts";
import { comparisonOf, lossOf, repeatedDay } from "../catalog/plausibility.ts";
import {
  isForced,
  loadIndexRows,
  type PackClaims,
  packTarget,
  serveUpload,
  setForced,
} from "../catalog/publish-day.ts";
import { findUpload, moveUpload, openUpload, type Upload } from "../catalog/uploads.ts";
import { encodeBlocks } from "../packs/blocks-blob.ts";
import { packObjectKey, parsePackObjectKey, type SectionEntry } from "../packs/layout.ts";
import { listObjects } from "../packs/list-objects.ts";
import { arrivedRange, checkPack, packIndex, wholePack } from "./arrival.ts";
import type { AdminRefusal } from "./refusal.ts";
import type { Stores, UploadTarget } from "./uploads.ts";
import { asOfNow, type Completed, complete, freeRevision, takeOver } from "./uploads.ts";
import type { AdoptableDay, adoptDaySchema } from "./wire.ts";

/** The order pack of `tradedate`. */
export function packUpload(tradedate: BeijingDate): UploadTarget<PackClaims> {
  return {
    target: packTarget(tradedate),
    called: tradedate,
    objectKey: (revision) => packObjectKey(tradedate, revision),
    async settle({ db, bucket }, upload, etag, by) {
      const begunMs = Date.now();
      const index = await checkPack(bucket, { tradedate, upload, etag });
      if ("problem" in index) return index;
      await loadIndexRows(db, upload.objectId, index.entries.map(rowOf));
      const doubt = await doubtOf(db, tradedate, upload.objectId);
      if (doubt !== null && !(await isForced(db, upload.uploadId))) return { held: doubt };
      const { origin } = index;
      if (await serveUpload(db, { tradedate, upload, etag, origin, ...asOfNow(by, begunMs) }))
        return "settled";
      const isInsisted = await isForced(db, upload.uploadId);
      const decision = await dayDecision(db, tradedate, upload.claims.buildId, isInsisted);
      return decision === null ? "lost" : { held: decision };
    },
  };
}

/**
 * The operator's decision against serving this content on `tradedate`, or null. `isInsisted`: the publisher wants
 * other content of a withdrawn day served.
 */
export async function dayDecision(
  db: D1Database,
  tradedate: BeijingDate,
  buildId: string,
  isInsisted: boolean,
): Promise<AdminRefusal | null> {
  const against = await withdrawalAgainst(db, { target: packTarget(tradedate), content: buildId });
  if (against === null) return null;
  const { withdrawal, isSame } = against;
  if (isSame) {
    const again = `edgetape day restore ${tradedate} --to ${withdrawal.revision}`;
    return { reason: "content_withdrawn", called: tradedate, again, ...withdrawal };
  }
  return isInsisted ? null : { reason: "target_withdrawn", called: tradedate, ...withdrawal };
}

/** Why the operator should look at the pack before it is served, or null. */
async function doubtOf(db: D1Database, tradedate: BeijingDate, packId: number): Promise<AdminRefusal | null> {
  const loss = await lossOf(db, tradedate, packId);
  if (loss !== null) return { reason: "shrunk", tradedate, ...loss };
  const comparison = await comparisonOf(db, tradedate, packId);
  if (comparison.markets.some(({ plausible }) => !plausible)) {
    return { reason: "implausible", tradedate, ...comparison };
  }
  const of = await repeatedDay(db, tradedate, packId);
  return of === null ? null : { reason: "day_repeated", tradedate, of };
}

function rowOf({ blocks, ...entry }: SectionEntry): SectionRow {
  return { ...entry, blocksBlob: encodeBlocks(blocks) };
}

/** The day after an action; `changed` is false when it was so already, and `actor` then who made it so. */
export interface ActedOn {
  day: ServedDay;
  changed: boolean;
  actor: string;
}

/** Stops serving the revision the operator saw. One that is withdrawn already is told of, not refused. */
export async function withdraw(
  { db }: Stores,
  seen: { tradedate: BeijingDate; revision: number; note: string },
  by: By,
): Promise<ActedOn | AdminRefusal> {
  const { tradedate, revision, note } = seen;
  const changed = await withdrawDay(db, { tradedate, revision }, note, by);
  const day = await servedDay(db, tradedate);
  if (day === null) return absent(tradedate);
  if (changed) return { day, changed, actor: by.actor.name };
  const actor = (await lastActorOf(db, tradedate)).name;
  if (day.revision === revision && day.state === "withdrawn") return { day, changed, actor };
  return { reason: "day_changed", tradedate, revision: day.revision, actor };
}

export interface ServeAgainAsk {
  tradedate: BeijingDate;
  /** The revision the operator saw. */
  revision: number;
  /** The state the operator saw; absent: any, as commands of earlier versions send none. */
  state?: DayState | undefined;
  /**
   * Whose content: the present one, the newest other one that is neither withdrawn nor damaged, or that of a
   * revision number. A withdrawal of the present or numbered content ends: the operator names it.
   */
  content: "present" | "previous" | number;
}

/**
 * Serves a content of the day's history under a new number, after its bytes in R2 were checked against their
 * SHA-256 and the checksums of its index. What was served once is not judged for plausibility again. Refuses when
 * the day has changed since the operator looked, when there is no such content or it is not kept any more, and a pack
 * that was found damaged.
 */
export async function serveContentAgain(
  { db, bucket }: Stores,
  { tradedate, revision, state, content }: ServeAgainAsk,
  by: By,
): Promise<ActedOn | AdminRefusal> {
  const begunMs = Date.now();
  const day = await servedDay(db, tradedate);
  if (day === null) return absent(tradedate);
  if (day.revision !== revision || day.state !== (state ?? day.state)) return changedBy(db, day);
  const wanted = contentOf(await dayRevisions(db, tradedate), day, content);
  if (wanted === undefined) {
    return typeof content === "number"
      ? { reason: "absent", what: `revision ${content} of ${tradedate}` }
      : { reason: "nothing_to_restore", tradedate };
  }
  const unkept = { reason: "revision_gone", tradedate, revision: wanted.revision } as const;
  const { packId, buildId, objectKey, etag, sizeBytes, sha256, damaged } = wanted;
  if (damaged !== null) {
    return {
      reason: "pack_damaged",
      tradedate,
      called: `The pack of revision ${wanted.revision}`,
      ...damaged,
    };
  }
  if ((await bucket.head(objectKey))?.etag !== etag || !(await hasIndexRows(db, packId))) return unkept;
  const whole = await wholePack(bucket, { upload: { objectKey, sizeBytes, sha256 }, etag });
  if ("problem" in whole) return { reason: "content_wrong", called: tradedate, problem: whole.problem };
  const kind = packId === day.packId ? "published" : "restored";
  const number = await freeRevision({ db, bucket }, packUpload(tradedate));
  const seen = { tradedate, revision, state: day.state };
  const served = await serveAgain(db, seen, { packId, buildId, kind, number }, asOfNow(by, begunMs));
  const after = await servedDay(db, tradedate);
  if (after === null) throw new Error(`${tradedate} vanished`);
  return served ? { day: after, changed: true, actor: by.actor.name } : changedBy(db, after);
}

function contentOf(
  revisions: DayRevision[],
  day: ServedDay,
  content: ServeAgainAsk["content"],
): DayRevision | undefined {
  switch (content) {
    case "present":
      return revisions.find(({ packId }) => packId === day.packId);
    case "previous":
      return revisions.find(
        ({ packId, withdrawn, damaged }) => packId !== day.packId && withdrawn === null && damaged === null,
      );
    default:
      return revisions.find(({ revision }) => revision === content);
  }
}

async function changedBy(db: D1Database, { tradedate, revision }: ServedDay): Promise<AdminRefusal> {
  const { name: actor } = await lastActorOf(db, tradedate);
  return { reason: "day_changed", tradedate, revision, actor };
}

function absent(tradedate: BeijingDate): AdminRefusal {
  return { reason: "absent", what: `loaded day ${tradedate}` };
}

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
 * restored), whose sum is unknown, one that is no whole pack of that day or was found damaged, and content that
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
