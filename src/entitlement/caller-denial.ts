/** Why a caller, a plan or a use is refused (contract 2.1, steps 3, 4, 6, 8 and 9); the messages are in `http/`. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { PlanName } from "./principal.ts";

/** Refusals before the parameters are checked. */
export type AccessDenial =
  /** `empty`: the key is an empty string, which a script sends when its environment variable is not set. */
  | { reason: "key_unknown"; empty?: boolean }
  | { reason: "key_revoked" }
  | { reason: "account_disabled" }
  | { reason: "rate_limited"; retryAfterSeconds: number };

/** The services that a plan can include: the histories and the two kinds of shares. */
export type ServiceName = "order_history" | "auction_tick" | "level2";

export type EntitlementDenial =
  /** `plan` is the plan in force; `null` when the account has no present or past subscription. */
  | { reason: "plan_missing"; service: ServiceName; plan: PlanName | null }
  /** No plan is in force; the last one ended at `endedMs` (exclusive, Unix milliseconds). */
  | { reason: "plan_expired"; plan: PlanName; endedMs: number }
  /** The plan covers the last `days` calendar days, beginning with `from`. `asked` is an earlier date or year. */
  | {
      reason: "outside_window";
      service: ServiceName;
      plan: PlanName;
      asked: string;
      from: BeijingDate;
      days: number;
      /** The parameter that contained the day; absent for `tradedate` and a share's `year`. */
      parameter?: string;
    };

/** A refusal by the gate for one account and interface (contract 2.1, steps 8 and 9); nothing was charged. */
export type UseDenial =
  /** `lacks`: the gate was not asked; the account's answers in progress use up its memory limit (contract 2.6). */
  | { reason: "slot_busy"; lacks?: "memory" }
  | {
      reason: "quota_used";
      unit: "requests" | "files";
      limit: number;
      resetSeconds: number;
      /** The `apiname` of the counted interface. The operation adds it, because the gate does not have it. */
      interface?: string;
    };
