/** The operators' API. The app mounts it at `/admin`. */
import { Hono } from "hono";
import { operatorOf } from "../access/admin-token.ts";
import { refused } from "../base/result.ts";
import type { TokenScope } from "../entitlement/operators.ts";
import { nowMs, settingsOf } from "../env.ts";
import { ACCOUNT_ROUTES } from "./account-routes.ts";
import { BACKUP_ROUTES } from "./backup-routes.ts";
import type { AdminContext, AdminEnv, Routes } from "./context.ts";
import { DAY_ROUTES } from "./day-routes.ts";
import { DOCTOR_ROUTES } from "./doctor-routes.ts";
import { EXPLAIN_ROUTES } from "./explain-routes.ts";
import { FILE_ROUTES } from "./file-routes.ts";
import { type Answered, describeRefusal } from "./refusal.ts";
import { SHARE_ROUTES } from "./share-routes.ts";
import { TOKEN_ROUTES } from "./token-routes.ts";
import type { AdminError } from "./wire.ts";

/** All routes of the operators' API. */
export const ROUTES: Routes = {
  ...DAY_ROUTES,
  ...ACCOUNT_ROUTES,
  ...FILE_ROUTES,
  ...SHARE_ROUTES,
  ...DOCTOR_ROUTES,
  ...BACKUP_ROUTES,
  ...EXPLAIN_ROUTES,
  ...TOKEN_ROUTES,
};

/**
 * Returns the app of all `ROUTES`. Every route requires an operator's token with a permitted scope. An unknown path
 * returns 404 to callers with a valid token and 401 to all others.
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
    return next();
  });
  for (const [route, [scopes, handle, status]] of Object.entries(ROUTES)) {
    const [method = "", path = ""] = route.split(" ");
    const needed = [...new Set([...scopes.split(" "), "admin"])] as TokenScope[];
    admin.on(method, path, async (c) => {
      const { scope } = c.get("operator");
      if (needed.includes(scope)) return answer(c, await handle(c), status);
      return answer(c, refused({ reason: "scope_lacking", scope, needed }));
    });
  }
  admin.all("*", (c) => answer(c, refused({ reason: "absent", what: "such admin route" })));
  admin.onError(fault);
  return admin;
}

/** Returns the response for `result`: a value as JSON with `status`, a refusal with the status of its reason. */
function answer(c: AdminContext, result: Answered<object>, status: 200 | 201 = 200): Response {
  if (result.ok) return c.json(result.value, status);
  const { status: refusedWith, error } = describeRefusal(result.refusal);
  const body: AdminError = { error, reason: result.refusal.reason };
  return c.json(body, refusedWith);
}

/** Logs an unexpected error with its details, and responds with a generic message. */
function fault(failure: Error, c: AdminContext): Response {
  // Logs the route's pattern instead of the path, because a caller may have put a key where an id belongs.
  const { method, routePath } = c.req;
  console.error(JSON.stringify({ event: "admin_fault", method, routePath, failure: failure.stack }));
  return c.json(
    { error: "The service failed; its log has the cause. The same request may be sent again." },
    503,
  );
}
