/** The operators' API and the scopes of its routes. The app mounts it at `/admin`; `wire.ts` lists the routes. */
import { Hono } from "hono";
import { matchedRoutes } from "hono/route";
import { operatorOf } from "../access/admin-token.ts";
import { refused } from "../base/result.ts";
import type { TokenScope } from "../entitlement/operators.ts";
import { nowMs, settingsOf } from "../env.ts";
import { accountRoutes, planRoutes, usageRoutes } from "./account-routes.ts";
import { backupRoutes, restoreRoutes } from "./backup-routes.ts";
import { type AdminContext, type AdminEnv, answer } from "./context.ts";
import { calendarRoutes, changeRoutes, dayRoutes } from "./day-routes.ts";
import { doctorRoutes } from "./doctor-routes.ts";
import { explainRoutes } from "./explain-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import type { AdminRefusal } from "./refusal.ts";
import { externalShareRoutes, shareRoutes } from "./share-routes.ts";
import { auditRoutes, tokenRoutes } from "./token-routes.ts";

/**
 * Returns all admin routes. Every route requires an operator's token with a permitted scope (`ROUTE_SCOPES`); unknown
 * paths return 404 only to callers with a token.
 *
 * @example app.route("/admin", adminRoutes())
 */
export function adminRoutes(): Hono<AdminEnv> {
  const admin = new Hono<AdminEnv>();
  admin.use("*", async function requireToken(c, next) {
    c.header("Cache-Control", "no-store");
    const authorization = c.req.header("Authorization") ?? null;
    const settings = settingsOf(c.env);
    const asked = { db: c.env.DB, nowMs: nowMs(settings) };
    const operator = await operatorOf(authorization, settings.ADMIN_TOKEN, asked);
    if (operator === null) {
      c.header("WWW-Authenticate", "Bearer");
      return answer(c, refused({ reason: "token_wrong" }));
    }
    c.set("operator", operator);
    const refusal = scopeRefusal(c);
    return refusal === null ? next() : answer(c, refused(refusal));
  });
  admin.route("/days", dayRoutes());
  admin.route("/changes", changeRoutes());
  admin.route("/calendar", calendarRoutes());
  admin.route("/accounts", accountRoutes());
  admin.route("/keys", keyRoutes());
  admin.route("/plans", planRoutes());
  admin.route("/usage", usageRoutes());
  admin.route("/files", fileRoutes());
  admin.route("/external", externalShareRoutes());
  admin.route("/shares", shareRoutes());
  admin.route("/doctor", doctorRoutes());
  admin.route("/backup", backupRoutes());
  admin.route("/restores", restoreRoutes());
  admin.route("/explain", explainRoutes());
  admin.route("/tokens", tokenRoutes());
  admin.route("/audit", auditRoutes());
  admin.all("*", (c) => answer(c, refused({ reason: "absent", what: "such admin route" })));
  admin.onError(fault);
  return admin;
}

/** Answers a fault with a generic message; the log has the details. */
function fault(failure: Error, c: AdminContext): Response {
  // Logs the route's pattern instead of the path, because a caller may have put a key where an id belongs.
  const { method, routePath } = c.req;
  console.error(JSON.stringify({ event: "admin_fault", method, routePath, failure: failure.stack }));
  return c.json(
    { error: "The service failed; its log has the cause. The same request may be sent again." },
    503,
  );
}

type NarrowScope = Exclude<TokenScope, "admin">;

/** The path at which the app mounts the admin routes. */
const MOUNTED_AT = "/admin";

const READ: readonly NarrowScope[] = ["read"];
const PUBLISH: readonly NarrowScope[] = ["publish"];
/** For routes that a publisher also reads. Their answers contain no customer data. */
const EITHER: readonly NarrowScope[] = ["read", "publish"];
const ADMIN_ONLY: readonly NarrowScope[] = [];

/**
 * Scopes in addition to `admin` that permit a route, by method and path pattern. Backups need `admin`, because they
 * contain hashes of keys and encrypted passwords.
 */
export const ROUTE_SCOPES: Readonly<Record<string, readonly NarrowScope[]>> = {
  "GET /days": EITHER,
  "GET /days/adoptable": EITHER,
  "GET /days/built-before": EITHER,
  "GET /days/datasets": EITHER,
  "GET /days/loaded": EITHER,
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
  "GET /usage": READ,
  "GET /external": READ,
  "PUT /external/:type/:year": ADMIN_ONLY,
  "POST /external/:type/:year/clear": ADMIN_ONLY,
  "GET /shares": READ,
  "GET /shares/secret": READ,
  "POST /shares/secret/rotate": ADMIN_ONLY,
  "POST /shares/:shareId/revoke": ADMIN_ONLY,
  "GET /doctor": READ,
  "GET /doctor/place": READ,
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

/** Returns the refusal when the operator's scope does not permit the route of this request, or null. */
function scopeRefusal(c: AdminContext): AdminRefusal | null {
  const { scope } = c.get("operator");
  if (scope === "admin") return null;
  const route = matchedRoutes(c).findLast(({ method, path }) => method !== "ALL" && !path.includes("*"));
  // An unknown path needs no scope.
  if (route === undefined) return null;
  const path = route.path.startsWith(`${MOUNTED_AT}/`) ? route.path.slice(MOUNTED_AT.length) : route.path;
  const opening = ROUTE_SCOPES[`${route.method} ${path}`] ?? ADMIN_ONLY;
  return opening.includes(scope) ? null : { reason: "scope_lacking", scope, needed: [...opening, "admin"] };
}
