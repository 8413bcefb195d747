/**
 * Changes of a loaded day: an operator withdraws it or serves a pack of its history under a new revision number, or the
 * service marks it damaged. Each names the revision that was seen and changes nothing when the day has another one, so
 * that of two concurrent changes one succeeds and the other is refused.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { SERVICE_ACTOR } from "../entitlement/operators.ts";
import type { By } from "./accounts.ts";
import { auditStatement, type Guard } from "./audit.ts";
import { revisionChangeStatement, strikeChangeStatement } from "./day-changes.ts";
import { PACK_SERVED, servedStatement, soundSql, withdrawStatements } from "./decisions.ts";
import type { DayState } from "./order-day.ts";
import { daySubject, packTarget } from "./publish-day.ts";

/** A dataset's day as the operator saw it. */
export interface SeenDay {
  dataset: DatasetName;
  tradedate: BeijingDate;
  revision: number;
}

/**
 * Stops serving the seen revision, which must be `available` or `damaged`. Returns false when the day has changed. Its
 * content is not served again until an operator names it, and the day's open upload ends.
 */
export async function withdrawDay(
  db: D1Database,
  { dataset, tradedate, revision }: SeenDay,
  note: string,
  by: By,
): Promise<boolean> {
  const guard = (first: number): Guard => ({
    sql: `EXISTS (SELECT 1 FROM order_days
      WHERE tradedate = ?${first} AND revision = ?${first + 1} AND dataset = ?${first + 2}
        AND state <> 'withdrawn')`,
    values: [tradedate, revision, dataset],
  });
  const entry = {
    atMs: by.nowMs,
    actor: by.actor,
    action: "day.withdraw",
    subject: daySubject(tradedate, dataset),
    before: { revision },
    after: { revision, state: "withdrawn", note },
  };
  const content = await buildIdOf(db, { dataset, tradedate, revision });
  const withdrawn = { target: packTarget(tradedate, dataset), content };
  const decision = { revision, atMs: by.nowMs, actor: by.actor.name, note };
  const results = await db.batch<{ revision: number }>([
    auditStatement(db, entry, guard(7)),
    strikeChangeStatement(db, { atMs: by.nowMs, dataset, tradedate, kind: "withdrawn", revision }, guard(6)),
    ...withdrawStatements(db, withdrawn, decision, guard),
    db
      .prepare(
        `UPDATE order_days SET state = 'withdrawn', state_note = ?3
         WHERE tradedate = ?1 AND revision = ?2 AND dataset = ?4 AND state <> 'withdrawn' RETURNING revision`,
      )
      .bind(tradedate, revision, note, dataset),
  ]);
  return results.at(-1)?.results.length === 1;
}

/** Returns the build id of a revision's pack; "" when the day never had the revision. */
async function buildIdOf(
  db: D1Database,
  { dataset, tradedate, revision }: Required<SeenDay>,
): Promise<string> {
  const sql = `SELECT p.build_id AS buildId FROM day_revisions r JOIN day_packs p ON p.pack_id = r.pack_id
    WHERE r.tradedate = ?1 AND r.revision = ?2 AND r.dataset = ?3`;
  return (await db.prepare(sql).bind(tradedate, revision, dataset).first<string>("buildId")) ?? "";
}

/** A pack of the day's history to serve again. */
export interface ServeAgain {
  packId: number;
  /** The pack's build id. A withdrawal of this content ends, because the operator named it. */
  buildId: string;
  /** `restored`: another pack than the current one. `published`: the same pack under a new number. */
  kind: "published" | "restored";
  /** The day's next revision. */
  number: number;
}

/**
 * Serves `packId` as revision `number` of the day. Returns false when the day no longer has the seen revision and
 * state, has a revision of this or a higher number, or when the pack is damaged or its index rows were deleted after 7
 * days. An open upload of the day loses its number and is refused at its next step.
 */
