/** Asserts the common properties of refusals (contract 1.3, 1.4, 1.7, 1.8). */
import { expect } from "vitest";
import type { Answer } from "../support/http-client.ts";

/** The closed list of reasons with their codes. */
export const CODE_OF_REASON: Record<string, number> = {
  envelope_invalid: 422,
  method_not_allowed: 422,
  body_too_large: 422,
  not_found: 422,
  apiname_unknown: 422,
  key_unknown: 403,
  key_revoked: 403,
  account_disabled: 403,
  plan_missing: 403,
  plan_expired: 403,
  outside_window: 403,
  rate_limited: 429,
  param_invalid: 422,
  param_unknown: 422,
  param_excluded: 422,
  field_unknown: 422,
  cursor_old_format: 422,
  cursor_invalid: 422,
  cursor_mismatch: 422,
  data_rebuilt: 422,
  not_loaded: 1002,
  not_trading_day: 1002,
  future_day: 1002,
  before_history: 1002,
  security_unknown: 1002,
  no_orders: 1002,
  withdrawn: 1002,
  nothing_published: 1002,
  slot_busy: 503,
  quota_used: 429,
  unavailable: 503,
  day_damaged: 503,
};

/** The HTTP statuses of JSON refusals by reason, where they are not 200 (contract 1.4). */
const JSON_STATUS: Record<string, number> = {
  method_not_allowed: 405,
  body_too_large: 413,
  not_found: 404,
  rate_limited: 429,
  slot_busy: 503,
  unavailable: 503,
  day_damaged: 503,
};

export interface Refusal {
  reason: string;
  /** The HTTP status, when it differs from the usual status for the reason. */
  status?: number;
  /** Texts that the message must contain. */
  says?: (string | RegExp)[];
}

/** Asserts a whole refusal: code, HTTP status, envelope, headers and the end of the message. */
export function expectRefusal(answer: Answer, expected: Refusal): void {
  const { reason, says = [] } = expected;
  const { code, message } = answer.envelope;
  expect({ reason: answer.reason, code, status: answer.status }, answer.text).toEqual({
    reason,
    code: CODE_OF_REASON[reason],
    status: expected.status ?? JSON_STATUS[reason] ?? 200,
  });
  expectEnvelope(answer);
  expect(answer.envelope.data).toBeNull();
  expect(message.endsWith(`[${reason} · ${answer.headers["x-request-id"]}]`), message).toBe(true);
  for (const part of says) expect(message).toMatch(part);
}

/** Asserts the envelope's form: three members in order, JSON headers, a request id. */
export function expectEnvelope(answer: Answer): void {
  const envelope = answer.envelope;
  expect(Object.keys(envelope)).toEqual(["code", "message", "data"]);
  expect(Number.isInteger(envelope.code)).toBe(true);
  expect(typeof envelope.message).toBe("string");
  expect(answer.headers["content-type"]).toMatch(/^application\/json\b/);
  expect(answer.headers["x-request-id"]).toMatch(/^\S{8,}$/);
}
