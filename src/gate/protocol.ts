/**
 * What passes between the worker and the gate object. Both sides roll out separately, so fields are
 * only ever added, and a side must live with a partner that does not know them yet (`README.md`, "The row").
 */
import type { UseDenial } from "../entitlement/caller-denial.ts";

/** Which daily counter a request draws on besides `requests`. */
export type GateKind = "json" | "parquet";

/** Daily limits of the account's plan; `null` is unlimited. `requests` counts JSON and Parquet together. */
export interface GateLimits {
  requests: number | null;
  files: number | null;
}

export interface AcquireRequest {
  /** The request's id: the same id again gives the same answer and charges once. */
  requestId: string;
  /** The request's total bound in milliseconds: 60,000 for JSON, 300,000 for Parquet by default. */
  boundMs: number;
  kind: GateKind;
  limits: GateLimits;
}

/** Today's counters after the call. `day` is the Beijing day the object counted on. */
export interface GateUse {
  day: string;
  requests: number;
  files: number;
  /** Whole seconds until the counters reset. */
  resetSeconds: number;
}

/** Facts of a refusal; they travel on to `http`, which may not import this module. */
export type GateRefusal = UseDenial;

/** A refusal as the object reports it. */
export type GateRefused = GateRefusal & {
  /**
   * The object has just started and found the slot taken. An end that its predecessor had only in memory may
   * still be on its way from the worker that told it: asking once more is worth it.
   */
  justStarted?: boolean;
};

/** Tells a refusal from a grant by its `reason`: no grant has one, and what the object answers keeps its form. */
export function isRefused(answer: object): answer is GateRefused {
  return "reason" in answer;
}

/** How a request ended, for the account's list of last requests (at most 20 are kept). */
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
  /** Give the charge back: the service itself failed (contract 2.3). */
  credit: boolean;
  outcome?: RequestOutcome;
  /**
   * The caller has a further page to ask for, and the worker waits for `Lease.written`: the slot may be freed
   * in memory now and in storage by that page's own write. Objects that do not know the field write at once.
   */
  hasMore?: boolean;
}

/** What a release through the lease answers. */
export interface ReleaseAnswer {
  /** False when the end is in memory only; `Lease.written` then tells when it is stored. */
  written: boolean;
}

/** The worker's side of a lease. */
export interface LeaseStub extends Disposable {
  /** Nothing is answered by objects of the first version, which always write. */
  release(request: ReleaseRequest): PromiseLike<ReleaseAnswer | undefined>;
  written(): PromiseLike<void>;
}

/** What an accepted request gets: its grant's id and today's counters with itself counted. */
export interface GateGrant {
  id: string;
  use: GateUse;
}

/** What the object knows of its account and interface: for `/health`, the operator and `account_info`. */
export interface GateState {
  use: GateUse;
  /** Counts credited today, by the service or the operator; absent from objects that do not count them yet. */
  credited?: Counts;
  /** The request that holds the slot now, or `null` when the slot is free. */
  holder: { requestId: string; untilMs: number } | null;
  /** The last requests that ended with a word of the worker, oldest first, at most 20. */
  last: RequestOutcome[];
  /** The last accepted requests, oldest first, at most 20; absent from objects that do not tell them yet. */
  grants?: GrantSummary[];
}

/** An accepted request, whether or not its end was ever told. */
export interface GrantSummary {
  requestId: string;
  kind: GateKind;
  /** The Beijing day it was charged to. */
  day: string;
  /** False once it was credited. */
  charged: boolean;
}

/** Accepted requests, JSON and Parquet together, and the Parquet files among them. */
export interface Counts {
  requests: number;
  files: number;
}

/** Counts the operator credits to today's counters (never below zero). */
export type OperatorCredit = Counts;
