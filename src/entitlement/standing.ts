/** The present plan, windows and limits of an account, as shown to key holders, operators and the console. */
import { type BeijingDate, beijingDate, windowStart } from "../calendar/beijing.ts";
import type { ServiceName } from "./caller-denial.ts";
import { lastEnded, planInForce } from "./entitle.ts";
import { PLANS } from "./plans.ts";
import type { DailyLimits, PlanName, Principal } from "./principal.ts";

/** The first and last day that may be read, both inclusive; `from` is null when all history may be read. */
export interface Window {
  from: BeijingDate | null;
  to: BeijingDate;
}

export interface Standing {
  /** The plan in force, or the plan that ended last; null when there is neither. */
  plan: PlanName | null;
  state: "active" | "expired" | "none";
  /** When the plan in `plan` ends or ended (exclusive, Unix milliseconds); null when `plan` is null. */
  endsAtMs: number | null;
  /** The present window of each service; null when the plan does not include the service. */
  windows: Readonly<Record<ServiceName, Window | null>>;
  /** Daily limits of each history; null while no plan is in force. */
  limits: DailyLimits | null;
}

/** Returns the principal's plan, windows and limits at `nowMs` (Unix milliseconds). */
export function standingOf(
  principal: Pick<Principal, "subscriptions" | "planLimits" | "ownLimits">,
  nowMs: number,
): Standing {
  const { subscriptions, planLimits, ownLimits } = principal;
  const inForce = planInForce(subscriptions, nowMs);
  const windowFor = (service: ServiceName) => inForce && windowOf(inForce.plan, service, nowMs);
  const windows = {
    order_history: windowFor("order_history"),
    auction_tick: windowFor("auction_tick"),
    level2: windowFor("level2"),
  };
  if (inForce !== null) {
    const { plan, endMs: endsAtMs } = inForce;
    return { plan, state: "active", endsAtMs, windows, limits: { ...planLimits[plan], ...ownLimits } };
  }
  const ended = lastEnded(subscriptions, nowMs);
  if (ended === undefined) return { plan: null, state: "none", endsAtMs: null, windows, limits: null };
  return { plan: ended.plan, state: "expired", endsAtMs: ended.endMs, windows, limits: null };
}

/** Returns the readable days of `service` with `plan` at `nowMs`; null when the plan does not include it. */
export function windowOf(plan: PlanName, service: ServiceName, nowMs: number): Window | null {
  const reach = PLANS[plan][service];
  const to = beijingDate(nowMs);
  switch (reach.kind) {
    case "none":
      return null;
    case "all":
      return { from: null, to };
    case "days":
      return { from: windowStart(to, reach.days), to };
  }
}

/** A daily counter and its limit. */
export interface Counter {
  /** Null: unlimited. */
  limit: number | null;
  /** Charges of today, including those credited later. */
  used: number;
  /** The number of today's charges that were credited later. */
  credited: number;
  /** Null: unlimited. */
  left: number | null;
}

/** Returns the counter for `limit`, from today's charges that were not credited and those that were credited later. */
export function counterOf(limit: number | null, counted: number, credited: number): Counter {
  const left = limit === null ? null : Math.max(0, limit - counted);
  return { limit, used: counted + credited, credited, left };
}
