/** Daily limits by plan. A change is in force within 30 s, when the cached principals are read again. */
import type { Actor } from "../entitlement/operators.ts";
import { type DailyLimits, PLAN_NAMES, type PlanName } from "../entitlement/principal.ts";
import { auditStatement } from "./audit.ts";

/** The daily limits of one plan on the order-history interface. */
export interface PlanLimits extends DailyLimits {
  plan: PlanName;
}

/** Every plan, from least to best. */
export async function planLimits(db: D1Database): Promise<PlanLimits[]> {
  const { results } = await db.prepare("SELECT plan, requests, files FROM plans").all<PlanLimits>();
  return results.toSorted((a, b) => PLAN_NAMES.indexOf(a.plan) - PLAN_NAMES.indexOf(b.plan));
}

/** Sets the limits of the named plans and leaves all others. */
export async function setPlanLimits(
  db: D1Database,
  change: { plans: PlanLimits[]; actor: Actor; nowMs: number },
): Promise<void> {
  const known = new Map((await planLimits(db)).map((each) => [each.plan, each]));
  const statements = change.plans.flatMap((after) => {
    const before = known.get(after.plan) ?? null;
    if (before?.requests === after.requests && before.files === after.files) return [];
    const entry = { atMs: change.nowMs, actor: change.actor, action: "plan.limits", subject: after.plan };
    return [
      auditStatement(db, { ...entry, before, after }),
      db
        .prepare("UPDATE plans SET requests = ?2, files = ?3 WHERE plan = ?1")
        .bind(after.plan, after.requests, after.files),
    ];
  });
  if (statements.length > 0) await db.batch(statements);
}
