/**
 * The general per-second limit (contract 7.4): the platform's rate-limit binding, counted per account and location,
 * approximately. The binding answers only yes or no.
 */
import type { AccessDenial } from "../entitlement/caller-denial.ts";

/** The binding's period in seconds, as `wrangler.toml` sets it. After it, the next request is accepted. */
const PERIOD_SECONDS = 10;

/** Returns `rate_limited` when the account exceeds the limit, else null. `switched` "off" disables the limit. */
export async function checkRate(
  rate: RateLimit,
  switched: "on" | "off",
  accountId: string,
): Promise<AccessDenial | null> {
  if (switched === "off") return null;
  const { success } = await rate.limit({ key: accountId });
  return success ? null : { reason: "rate_limited", retryAfterSeconds: PERIOD_SECONDS };
}
