/**
 * Serves a day's content: an uploaded pack, content from the day's history, or a pack in R2 that the catalog lacks. A
 * catalog can lack packs after an older backup was restored.
 */

import * as z from "zod";
import { randomBase62 } from "../base/base62.ts";
import { ok, refused } from "../base/result.ts";
import { beijingTimestamp } from "../calendar/beijing.ts";
import type { By } from "../catalog/accounts.ts";
import { lastActorOf } from "../catalog/audit.ts";
import type { DatasetDay, DayRevision, ServedDay } from "../catalog/days.ts";
import { builtDays, dayRevisions, hasIndexRows, servedDay } from "../catalog/days.ts";
import { damageOf, withdrawalAgainst } from "../catalog/decisions.ts";
import type { DayState } from "../catalog/order-day.ts";
import { comparisonOf, lossOf, repeatedDay } from "../catalog/plausibility.ts";
import * as catalog from "../catalog/publish-day.ts";
import { isKnownPackKey, knownPackKeys } from "../catalog/upkeep.ts";
import type { Content, Upload } from "../catalog/uploads.ts";
import { ADOPTED_R2_UPLOAD_ID, findUpload, moveUpload, openUpload } from "../catalog/uploads.ts";
import { datasetFlag } from "../datasets/day-name.ts";
import { DATASETS, type DatasetName } from "../datasets/registry.ts";
import { packObjectKey, parsePackObjectKey } from "../packs/layout.ts";
import { listObjects } from "../packs/list-objects.ts";
import { arrivedRange, claimsProblem, indexRowOf, packIndex, wholePack } from "./arrival.ts";
import { nameOf } from "./context.ts";
import { type AdminRefusal, type Answered, calledOf } from "./refusal.ts";
import type { Completed, Stores, UploadTarget } from "./uploads.ts";
import { asOfNow, freeRevision, settle, takeOver } from "./uploads.ts";
import type { AdoptableDay, adoptDaySchema, DayChanged } from "./wire.ts";
import { qualitySchema } from "./wire-days.ts";

/** Returns the upload target for a pack of `day`. */
export function packUpload(day: DatasetDay): UploadTarget<catalog.PackClaims> {
  const { dataset, tradedate } = day;
  return {
    target: catalog.packTarget(day),
    called: calledOf(day),
    objectKey: (revision) => packObjectKey(tradedate, revision, dataset),
    async settle({ db, bucket }, upload, etag, by) {
      const begunMs = Date.now();
      const index = await wholePack(bucket, { upload, etag }, dataset);
      if ("problem" in index) return index;
      const wrong = claimsProblem(index, tradedate, upload.claims);
      if (wrong !== null) return wrong;
      await catalog.loadIndexRows(db, upload.objectId, index.entries.map(indexRowOf));
      const doubt = await doubtOf(db, day, upload.objectId);
      if (doubt !== null && !(await catalog.isForced(db, upload.uploadId))) return { held: doubt };
      const { origin } = index;
      if (await catalog.serveUpload(db, { ...day, upload, etag, origin, ...asOfNow(by, begunMs) }))
        return "settled";
      const isInsisted = await catalog.isForced(db, upload.uploadId);
      const decision = await dayDecision(db, day, upload.claims.buildId, isInsisted);
      return decision === null ? "lost" : { held: decision };
    },
  };
}

/**
 * Returns the operator's decision that forbids serving this content on `day`, or null. `isInsisted` says whether the
 * publisher uses force; only then may different content replace withdrawn content.
 */
export async function dayDecision(
  db: D1Database,
  day: DatasetDay,
  buildId: string,
  isInsisted: boolean,
): Promise<AdminRefusal | null> {
  const against = await withdrawalAgainst(db, { target: catalog.packTarget(day), content: buildId });
  if (against === null) return null;
  const { withdrawal, isSame } = against;
  const called = calledOf(day);
  if (isSame) {
    const again = `edgetape day restore ${day.tradedate}${datasetFlag(day.dataset)} --to ${withdrawal.revision}`;
    return { reason: "content_withdrawn", called, again, ...withdrawal };
  }
  return isInsisted ? null : { reason: "target_withdrawn", called, ...withdrawal };
}

/** Returns why the operator should review the pack before it is served, or null. */
async function doubtOf(db: D1Database, day: DatasetDay, packId: number): Promise<AdminRefusal | null> {
  const loss = await lossOf(db, day, packId);
  if (loss !== null) return { reason: "shrunk", day, ...loss };
  const comparison = await comparisonOf(db, day, packId);
  if (comparison.markets.some(({ plausible }) => !plausible)) {
    return { reason: "implausible", day, ...comparison };
  }
  const of = await repeatedDay(db, day, packId);
  return of === null ? null : { reason: "day_repeated", day, of };
}

/** The answer to an action on a day, with the day as the catalog describes it. */
export type ActedOn = Omit<DayChanged, "day"> & { day: ServedDay };

/**
 * Withdraws the revision that the operator saw. Returns `changed: false` when that revision is already withdrawn.
 * Refuses when the day has changed since the operator read it.
 */
