/** Marks a day damaged; it is not served until the operator publishes other bytes. */

import type { BeijingDate } from "../calendar/beijing.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { SERVICE_ACTOR } from "../entitlement/operators.ts";
import { auditStatement } from "./audit.ts";
import { strikeChangeStatement } from "./day-changes.ts";
import { daySubject } from "./publish-day.ts";

/** The revision of a dataset's day (of orders when absent) whose pack has a block with wrong bytes, and which. */
export interface FoundDamage {
  dataset?: DatasetName;
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
  { dataset = "orders", tradedate, revision, note }: FoundDamage,
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
