/**
 * The account that a key belongs to, with everything that the checks of plans and quota need. `catalog/keys.ts`
 * reads it from D1, `access` caches it for at most 30 s, and `entitle.ts` evaluates it.
 */

/** Plans from lowest to highest. Where subscriptions overlap, the highest plan applies. */
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
  /** Whether an operator disabled the account. */
  disabled: boolean;
  subscriptions: readonly Subscription[];
  /** The daily limits of each history interface, by plan, from the plan table. */
  planLimits: Readonly<Record<PlanName, DailyLimits>>;
  /** The account's own limits. Where one is absent, the plan's limit applies. */
  ownLimits: Readonly<Partial<DailyLimits>>;
}