export async function withdraw(
  { db }: Stores,
  { note, ...seen }: catalog.SeenDay & { note: string },
  by: By,
): Promise<Answered<ActedOn>> {
  const { dataset, tradedate, revision } = seen;
  const changed = await catalog.withdrawDay(db, seen, note, by);
  const day = await servedDay(db, seen);
  if (day === null) return refused(noDay(seen));
  if (changed) return ok({ day, changed, actor: by.actor.name });
  if (day.revision !== revision || day.state !== "withdrawn")
    return refused(await changedBy(db, { dataset, tradedate }, day));
  const { name: actor } = await lastActorOf(db, catalog.daySubject(seen));
  return ok({ day, changed, actor });
}

export interface ServeAgainAsk extends catalog.SeenDay {
  /** The state that the operator saw; any state when absent, because earlier versions of the command omit it. */
  state?: DayState | undefined;
  /**
   * The content to serve. `present`: the current content. `previous`: the content of the newest revision that is older
   * than the first revision with the current content and is neither withdrawn nor damaged. A second restore therefore
   * goes further back instead of undoing the first one. A number: the content of that revision. Choosing `present` or a
   * number ends the withdrawal of that content.
   */
  content: "present" | "previous" | number;
}

/**
 * Serves content from the day's history again, as a new revision. The pack's bytes in R2 are first checked against
 * their SHA-256 and the checksums of the index. Plausibility is not checked again. Refuses when the day has changed
 * since the operator read it, when the content does not exist or is no longer stored, and when its pack is damaged.
 */
export async function serveContentAgain(
  { db, bucket }: Stores,
  { dataset, tradedate, revision, state, content }: ServeAgainAsk,
  by: By,
): Promise<Answered<ActedOn>> {
  const begunMs = Date.now();
  const of: DatasetDay = { dataset, tradedate };
  const day = await servedDay(db, of);
  if (day === null) return refused(noDay(of));
  if (day.revision !== revision || day.state !== (state ?? day.state))
    return refused(await changedBy(db, of, day));
  const wanted = contentOf(await dayRevisions(db, of), day, content);
  if (wanted === undefined) {
    return typeof content === "number"
      ? refused({ reason: "absent", what: `revision ${content} of ${calledOf(of)}` })
      : refused({ reason: "nothing_to_restore", day: of });
  }
  const { packId, buildId, objectKey, etag, sizeBytes, sha256, damaged } = wanted;
  if (damaged !== null) {
    const called = `The pack of revision ${wanted.revision}`;
    return refused({ reason: "pack_damaged", day: of, called, ...damaged });
  }
  const isKept = (await bucket.head(objectKey))?.etag === etag && (await hasIndexRows(db, packId));
  if (!isKept) return refused({ reason: "revision_gone", day: of, revision: wanted.revision });
  const whole = await wholePack(bucket, { upload: { objectKey, sizeBytes, sha256 }, etag }, dataset);
  if ("problem" in whole)
    return refused({ reason: "content_wrong", called: calledOf(of), problem: whole.problem });
  const kind = packId === day.packId ? "published" : "restored";
  const number = await freeRevision({ db, bucket }, packUpload(of));
  const seen = { ...of, revision, state: day.state };
  const served = await catalog.serveAgain(db, seen, { packId, buildId, kind, number }, asOfNow(by, begunMs));
  const after = await servedDay(db, of);
  if (after === null) throw new Error(`${calledOf(of)} is no longer in the catalog`);
  return served
    ? ok({ day: after, changed: true, actor: by.actor.name })
    : refused(await changedBy(db, of, after));
}

function contentOf(
  revisions: DayRevision[],
  day: ServedDay,
  content: ServeAgainAsk["content"],
): DayRevision | undefined {
  if (typeof content === "number") return revisions.find(({ revision }) => revision === content);
  const current = revisions.find(({ packId }) => packId === day.packId);
  if (content === "present") return current;
  const first = revisions.findLastIndex(({ buildId }) => buildId === current?.buildId);
  const older = revisions.slice(first + 1);
  return older.find(({ withdrawn, damaged }) => withdrawn === null && damaged === null);
}

async function changedBy(db: D1Database, day: DatasetDay, { revision }: ServedDay): Promise<AdminRefusal> {
  const { name: actor } = await lastActorOf(db, catalog.daySubject(day));
  return { reason: "day_changed", day, revision, actor };
}

/** Returns the refusal for a day that was never loaded. */
export function noDay(day: DatasetDay): AdminRefusal {
  const dataset = day.dataset === "orders" ? " of orders; --dataset names another dataset" : "";
  return { reason: "absent", what: `loaded day ${calledOf(day)}${dataset}` };
}

