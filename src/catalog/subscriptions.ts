/** One subscription at a time: adding one, and moving an end. `setSubscriptions` replaces all of an account. */
import type { Subscription } from "../entitlement/principal.ts";
import type { By } from "./accounts.ts";
import { type AuditEntry, auditStatement } from "./audit.ts";

/** Adds a subscription beside all others; false when one of the same plan and start is there. */
export async function addSubscription(
  db: D1Database,
  accountId: string,
  { plan, startMs, endMs }: Subscription,
  by: By,
): Promise<boolean> {
  const absent = (first: number) => `NOT EXISTS (SELECT 1 FROM subscriptions
    WHERE account_id = ?${first} AND plan = ?${first + 1} AND start_ms = ?${first + 2})`;
  const place = [accountId, plan, startMs];
  const entry = entryOf(accountId, null, { plan, startMs, endMs }, by);
  const results = await db.batch([
    auditStatement(db, entry, { sql: absent(7), values: place }),
    db
      .prepare(
        `INSERT INTO subscriptions (account_id, plan, start_ms, end_ms)
         SELECT ?1, ?2, ?3, ?4 WHERE ${absent(1)} RETURNING plan`,
      )
      .bind(...place, endMs),
  ]);
  return results.at(-1)?.results.length === 1;
}

/** Moves the end of a subscription; false when it is not there as it was read. */
export async function moveSubscriptionEnd(
  db: D1Database,
  accountId: string,
  before: Subscription,
  endMs: number,
  by: By,
): Promise<boolean> {
  const { plan, startMs } = before;
  const asRead = (first: number) =>
    `account_id = ?${first} AND plan = ?${first + 1} AND start_ms = ?${first + 2} AND end_ms = ?${first + 3}`;
  const values = [accountId, plan, startMs, before.endMs];
  const entry = entryOf(accountId, before, { plan, startMs, endMs }, by);
  const there = { sql: `EXISTS (SELECT 1 FROM subscriptions WHERE ${asRead(7)})`, values };
  const results = await db.batch([
    auditStatement(db, entry, there),
    db
      .prepare(`UPDATE subscriptions SET end_ms = ?5 WHERE ${asRead(1)} RETURNING plan`)
      .bind(...values, endMs),
  ]);
  return results.at(-1)?.results.length === 1;
}

function entryOf(subject: string, before: Subscription | null, after: Subscription, by: By): AuditEntry {
  return { atMs: by.nowMs, actor: by.actor, action: "account.subscription", subject, before, after };
}
