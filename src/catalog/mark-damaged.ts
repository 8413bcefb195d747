/** A day whose stored bytes failed their check is not served until the operator publishes it again. */

import type { BeijingDate } from "../calendar/beijing.ts";
import { SERVICE_ACTOR } from "../entitlement/operators.ts";
import { auditStatement } from "./audit.ts";
import { strikeChangeStatement } from "./day-changes.ts";

/**
 * Marks a day damaged after a block of this revision failed its check, so that it is 503 `day_damaged` until
 * the operator publishes it again. Does nothing when the day has another revision or state by now.
 */
export async function markDamaged(
  db: D1Database,
  { tradedate, revision, note }: { tradedate: BeijingDate; revision: number; note: string },
  nowMs: number,
): Promise<void> {
  const servedGuard = (first: number) => ({
    sql: `EXISTS (SELECT 1 FROM order_days
      WHERE tradedate = ?${first} AND revision = ?${first + 1} AND state = 'available')`,
    values: [tradedate, revision],
  });
  const entry = {
    atMs: nowMs,
    actor: SERVICE_ACTOR,
    action: "day.damaged",
    subject: tradedate,
    before: { revision, state: "available" },
    after: { revision, state: "damaged", note },
  };
  await db.batch([
    auditStatement(db, entry, servedGuard(7)),
    strikeChangeStatement(db, { atMs: nowMs, tradedate, kind: "damaged", revision }, servedGuard(5)),
    db
      .prepare(
        `UPDATE order_days SET state = 'damaged', state_note = ?3
         WHERE tradedate = ?1 AND revision = ?2 AND state = 'available'`,
      )
      .bind(tradedate, revision, note),
  ]);
}
