/** Decides what a principal may read now: the plan in force, its window, its daily limits (contract 7). */
import { ok, type Result, refused } from "../base/result.ts";
import { type BeijingDate, beijingDate, windowStart } from "../calendar/beijing.ts";
import type { EntitlementDenial, ServiceName } from "./caller-denial.ts";
import { PLANS } from "./plans.ts";
import type { DailyLimits, PlanName, Principal, Subscription } from "./principal.ts";
import { PLAN_NAMES } from "./principal.ts";

/** The plan in force at an instant, and the instant (exclusive, Unix milliseconds) at which it ends. */
export interface PlanInForce {
  plan: PlanName;
  endMs: number;
}

/** The plan and the limits under which a history request is allowed. */
export interface Grant {
  plan: PlanName;
  /** Daily limits of the interface. Where the account has no limit of its own, the plan's limit applies. */
  limits: DailyLimits;
}

/** An allowed share: the first and the last date that it covers now, both inclusive. */
export interface ShareGrant extends PlanInForce {
  from: BeijingDate;
  to: BeijingDate;
}

/**
 * Returns the highest plan in force at `nowMs`, or null. A subscription is in force from its start (inclusive) to its
 * end (exclusive). `endMs` is the latest end of a subscription in force with that plan.
 */
export function planInForce(subscriptions: readonly Subscription[], nowMs: number): PlanInForce | null {
  let best: PlanInForce | null = null;
  for (const { plan, startMs, endMs } of subscriptions) {
    if (nowMs < startMs || nowMs >= endMs) continue;
    const better =
      best === null ? 1 : PLAN_NAMES.indexOf(plan) - PLAN_NAMES.indexOf(best.plan) || endMs - best.endMs;
    if (better > 0) best = { plan, endMs };
  }
  return best;
}

/** Decides whether the principal may read the orders of `tradedate` at `nowMs`; later steps refuse a future day. */
export function entitleOrderHistory(
  principal: Principal,
  tradedate: BeijingDate,
  nowMs: number,
): Result<Grant, EntitlementDenial> {
  const inForce = planFor(principal, "order_history", nowMs);
  if (!inForce.ok) return inForce;
  const { plan, window } = inForce.value;
  if (window !== null && tradedate < window.from) {
    const service = "order_history";
    return refused({ reason: "outside_window", service, plan, asked: tradedate, ...window });
  }
  return ok({ plan, limits: { ...principal.planLimits[plan], ...principal.ownLimits } });
}

/**
 * Decides whether the principal may have the share of `year` at `nowMs`. Returns the dates that the share covers: the
 * part of the year, up to today, that is in the plan's window. Refuses a year that is entirely before the window.
 */
export function entitleShare(
  principal: Pick<Principal, "subscriptions">,
  share: { service: Exclude<ServiceName, "order_history">; year: number },
  nowMs: number,
): Result<ShareGrant, EntitlementDenial> {
  const { service, year } = share;
  const inForce = planFor(principal, service, nowMs);
  if (!inForce.ok) return inForce;
  const { plan, endMs, window } = inForce.value;
  const today = beijingDate(nowMs);
  const firstOfYear = `${year}0101` as BeijingDate;
  const lastOfYear = `${year}1231` as BeijingDate;
  const isOver = lastOfYear < today;
  const to = isOver ? lastOfYear : today;
  if (window !== null && to < window.from) {
    return refused({ reason: "outside_window", service, plan, asked: String(year), ...window });
  }
  const from = window !== null && window.from > firstOfYear ? window.from : firstOfYear;
  return ok({ plan, endMs, from, to });
}

/** The plan in force, with the first day and the length of its window; the window is null for all history. */
type PlanFor = PlanInForce & { window: { from: BeijingDate; days: number } | null };

/** Returns the plan in force if it includes `service`, else why access is refused. */
function planFor(
  principal: Pick<Principal, "subscriptions">,
  service: ServiceName,
  nowMs: number,
): Result<PlanFor, EntitlementDenial> {
  const inForce = planInForce(principal.subscriptions, nowMs);
  if (inForce === null) {
    const ended = lastEnded(principal.subscriptions, nowMs);
    if (ended === undefined) return refused({ reason: "plan_missing", service, plan: null });
    return refused({ reason: "plan_expired", plan: ended.plan, endedMs: ended.endMs });
  }
  const reach = PLANS[inForce.plan][service];
  if (reach.kind === "none") return refused({ reason: "plan_missing", service, plan: inForce.plan });
  if (reach.kind === "all") return ok({ ...inForce, window: null });
  const { days } = reach;
  return ok({ ...inForce, window: { from: windowStart(beijingDate(nowMs), days), days } });
}

/** Returns the subscription that ended last, at `nowMs` or before; undefined when none has ended. */
export function lastEnded(subscriptions: readonly Subscription[], nowMs: number): Subscription | undefined {
  return subscriptions.filter(({ endMs }) => endMs <= nowMs).toSorted((a, b) => b.endMs - a.endMs)[0];
}
