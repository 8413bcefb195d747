/** Maps a reason to its outcome: code and HTTP status (contract 1.4), `Retry-After` (contract 1.5), message. */

import { type Bilingual, inLanguage, type Language } from "../base/language.ts";
import type { Denial, Reason } from "./denial.ts";
import { ACCESS_OUTCOMES, ENTITLEMENT_OUTCOMES, ENVELOPE_OUTCOMES, USE_OUTCOMES } from "./messages-caller.ts";
import { DAY_OUTCOMES, OTHER_OUTCOMES } from "./messages-day.ts";
import { QUERY_OUTCOMES } from "./messages-query.ts";

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
 * JSON clients read the code in the body, and several discard the body of a 4xx response. Most refusals of JSON
 * requests therefore have status 200. A script that saves a Parquet answer must not save an error as a file, so
 * refusals of Parquet requests have error statuses.
 */
const STATUS: Readonly<Record<RefusalCode, Outcome["status"]>> = {
  1002: { json: 200, parquet: 404 },
  403: { json: 200, parquet: 403 },
  422: { json: 200, parquet: 422 },
  429: { json: 200, parquet: 429 },
  503: { json: 503, parquet: 503 },
};

/** What the service answers to one denial. */
interface Answer extends Bilingual {
  /** The code, if it differs from the default of the group in `OUTCOMES`. */
  code?: RefusalCode;
  /** The HTTP status for both formats, if it does not follow from the code. */
  status?: number;
  retryAfterSeconds?: number;
}

/** The answers to denials, by reason. A new reason does not compile without an answer. */
export type Outcomes<D extends Denial> = {
  [R in D["reason"]]: (denial: Extract<D, { reason: R }>) => Answer;
};

/** Returns `answers` with `code` added to each answer that has no code. */
function coded<D extends Denial>(code: RefusalCode, answers: Outcomes<D>): Outcomes<D> {
  const entries = Object.entries<(denial: never) => Answer>(answers);
  const named = entries.map(([reason, answer]) => [reason, (denial: never) => ({ code, ...answer(denial) })]);
  return Object.fromEntries(named) as Outcomes<D>;
}

const OUTCOMES: Outcomes<Denial> = {
  ...coded(422, ENVELOPE_OUTCOMES),
  ...coded(403, ACCESS_OUTCOMES),
  ...coded(403, ENTITLEMENT_OUTCOMES),
  ...coded(422, QUERY_OUTCOMES),
  ...coded(1002, DAY_OUTCOMES),
  ...coded(503, USE_OUTCOMES),
  ...coded(503, OTHER_OUTCOMES),
};

/** All reasons. */
export const REASONS = Object.keys(OUTCOMES);

/** Returns the public outcome of `denial`. */
export function outcomeOf(denial: Denial): Outcome {
  const { reason } = denial;
  const answer = OUTCOMES[reason] as (given: Denial) => Answer & Pick<Outcome, "code">;
  const { code, status, retryAfterSeconds = null, ...message } = answer(denial);
  const statuses = status === undefined ? STATUS[code] : { json: status, parquet: status };
  return { code, reason, status: statuses, retryAfterSeconds, message };
}

/** Returns the message of a refusal. It ends with `[reason · request id]`, because users send screenshots. */
export function messageOf({ message, reason }: Outcome, language: Language, requestId: string): string {
  return `${inLanguage(message, language)} [${reason} · ${requestId}]`;
}
