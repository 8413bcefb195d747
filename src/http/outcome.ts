/**
 * Maps a reason to a public outcome: the code and HTTP status of contract 1.4, the `Retry-After` of contract 1.5 and
 * the message.
 */

import { type Bilingual, inLanguage, type Language } from "../base/language.ts";
import type { Denial, Reason } from "./denial.ts";
import { accessMessage, entitlementMessage, envelopeMessage, useMessage } from "./messages-caller.ts";
import { dayMessage, nothingPublishedMessage, unavailableMessage } from "./messages-day.ts";
import { queryMessage } from "./messages-query.ts";

/** Codes of refusals (contract 1.4). */
export type RefusalCode = 1002 | 403 | 422 | 429 | 503;

/** The requested format, which determines the HTTP status of a refusal. */
export type AnswerFormat = "json" | "parquet";

export interface Outcome {
  code: RefusalCode;
  reason: Reason;
  status: Readonly<Record<AnswerFormat, number>>;
  /** Whole seconds for `Retry-After`; `null` where waiting would not help or would block a script for too long. */
  retryAfterSeconds: number | null;
  message: Bilingual;
}

/**
 * JSON clients read the code in the body, and several discard the body of a 4xx. A script that saves a Parquet answer
 * must not save an error as a file, so refusals of Parquet requests have error statuses.
 */
const STATUS: Readonly<Record<RefusalCode, Outcome["status"]>> = {
  1002: { json: 200, parquet: 404 },
  403: { json: 200, parquet: 403 },
  422: { json: 200, parquet: 422 },
  429: { json: 200, parquet: 429 },
  503: { json: 503, parquet: 503 },
};

const SLOT_RETRY_SECONDS = 1;
const FAULT_RETRY_SECONDS = 5;

/**
 * Returns the public outcome of `denial`. The switch is exhaustive: a new reason does not compile without an outcome.
 */
export function outcomeOf(denial: Denial): Outcome {
  const refused = (code: RefusalCode, message: Bilingual, other: Partial<Outcome> = {}): Outcome => ({
    code,
    reason: denial.reason,
    status: STATUS[code],
    retryAfterSeconds: null,
    message,
    ...other,
  });
  switch (denial.reason) {
    case "envelope_invalid": {
      const isHeader = denial.problem === "header_length";
      const status = isHeader ? { json: 431, parquet: 431 } : STATUS[422];
      return refused(422, envelopeMessage(denial), { status });
    }
    case "apiname_unknown":
      return refused(422, envelopeMessage(denial));
    case "body_too_large":
      return refused(422, envelopeMessage(denial), { status: { json: 413, parquet: 413 } });
    case "method_not_allowed":
      return refused(422, envelopeMessage(denial), { status: { json: 405, parquet: 405 } });
    case "not_found":
      return refused(422, envelopeMessage(denial), { status: { json: 404, parquet: 404 } });
    case "key_unknown":
    case "key_revoked":
    case "account_disabled":
      return refused(403, accessMessage(denial));
    case "rate_limited":
      return refused(429, accessMessage(denial), {
        status: { json: 429, parquet: 429 },
        retryAfterSeconds: denial.retryAfterSeconds,
      });
    case "plan_missing":
    case "plan_expired":
    case "outside_window":
      return refused(403, entitlementMessage(denial));
    case "param_invalid":
    case "param_unknown":
    case "param_excluded":
    case "field_unknown":
    case "cursor_old_format":
    case "cursor_invalid":
    case "cursor_mismatch":
    case "data_rebuilt":
      return refused(422, queryMessage(denial));
    case "not_loaded":
    case "not_trading_day":
    case "future_day":
    case "before_history":
    case "security_unknown":
    case "no_orders":
    case "withdrawn":
      return refused(1002, dayMessage(denial));
    case "nothing_published":
      return refused(1002, nothingPublishedMessage(denial));
    case "slot_busy":
      return refused(503, useMessage(denial), { retryAfterSeconds: SLOT_RETRY_SECONDS });
    case "quota_used":
      return refused(429, useMessage(denial));
    case "unavailable":
      return refused(503, unavailableMessage(denial.unread ?? false), {
        retryAfterSeconds: FAULT_RETRY_SECONDS,
      });
    case "day_damaged":
      return refused(503, dayMessage(denial));
  }
}

/** Returns the message of a refusal. It ends with `[reason · request id]`, because users send screenshots. */
export function messageOf({ message, reason }: Outcome, language: Language, requestId: string): string {
  return `${inLanguage(message, language)} [${reason} · ${requestId}]`;
}
