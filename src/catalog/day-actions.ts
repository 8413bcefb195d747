import { SERVICE_ACTOR } from "../entitlement/operators.ts";
import type { By } from "./accounts.ts";
import { auditStatement } from "./audit.ts";
import { revisionChangeStatement, strikeChangeStatement } from "./day-changes.ts";
import type { DatasetDay } from "./days.ts";
import { packServed, servedStatement, soundSql, withdrawStatements } from "./decisions.ts";
import type { DayState } from "./order-day.ts";
import { daySubject, packTarget } from "./publish-day.ts";
import { part, sql } from "./sql.ts";

/** A dataset's day with the revision that the operator saw. */
export interface SeenDay extends DatasetDay {
  revision: number;
}

/**
 * Withdraws the seen revision, which must be `available` or `damaged`. Returns false when the day has changed. The
 * withdrawn content is not served again until an operator chooses exactly this content. The day's open upload ends.
 */
export async function withdrawDay(
  db: D1Database,
  { dataset, tradedate, revision }: SeenDay,
  note: string,
  by: By,
): Promise<boolean> {
  const asSeen = part`tradedate = ${tradedate} AND revision = ${revision} AND dataset = ${dataset}
    AND state <> 'withdrawn'`;
  const guard = part`EXISTS (SELECT 1 FROM order_days WHERE ${asSeen})`;
  const entry = {
    action: "day.withdraw",
    subject: daySubject({ dataset, tradedate }),
    before: { revision },
    after: { revision, state: "withdrawn", note },
  };
  const change = { atMs: by.nowMs, dataset, tradedate, kind: "withdrawn", revision } as const;
  const content = await buildIdOf(db, { dataset, tradedate, revision });
  const withdrawn = { target: packTarget({ dataset, tradedate }), content };
  const decision = { revision, atMs: by.nowMs, actor: by.actor.name, note };
  const results = await db.batch<{ revision: number }>([
    auditStatement(db, by, entry, guard),
    strikeChangeStatement(db, change, guard),
    ...withdrawStatements(db, withdrawn, decision, guard),
    sql(db)`
      UPDATE order_days SET state = 'withdrawn', state_note = ${note} WHERE ${asSeen} RETURNING revision`,
  ]);
  return results.at(-1)?.results.length === 1;
}

/** Returns the build id of a revision's pack; "" when the day never had the revision. */
async function buildIdOf(db: D1Database, { dataset, tradedate, revision }: SeenDay): Promise<string> {
  const buildId = await sql(db)`
    SELECT p.build_id AS buildId FROM day_revisions r JOIN day_packs p ON p.pack_id = r.pack_id
    WHERE r.tradedate = ${tradedate} AND r.revision = ${revision} AND r.dataset = ${dataset}`.first<string>(
    "buildId",
  );
  return buildId ?? "";
}

/** The request to serve one of the day's earlier packs, or its current pack, under a new revision number. */
export interface ServeAgain {
  packId: number;
  /** The pack's build id. If content with this id is withdrawn, the request also ends the withdrawal. */
  buildId: string;
  /** `restored`: a different pack from the current one. `published`: the same pack under a new number. */
  kind: "published" | "restored";
  /** The day's next revision. */
  number: number;
}

/**
 * Serves `packId` as revision `number` of the day. Returns false when the day no longer has the seen revision and
 * state, or already has revision `number` or a higher one. Also returns false when the pack is damaged or no longer has
 * index rows; they are deleted 7 days after the pack was replaced. An open upload of the day loses its number and is
 * refused at its next step.
 */
export async function serveAgain(
  db: D1Database,
  { dataset, tradedate, revision, state }: SeenDay & { state: DayState },
  { packId, buildId, kind, number }: ServeAgain,
  by: By,
): Promise<boolean> {
  const day = part`tradedate = ${tradedate} AND dataset = ${dataset}`;
  const guard = part`EXISTS (SELECT 1 FROM order_days WHERE ${day} AND revision = ${revision} AND state = ${state})
    AND NOT EXISTS (SELECT 1 FROM day_revisions WHERE ${day} AND revision >= ${number})
    AND EXISTS (SELECT 1 FROM day_securities WHERE pack_id = ${packId})
    AND EXISTS (SELECT 1 FROM day_packs p WHERE p.pack_id = ${packId} AND ${soundSql(part`p.object_key`)})`;
  const target = packTarget({ dataset, tradedate });
  const isServed = packServed(target, packId);
  const entry = {
    action: kind === "restored" ? "day.restore" : "day.publish",
    subject: daySubject({ dataset, tradedate }),
    before: { revision, state },
    after: { revision: number, packId },
  };
  const change = { atMs: by.nowMs, dataset, tradedate, kind, revision: number, packId };
  const results = await db.batch<{ revision: number }>([
    auditStatement(db, by, entry, guard),
    revisionChangeStatement(db, change, guard),
    sql(db)`
      UPDATE day_revisions SET replaced_at_ms = ${by.nowMs} WHERE ${day} AND replaced_at_ms IS NULL
        AND ${guard}`,
    sql(db)`
      INSERT INTO day_revisions (dataset, tradedate, revision, pack_id, published_at_ms)
      SELECT ${dataset}, ${tradedate}, ${number}, ${packId}, ${by.nowMs} WHERE ${guard}`,
    sql(db)`
      UPDATE order_days SET revision = ${number}, pack_id = ${packId}, state = 'available', state_note = ''
      WHERE ${day} AND revision = ${revision}
        AND EXISTS (SELECT 1 FROM day_revisions WHERE ${day} AND revision = ${number} AND pack_id = ${packId})
      RETURNING revision`,
    sql(db)`DELETE FROM withdrawals WHERE target = ${target} AND content = ${buildId} AND ${isServed}`,
    servedStatement(db, target, isServed),
  ]);
  return results.at(-3)?.results.length === 1;
}

/** Damage in the pack of one revision; `note` names the block with the wrong bytes. */
export interface FoundDamage extends SeenDay {
  note: string;
}

/**
 * Marks the pack of this revision as damaged, because one of its blocks failed its checksum. No command serves that
 * pack again. If the day still serves this revision, it returns 503 `day_damaged` until an operator publishes or
 * restores an undamaged pack.
 */
export async function markDamaged(
  db: D1Database,
  { dataset, tradedate, revision, note }: FoundDamage,
  nowMs: number,
): Promise<void> {
  const asSeen = part`tradedate = ${tradedate} AND revision = ${revision} AND state = 'available'
    AND dataset = ${dataset}`;
  const guard = part`EXISTS (SELECT 1 FROM order_days WHERE ${asSeen})`;
  const entry = {
    action: "day.damaged",
    subject: daySubject({ dataset, tradedate }),
    before: { revision, state: "available" },
    after: { revision, state: "damaged", note },
  };
  await db.batch([
    auditStatement(db, { actor: SERVICE_ACTOR, nowMs }, entry, guard),
    strikeChangeStatement(db, { atMs: nowMs, dataset, tradedate, kind: "damaged", revision }, guard),
    sql(db)`UPDATE order_days SET state = 'damaged', state_note = ${note} WHERE ${asSeen}`,
    sql(db)`
      INSERT OR IGNORE INTO damaged_packs (object_key, at_ms, note)
      SELECT p.object_key, ${nowMs}, ${note} FROM day_revisions r JOIN day_packs p ON p.pack_id = r.pack_id
      WHERE r.tradedate = ${tradedate} AND r.revision = ${revision} AND r.dataset = ${dataset}`,
  ]);
}
