/**
 * Messages between the worker and the gate object. Both sides are deployed separately. Fields are therefore only ever
 * added, and each side must work with a counterpart that does not have them yet (`README.md`, "The row").
 */
import type { UsageOwner } from "../catalog/usage.ts";
import type { UseDenial } from "../entitlement/caller-denial.ts";
import type { DailyLimits } from "../entitlement/principal.ts";

/** The kind of a request. Both kinds count as `requests`; a Parquet request also counts as one of `files`. */
export type GateKind = "json" | "parquet";

export interface AcquireRequest {
  /** The request's id. A repeated id gets the same answer and is charged once. */
  requestId: string;
  /** The longest duration of the request in milliseconds: by default 60,000 for JSON and 300,000 for Parquet. */
  boundMs: number;
  kind: GateKind;
  limits: DailyLimits;
  /** The account and service whose usage the object writes into the catalog; without it no usage is written. */
  owner?: UsageOwner;
}

/** Today's counters after the call. `day` is the Beijing day of the counts. */
export interface GateUse extends Counts {
  day: string;
  /** Whole seconds until the counters reset. */
  resetSeconds: number;
}

/** A refusal by the gate object. */
export type GateRefused = UseDenial & {
  /**
   * The object has just started and found the slot taken. The grant may already have ended: the previous object may
   * have held that end only in memory, and the worker then sends the end again. The caller should ask once more.
   */
  justStarted?: boolean;
};

/** Returns whether `answer` is a refusal. In every version of the object, only refusals have a `reason`. */
export function isRefused(answer: object): answer is GateRefused {
  return "reason" in answer;
}

/** The outcome of a request, for the account's list of last requests (at most 20). */
export interface RequestOutcome {
  atMs: number;
  requestId: string;
  code: number;
  reason: string;
  symbol: string;
  tradedate: string;
  rows: number;
}

export interface ReleaseRequest {
  /** Whether to credit the charge, because the service itself failed (contract 2.3). */
  credit: boolean;
  outcome?: RequestOutcome;
  /** Bytes of the body that the response stream has accepted or is about to receive; only the first report counts. */
  bytes?: number;
  /**
   * Whether a next page exists and the worker waits for `Lease.written`. The object may then free the slot in memory
   * only and store the release with the next grant. Objects of earlier versions store it at once.
   */
  hasMore?: boolean;
}

/** The answer to a release through the lease. */
export interface ReleaseAnswer {
  /** False when the release is in memory only; `Lease.written` then resolves when the release is stored. */
  written: boolean;
}

/** The worker's side of a lease. */
export interface LeaseStub extends Disposable {
  /** Objects of the first version always store the release at once and return undefined. */
  release(request: ReleaseRequest): PromiseLike<ReleaseAnswer | undefined>;
  written(): PromiseLike<void>;
}

/** The answer to an accepted request: its grant id and today's counters including this request. */
export interface GateGrant {
  id: string;
  use: GateUse;
}

/** The state of an account and interface, for `/health`, operators and `account_info`. */
export interface GateState {
  use: GateUse;
  /** Counts credited today by the service or an operator; absent from older objects. */
  credited?: Counts;
  /** Bytes of the bodies that ended today; absent from objects that do not count them yet. */
  bytes?: number;
  /** The request that holds the slot now, or `null` when the slot is free. */
  holder: { requestId: string; untilMs: number } | null;
  /** The last requests whose outcome was reported, oldest first, at most 20. */
  last: RequestOutcome[];
  /** The last accepted requests, oldest first, at most 20; absent from older objects. */
  grants?: GrantSummary[];
}

/** An accepted request, whether or not its end was reported. */
export interface GrantSummary {
  requestId: string;
  kind: GateKind;
  /** The Beijing day that was charged. */
  day: string;
  /** False once the charge was credited. */
  charged: boolean;
}

/** Accepted requests (JSON and Parquet together) and the Parquet files among them. */
export interface Counts {
  requests: number;
  files: number;
}