/** Returns the days with packs of `dataset` that can be adopted, oldest first; the packs of a day are newest first. */
export async function adoptableDays({ db, bucket }: Stores, dataset: DatasetName): Promise<AdoptableDay[]> {
  const [known, loaded] = await Promise.all([knownPackKeys(db), builtDays(db, dataset)]);
  const served = new Map(loaded.map(({ tradedate, revision }) => [tradedate, revision]));
  const stored = await listObjects(bucket, { prefix: `${DATASETS[dataset].prefix}/` });
  const packs = stored.flatMap((object) => {
    const place = parsePackObjectKey(object.key);
    return place === null || known.has(object.key) ? [] : [{ object, ...place }];
  });
  packs.sort((a, b) => b.object.uploaded.getTime() - a.object.uploaded.getTime() || b.revision - a.revision);
  return [...Map.groupBy(packs, ({ tradedate }) => tradedate)]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([tradedate, ofDay]) => ({
      ...nameOf(dataset),
      tradedate,
      served: served.get(tradedate) ?? null,
      packs: ofDay.map(({ object: { key, size, uploaded } }) => ({
        objectKey: key,
        sizeBytes: size,
        uploadedAt: beijingTimestamp(uploaded.getTime()),
      })),
    }));
}

/** The claims in an object's metadata. Earlier versions wrote none; such packs count as not degraded. */
const claimsSchema = z
  .object({
    degraded: z.boolean(),
    shortfall: z.string().optional().catch(undefined),
    quality: qualitySchema.optional().catch(undefined),
  })
  .catch({ degraded: false });

/**
 * Serves the pack in `ask.objectKey` as the next revision of `day`, after the same checks as for an uploaded pack.
 * Refuses an object that is missing, is damaged, has no known checksum, or is not a complete pack of that day. Also
 * refuses withdrawn content, and a pack that is already in the catalog. Such a pack can be restored instead.
 */
export async function adoptPack(
  stores: Stores,
  day: DatasetDay,
  ask: z.output<typeof adoptDaySchema>,
  by: By,
): Promise<Answered<Completed>> {
  const { db, bucket } = stores;
  const { objectKey, force } = ask;
  const object = isPlaceOf(objectKey, day) ? await bucket.head(objectKey) : null;
  if (object === null)
    return refused({ reason: "absent", what: `pack ${objectKey} of ${calledOf(day)} in R2` });
  if (await isKnownPackKey(db, objectKey)) {
    const isLoaded = (await servedDay(db, day)) !== null;
    return refused({ reason: "pack_known", day, objectKey, isLoaded });
  }
  const damage = await damageOf(db, objectKey);
  if (damage !== null) return refused({ reason: "pack_damaged", day, called: objectKey, ...damage });
  // Objects that were uploaded by earlier versions lack both.
  const { sha256: storedSha256, claims: storedClaims = "null" } = object.customMetadata ?? {};
  const sha256 = ask.sha256 ?? storedSha256;
  if (sha256 === undefined) return refused({ reason: "pack_sum_unknown", objectKey });

  const readRange = arrivedRange(bucket, { objectKey, etag: object.etag });
  const index = await packIndex(object.size, readRange, day.dataset);
  if ("problem" in index)
    return refused({ reason: "content_wrong", called: objectKey, problem: index.problem });
  const { buildId, entries } = index;
  const rows = entries.reduce((sum, entry) => sum + entry.rows, 0);
  const before = claimsSchema.parse(JSON.parse(storedClaims));
  const { quality, shortfall } = before;
  const { degraded = before.degraded } = ask;
  const claims: catalog.PackClaims = {
    buildId,
    rows,
    securities: entries.length,
    degraded,
    ...(degraded && shortfall && { shortfall }),
    ...(quality && { quality }),
  };
  const decision = await dayDecision(db, day, buildId, force);
  if (decision !== null) return refused(decision);

  const target = packUpload(day);
  const content = { objectKey, sizeBytes: object.size, sha256, claims };
  const upload = await openAdoption(stores, target, content, by.nowMs);
  if (upload === null) return refused({ reason: "other_publisher", called: calledOf(day) });
  await catalog.setForced(db, upload.uploadId, force);
  if (upload.state === "uploading") await moveUpload(db, upload, "uploading", "completing");
  return settle(stores, { target, upload, by });
}

function isPlaceOf(objectKey: string, { dataset, tradedate }: DatasetDay): boolean {
  const place = parsePackObjectKey(objectKey);
  return place?.tradedate === tradedate && place.dataset === dataset;
}

/**
 * Opens an upload without parts, or resumes the open upload of the same pack, for example when the operator repeats a
 * refused adoption with force.
 */
async function openAdoption(
  stores: Stores,
  target: UploadTarget<catalog.PackClaims>,
  pack: Content<catalog.PackClaims> & { objectKey: string },
  nowMs: number,
): Promise<Upload<catalog.PackClaims> | null> {
  const previous = await openUpload<catalog.PackClaims>(stores.db, target.target);
  const isSame = previous?.objectKey === pack.objectKey && previous.sha256 === pack.sha256;
  if (previous !== null && isSame && previous.claims.degraded === pack.claims.degraded) return previous;
  const uploadId = randomBase62(16);
  const revision = await freeRevision(stores, target);
  const upload = { ...pack, uploadId, target: target.target, revision, begunAtMs: nowMs };
  const opened = await takeOver(stores, { ...upload, r2UploadId: ADOPTED_R2_UPLOAD_ID }, previous);
  return opened ? findUpload<catalog.PackClaims>(stores.db, target.target, uploadId) : null;
}
