/** Identifies an operator by bearer token: either the deployment's `ADMIN_TOKEN` or a named token in the catalog. */
import { sameText } from "../base/same-text.ts";
import { findToken, noteTokenUse } from "../catalog/admin-tokens.ts";
import { FIRST_OPERATOR, type Operator } from "../entitlement/operators.ts";
import { hashKey, isPlausibleToken } from "./key.ts";

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Returns the operator whose bearer token is in `authorization`, the value of the `Authorization` header. Returns null
 * when the header is absent or the token is not accepted. A named token is looked up at every request, so a revocation
 * takes effect at once. `ADMIN_TOKEN` has the scope `admin`.
 */
export async function operatorOf(
  authorization: string | null,
  adminToken: string,
  { db, nowMs }: { db: D1Database; nowMs: number },
): Promise<Operator | null> {
  const token = BEARER.exec(authorization ?? "")?.[1];
  if (token === undefined) return null;
  if (sameText(token, adminToken)) return { actor: FIRST_OPERATOR, scope: "admin" };
  if (!isPlausibleToken(token)) return null;
  const found = await findToken(db, await hashKey(token));
  if (found === null || found.revokedAtMs !== null) return null;
  await noteTokenUse(db, found, nowMs);
  return { actor: { kind: "operator", name: found.name }, scope: found.scope };
}
