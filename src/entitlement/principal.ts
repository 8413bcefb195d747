/**
 * The account behind a key, with all inputs of the pure checks. The catalog reads it, `access` caches it for at most 30
 * s, and `entitle.ts` decides by it.
 */

/** Plans in ascending order; of overlapping subscriptions the best counts. */
export const PLAN_NAMES = ["free", "standard", "trial", "weekly", "professional", "flagship"] as const;

export type PlanName = (typeof PLAN_NAMES)[number];

/** A plan in force from `startMs` (inclusive) to `endMs` (exclusive), Unix milliseconds. */
export interface Subscription {
  plan: PlanName;
  startMs: number;
  endMs: number;
}

/** Daily limits of one interface; `null` is unlimited. `requests` counts JSON and Parquet together. */
export interface DailyLimits {
  requests: number | null;
  files: number | null;
}

export interface Principal {
  accountId: string;
  keyId: string;
  /** The operator disabled the whole account. */
  disabled: boolean;
  subscriptions: readonly Subscription[];
  /** Limits of each history by plan, from the plan table. */
  planLimits: Readonly<Record<PlanName, DailyLimits>>;
  /** The account's own limits; an absent member falls back to the plan's. */
  ownLimits: Readonly<Partial<DailyLimits>>;
}
