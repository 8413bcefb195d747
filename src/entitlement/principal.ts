/**
 * Who is asking: the account behind a key, with everything the pure checks need.
 * The catalog fills it, `access` caches it for at most 30 s, `entitle.ts` judges it.
 */

/** Plans from least to best; of overlapping subscriptions the best counts. Weekly is professional in all but length. */
export const PLAN_NAMES = ["free", "standard", "trial", "weekly", "professional", "flagship"] as const;

export type PlanName = (typeof PLAN_NAMES)[number];

/** A plan that holds for the instants `startMs` (inclusive) to `endMs` (exclusive), Unix milliseconds. */
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
  /** Limits of the order-history interface by plan, as the plan table has them now. */
  planLimits: Readonly<Record<PlanName, DailyLimits>>;
  /** The account's own limits; an absent member falls back to the plan's. */
  ownLimits: Readonly<Partial<DailyLimits>>;
}
