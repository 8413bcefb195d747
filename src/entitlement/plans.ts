/** Defines the plans (contract 7.1). Their daily limits are rows of the plan table. */
import type { ServiceName } from "./caller-denial.ts";
import type { PlanName } from "./principal.ts";

/** How far back a plan reaches: all history, the last `days` calendar days including today, or not at all. */
export type Reach = { kind: "all" } | { kind: "days"; days: number } | { kind: "none" };

/** A weekly card is valid for 7 × 24 hours from its start (contract 7.1). */
export const WEEKLY_MS = 7 * 24 * 3_600_000;

const ALL: Reach = { kind: "all" };
const NONE: Reach = { kind: "none" };
const days = (count: number): Reach => ({ kind: "days", days: count });

const NOTHING = { order_history: NONE, auction_tick: NONE, level2: NONE };
const PROFESSIONAL = { order_history: days(30), auction_tick: days(365), level2: days(30) };

/** How far back each plan reaches, by service. The weekly card and the professional plan differ only in duration. */
export const PLANS: Readonly<Record<PlanName, Readonly<Record<ServiceName, Reach>>>> = {
  free: NOTHING,
  standard: NOTHING,
  trial: { ...NOTHING, order_history: ALL },
  weekly: PROFESSIONAL,
  professional: PROFESSIONAL,
  flagship: { order_history: ALL, auction_tick: ALL, level2: ALL },
};