export async function serveAgain(
  db: D1Database,
  { dataset, tradedate, revision, state }: SeenDay & { state: DayState },
  { packId, buildId, kind, number }: ServeAgain,
  by: By,
): Promise<boolean> {
  const guard = (first: number): Guard => ({
    sql: `EXISTS (SELECT 1 FROM order_days WHERE tradedate = ?${first} AND revision = ?${first + 1}
        AND state = ?${first + 4} AND dataset = ?${first + 5})
      AND NOT EXISTS (SELECT 1 FROM day_revisions
        WHERE tradedate = ?${first} AND revision >= ?${first + 2} AND dataset = ?${first + 5})
      AND EXISTS (SELECT 1 FROM day_securities WHERE pack_id = ?${first + 3})
      AND EXISTS (SELECT 1 FROM day_packs p WHERE p.pack_id = ?${first + 3} AND ${soundSql("p.object_key")})`,
    values: [tradedate, revision, number, packId, state, dataset],
  });
  const served = guard(3);
  const target = packTarget(tradedate, dataset);
  const entry = {
    atMs: by.nowMs,
    actor: by.actor,
    action: kind === "restored" ? "day.restore" : "day.publish",
    subject: daySubject(tradedate, dataset),
    before: { revision, state },
    after: { revision: number, packId },
  };
  const change = { atMs: by.nowMs, dataset, tradedate, kind, revision: number, packId };
  const results = await db.batch<{ revision: number }>([
    auditStatement(db, entry, guard(7)),
    revisionChangeStatement(db, change, guard(7)),
    db
      .prepare(
        `UPDATE day_revisions SET replaced_at_ms = ?1
         WHERE tradedate = ?2 AND dataset = ?8 AND replaced_at_ms IS NULL AND ${served.sql}`,
      )
      .bind(by.nowMs, tradedate, ...served.values),
    db
      .prepare(
        `INSERT INTO day_revisions (dataset, tradedate, revision, pack_id, published_at_ms)
         SELECT ?8, ?3, ?5, ?1, ?2 WHERE ${served.sql}`,
      )
      .bind(packId, by.nowMs, ...served.values),
    db
      .prepare(
        `UPDATE order_days SET revision = ?3, pack_id = ?4, state = 'available', state_note = ''
         WHERE tradedate = ?1 AND revision = ?2 AND dataset = ?5
           AND EXISTS (SELECT 1 FROM day_revisions
             WHERE tradedate = ?1 AND revision = ?3 AND pack_id = ?4 AND dataset = ?5)
         RETURNING revision`,
      )
      .bind(tradedate, revision, number, packId, dataset),
    db
      .prepare(
        `DELETE FROM withdrawals WHERE target = ?1 AND content = ?2 AND ${PACK_SERVED.replace("?2", "?3")}`,
      )
      .bind(target, buildId, packId),
    servedStatement(db, target, PACK_SERVED, [packId]),
  ]);
  return results.at(-3)?.results.length === 1;
}

/** Damage of the pack of a dataset's day and revision; `note` says which block has wrong bytes. */
export interface FoundDamage {
  dataset: DatasetName;
  tradedate: BeijingDate;
  revision: number;
  note: string;
}

/**
 * Marks the pack of this revision damaged after one of its blocks failed its checksum; no command serves it again. The
 * day returns 503 `day_damaged` until the operator publishes or restores other bytes, unless its revision or state has
 * changed meanwhile.
 */
export async function markDamaged(
  db: D1Database,
  { dataset, tradedate, revision, note }: FoundDamage,
  nowMs: number,
): Promise<void> {
  const servedGuard = (first: number) => ({
    sql: `EXISTS (SELECT 1 FROM order_days
      WHERE tradedate = ?${first} AND revision = ?${first + 1} AND state = 'available'
        AND dataset = ?${first + 2})`,
    values: [tradedate, revision, dataset],
  });
  const entry = {
    atMs: nowMs,
    actor: SERVICE_ACTOR,
    action: "day.damaged",
    subject: daySubject(tradedate, dataset),
    before: { revision, state: "available" },
    after: { revision, state: "damaged", note },
  };
  await db.batch([
    auditStatement(db, entry, servedGuard(7)),
    strikeChangeStatement(db, { atMs: nowMs, dataset, tradedate, kind: "damaged", revision }, servedGuard(6)),
    db
      .prepare(
        `UPDATE order_days SET state = 'damaged', state_note = ?3
         WHERE tradedate = ?1 AND revision = ?2 AND state = 'available' AND dataset = ?4`,
      )
      .bind(tradedate, revision, note, dataset),
    db
      .prepare(
        `INSERT OR IGNORE INTO damaged_packs (object_key, at_ms, note)
         SELECT p.object_key, ?3, ?4 FROM day_revisions r JOIN day_packs p ON p.pack_id = r.pack_id
         WHERE r.tradedate = ?1 AND r.revision = ?2 AND r.dataset = ?5`,
      )
      .bind(tradedate, revision, nowMs, note, dataset),
  ]);
}
