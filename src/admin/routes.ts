/** The operator's API. The integrating app mounts it at `/admin`; `wire.ts` lists the routes. */
import { Hono } from "hono";
import { operatorOf } from "../access/admin-token.ts";
import { nowMs, settingsOf } from "../env.ts";
import { accountRoutes } from "./account-routes.ts";
import { backupRoutes } from "./backup-routes.ts";
import { calendarRoutes } from "./calendar-routes.ts";
import { changeRoutes } from "./change-routes.ts";
import { dayRoutes } from "./day-routes.ts";
import { doctorRoutes } from "./doctor-routes.ts";
import { type AdminContext, type AdminEnv, answer } from "./exchange.ts";
import { explainRoutes } from "./explain-routes.ts";
import { externalShareRoutes } from "./external-share-routes.ts";
import { fileRoutes } from "./file-routes.ts";
import { keyRoutes } from "./key-routes.ts";
import { planRoutes } from "./plan-routes.ts";
import { restoreRoutes } from "./restore-routes.ts";
import { scopeRefusal } from "./scopes.ts";
import { shareRoutes } from "./share-routes.ts";
import { auditRoutes, tokenRoutes } from "./token-routes.ts";

/**
 * All admin routes. Nothing behind them is reached without an operator's token whose scope opens the route
 * (`scopes.ts`); unknown paths are 404 only to those who have a token.
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
      return answer(c, { reason: "token_wrong" });
    }
    c.set("operator", operator);
    const refusal = scopeRefusal(c);
    return refusal === null ? next() : answer(c, refusal);
  });
  admin.route("/days", dayRoutes());
  admin.route("/changes", changeRoutes());
  admin.route("/calendar", calendarRoutes());
  admin.route("/accounts", accountRoutes());
  admin.route("/keys", keyRoutes());
  admin.route("/plans", planRoutes());
  admin.route("/files", fileRoutes());
  admin.route("/external", externalShareRoutes());
  admin.route("/shares", shareRoutes());
  admin.route("/doctor", doctorRoutes());
  admin.route("/backup", backupRoutes());
  admin.route("/restores", restoreRoutes());
  admin.route("/explain", explainRoutes());
  admin.route("/tokens", tokenRoutes());
  admin.route("/audit", auditRoutes());
  admin.all("*", (c) => answer(c, { reason: "absent", what: "such admin route" }));
  admin.onError(fault);
  return admin;
}

/** A fault: the operator learns that nothing is known, the log learns the rest. */
function fault(failure: Error, c: AdminContext): Response {
  // The route's pattern, not the path: an operator may have put a key where its id belongs.
  const { method, routePath } = c.req;
  console.error(JSON.stringify({ event: "admin_fault", method, routePath, failure: failure.stack }));
  return c.json(
    { error: "The service failed; its log has the cause. The same request may be sent again." },
    503,
  );
}
