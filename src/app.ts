/** Composes the routes of the service. The modules do not import each other's routes. */
import type { Hono } from "hono";
import { adminRoutes } from "./admin/routes.ts";
import { createApi, refused } from "./api.ts";
import { consoleRoutes } from "./console/routes.ts";
import { docsRoutes, lostFor } from "./docs/routes.ts";
import type { AppEnv } from "./http/request-log.ts";
import { assetAnswer } from "./pages/assets.ts";
import { shareRoutes } from "./shares/routes.ts";

/** Returns the app with all routes of the service. */
export function createApp(): Hono<AppEnv> {
  const app = createApi();
  app.get("/-assets/:name", (c) => assetAnswer(c.req.path, c.var.log.requestId) ?? c.notFound());
  // The path of an interface's request is never logged, because it may contain a secret.
  app.use("/admin/*", (c, next) => {
    c.var.log.note({ interface: "admin" });
    return next();
  });
  app.route("/admin", adminRoutes());
  app.route("/s", shareRoutes());
  app.route("/", consoleRoutes());
  app.route("/", docsRoutes());
  app.notFound((c) => {
    const refusal = refused(c, { reason: "not_found", path: c.req.path });
    return lostFor(c, refusal) ?? refusal;
  });
  return app;
}
