/**
 * The general per-second ceiling (contract 7.4): the platform's rate-limit binding, per account,
 * approximate and per location. It says no more than yes or no.
 */
import type { AccessDenial } from "../entitlement/caller-denial.ts";

/** The binding's period in seconds, as `wrangler.toml` sets it: after it the next request is let through. */
const PERIOD_SECONDS = 10;

/** `rate_limited` when the account asked too often, else null. `switched` "off" lets everything pass. */
export async function checkRate(
  rate: RateLimit,
  switched: "on" | "off",
  accountId: string,
): Promise<AccessDenial | null> {
  if (switched === "off") return null;
  const { success } = await rate.limit({ key: accountId });
  return success ? null : { reason: "rate_limited", retryAfterSeconds: PERIOD_SECONDS };
}
