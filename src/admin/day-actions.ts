/** What an operator does with a loaded day: withdraw, restore, publish again; every step after a look at it. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { By } from "../catalog/accounts.ts";
import { lastActorOf } from "../catalog/audit.ts";
import { serveAgain, withdrawDay } from "../catalog/day-actions.ts";
import { type DayRevision, dayRevisions, hasIndexRows, type ServedDay, servedDay } from "../catalog/days.ts";
import type { DayState } from "../catalog/order-day.ts";
import { wholePack } from "./arrival.ts";
import { freeRevision } from "./free-revision.ts";
import type { AdminRefusal } from "./refusal.ts";
import { packUpload } from "./upload-pack.ts";
import type { Stores } from "./upload-target.ts";

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
  const served = await serveAgain(db, seen, { packId, buildId, kind, number }, by);
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
