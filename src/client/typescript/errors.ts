/**
 * All errors, with the service's code, reason and request id. A caller need not retry them: the client has already
 * retried temporary errors.
 */
import type { Reason } from "../../http/denial.ts";

export type { Reason };

/** What the answer says; null without an answer. */
export interface ErrorFacts {
  code: number | null;
  /** `X-Reason`; a service newer than this client may send other reasons. */
  reason: Reason | (string & {}) | null;
  requestId: string | null;
}

const NO_ANSWER: ErrorFacts = { code: null, reason: null, requestId: null };

/** Base class of this package's errors. An aborted call throws the reason of its `AbortSignal` instead. */
export class EdgetapeError extends Error {
  /** Outcome code of the answer (1002, 403, 422, 429, 503); null without an answer. */
  readonly code: number | null;
  /** The answer's reason, such as `outside_window`. */
  readonly reason: Reason | (string & {}) | null;
  /** To quote to support; null without an answer. */
  readonly requestId: string | null;

  constructor(message: string, facts: ErrorFacts = NO_ANSWER, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = facts.code;
    this.reason = facts.reason;
    this.requestId = facts.requestId;
  }
}

/** No key, no base URL, or parameters that no service would accept. */
export class ConfigurationError extends EdgetapeError {}

/** The service refused a request; the message is the service's and ends with `[reason · request id]`. */
export class ServiceError extends EdgetapeError {}

/** 1002: the day is not loaded, or has no such security. The reason distinguishes "not yet" from "never". */
export class NoData extends ServiceError {}

/** 403: the key or the plan does not allow the request. Never retried. */
export class NotAllowed extends ServiceError {}

/** 422: a parameter is invalid. Never retried. */
export class BadRequest extends ServiceError {}

/** The day changed again after a restart, or rows already returned have changed. */
export class DataRebuilt extends BadRequest {}

/** 503, or 429 of the per-second limit: after all waits, or at once if a wait cannot help. */
export class Unavailable extends ServiceError {}

/** 429: the day's quota of the interface is used up. Thrown at once. */
export class QuotaUsed extends ServiceError {
  /** When the counters reset. */
  readonly resetsAt: Date;

  constructor(message: string, facts: ErrorFacts, resetsAt: Date) {
    super(message, facts);
    this.resetsAt = resetsAt;
  }
}

/** No base URL could be reached, or every answer broke off; `cause` is the last failure. */
export class ConnectionFailed extends EdgetapeError {}

/** An answer that the service never sends: a proxy's page, a repeated cursor, rows out of order. */
export class ProtocolError extends EdgetapeError {}

/** A file is not as announced: a different SHA-256, or not a complete Parquet file. */
export class IntegrityError extends EdgetapeError {}
