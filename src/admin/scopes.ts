/** Which scopes open which admin route, in one table. A route that is not in it is open to `admin` alone. */
import { matchedRoutes } from "hono/route";
import type { TokenScope } from "../entitlement/operators.ts";
import type { AdminContext } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";

type NarrowScope = Exclude<TokenScope, "admin">;

/** Where the integrating app mounts the admin routes. */
const MOUNTED_AT = "/admin";

const READ: readonly NarrowScope[] = ["read"];
const PUBLISH: readonly NarrowScope[] = ["publish"];
/** What publishing has to look at, and nothing of customers. */
const EITHER: readonly NarrowScope[] = ["read", "publish"];
const ADMIN_ONLY: readonly NarrowScope[] = [];

/**
 * The scopes beside `admin` that open a route, by method and path as the router has them. Backups are for `admin`:
 * they hold hashes of keys and encrypted passwords.
 */
export const ROUTE_SCOPES: Readonly<Record<string, readonly NarrowScope[]>> = {
  "GET /days": EITHER,
  "GET /days/adoptable": EITHER,
  "GET /days/built-before": EITHER,
  "GET /days/:date": EITHER,
  "POST /days/:date/withdraw": PUBLISH,
  "POST /days/:date/restore": PUBLISH,
  "POST /days/:date/publish": PUBLISH,
  "POST /days/:date/adopt": PUBLISH,
  "POST /days/:date/uploads": PUBLISH,
  "PUT /days/:date/uploads/:uploadId/parts/:n": PUBLISH,
  "POST /days/:date/uploads/:uploadId/complete": PUBLISH,
  "GET /changes": EITHER,
  "GET /calendar": EITHER,
  "PUT /calendar": PUBLISH,
  "GET /files/:type": EITHER,
  "POST /files/:type/:date/:name/uploads": PUBLISH,
  "PUT /files/:type/:date/:name/uploads/:uploadId/parts/:n": PUBLISH,
  "POST /files/:type/:date/:name/uploads/:uploadId/complete": PUBLISH,
  "POST /files/:type/:date/:name/publish": PUBLISH,
  "POST /files/:type/:date/:name/withdraw": PUBLISH,
  "GET /accounts": READ,
  "POST /accounts": ADMIN_ONLY,
  "GET /accounts/:id": READ,
  "POST /accounts/:id/keys": ADMIN_ONLY,
  "PUT /accounts/:id/subscriptions": ADMIN_ONLY,
  "POST /accounts/:id/subscriptions": ADMIN_ONLY,
  "POST /accounts/:id/subscriptions/extend": ADMIN_ONLY,
  "GET /accounts/:id/standing": READ,
  "POST /accounts/:id/credit": ADMIN_ONLY,
  "POST /accounts/:id/free": ADMIN_ONLY,
  "PUT /accounts/:id/contact": ADMIN_ONLY,
  "PUT /accounts/:id/limits": ADMIN_ONLY,
  "POST /accounts/:id/disable": ADMIN_ONLY,
  "POST /accounts/:id/sign-out": ADMIN_ONLY,
  "POST /accounts/:id/enable": ADMIN_ONLY,
  "POST /accounts/:id/invites": ADMIN_ONLY,
  "POST /keys/import": ADMIN_ONLY,
  "POST /keys/:keyId/roll": ADMIN_ONLY,
  "POST /keys/:keyId/revoke": ADMIN_ONLY,
  "GET /plans": READ,
  "PUT /plans": ADMIN_ONLY,
  "GET /external": READ,
  "PUT /external/:type/:year": ADMIN_ONLY,
  "POST /external/:type/:year/clear": ADMIN_ONLY,
  "GET /shares": READ,
  "GET /shares/secret": READ,
  "POST /shares/secret/rotate": ADMIN_ONLY,
  "POST /shares/:shareId/revoke": ADMIN_ONLY,
  "GET /doctor": READ,
  "POST /doctor/repair": ADMIN_ONLY,
  "GET /doctor/objects": READ,
  "POST /doctor/objects/delete": ADMIN_ONLY,
  "POST /doctor/scheduled": ADMIN_ONLY,
  "GET /doctor/index/:date": READ,
  "POST /doctor/index/:date/repair": ADMIN_ONLY,
  "GET /explain/:requestId": READ,
  "POST /explain": READ,
  "GET /backup": ADMIN_ONLY,
  "GET /backup/:table": ADMIN_ONLY,
  "POST /restores": ADMIN_ONLY,
  "POST /restores/sweep": ADMIN_ONLY,
  "PUT /restores/:id/chunks/:n": ADMIN_ONLY,
  "POST /restores/:id/objects": ADMIN_ONLY,
  "POST /restores/:id/complete": ADMIN_ONLY,
  "GET /tokens": READ,
  "POST /tokens": ADMIN_ONLY,
  "POST /tokens/:name/revoke": ADMIN_ONLY,
  "GET /audit": READ,
};

/** Returns why the operator's scope does not open the route of this request, or null when it does. */
export function scopeRefusal(c: AdminContext): AdminRefusal | null {
  const { scope } = c.get("operator");
  if (scope === "admin") return null;
  const route = matchedRoutes(c).findLast(({ method, path }) => method !== "ALL" && !path.includes("*"));
  // An unknown path: there is nothing to open.
  if (route === undefined) return null;
  const path = route.path.startsWith(`${MOUNTED_AT}/`) ? route.path.slice(MOUNTED_AT.length) : route.path;
  const opening = ROUTE_SCOPES[`${route.method} ${path}`] ?? ADMIN_ONLY;
  return opening.includes(scope) ? null : { reason: "scope_lacking", scope, needed: [...opening, "admin"] };
}
