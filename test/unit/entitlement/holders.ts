/** Principals with plans for the tests of this module. */
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import type { PlanName, Principal } from "../../../src/entitlement/principal.ts";

/** Parses an RFC 3339 text to Unix milliseconds. */
export const at = (text: string) => Date.parse(text);

export const date = (text: string) => text as BeijingDate;

/** Returns a principal whose `plans` never end, with the daily limits of contract 7.1. */
export function holder(plans: PlanName[]): Principal {
  const none = { requests: null, files: null };
  return {
    accountId: "account",
    keyId: "key",
    disabled: false,
    subscriptions: plans.map((plan) => ({ plan, startMs: 0, endMs: Number.MAX_SAFE_INTEGER })),
    planLimits: {
      free: none,
      standard: none,
      trial: { requests: 100, files: null },
      weekly: { requests: null, files: 30 },
      professional: { requests: null, files: 30 },
      flagship: { requests: null, files: 300 },
    },
    ownLimits: {},
  };
}
