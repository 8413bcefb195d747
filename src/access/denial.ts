/** Why a caller was turned away before the parameters were looked at (decisions 2, steps 3 and 4). */
export type AccessDenial =
  | { reason: "key_unknown" }
  | { reason: "key_revoked" }
  | { reason: "account_disabled" }
  | { reason: "rate_limited"; retryAfterSeconds: number };
