/** Composes the service's routes. The modules do not import each other; they are joined here. */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { adminRoutes } from "./admin/routes.ts";
import { type Language, preferredLanguage } from "./base/language.ts";
import { newRequestId } from "./base/request-id.ts";
import { consoleRoutes } from "./console/routes.ts";
import { docsRoutes, lostFor } from "./docs/routes.ts";
import { type Env, nowMs, settingsOf } from "./env.ts";
import type { Denial } from "./http/denial.ts";
import { oversized } from "./http/envelope.ts";
import { preflight } from "./http/headers.ts";
import { outcomeOf } from "./http/outcome.ts";
import { openRequestLog, type RequestLog } from "./http/request-log.ts";
import { refuse } from "./http/respond.ts";
import { healthOf } from "./operations/health.ts";
import { serveApi } from "./operations/serve-api.ts";
import { assetAnswer } from "./pages/assets.ts";
import { shareRoutes } from "./shares/routes.ts";

type AppEnv = { Bindings: Env; Variables: { log: RequestLog; language: Language } };

/** Returns the service with every route of every module. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(logged);
  // Both spellings of the path are served: a redirect would turn a POST into a GET.
  for (const path of ["/api", "/api/"]) {
    app.post(path, api);
    app.options(path, (c) => preflight(c.var.log.requestId));
    app.all(path, (c) => refused(c, { reason: "method_not_allowed", method: c.req.method }));
  }
  app.get("/health", health);
  app.get("/-assets/:name", (c) => assetAnswer(c.req.path, c.var.log.requestId) ?? c.notFound());
  app.use("/admin/*", interfaceNamed("admin"));
  app.route("/admin", adminRoutes());
  app.route("/s", shareRoutes());
  app.route("/", consoleRoutes());
  app.route("/", docsRoutes());
  app.notFound((c) => {
    const refusal = refused(c, { reason: "not_found", path: c.req.path });
    return lostFor(c, refusal) ?? refusal;
  });
  app.onError((error, c) => {
    c.var.log.note({ fault: error.stack ?? String(error) });
    return refused(c, { reason: "unavailable" });
  });
  return app;
}

/** Assigns the request id and writes the request log line when the request or its body has ended. */
const logged = createMiddleware<AppEnv>(async (c, next) => {
  const log = openRequestLog(newRequestId());
  c.set("log", log);
  c.set("language", "both");
  const denial = oversized(c.req.raw);
  if (denial === null) {
    c.set("language", preferredLanguage(c.req.header("Accept-Language") ?? null));
    await next();
  } else c.res = refused(c, denial);
  log.note({ status: c.res.status });
  log.write();
});

/**
 * Sets the interface name in the log for a module's routes. The path is never logged, because it may contain a secret.
 */
function interfaceNamed(name: string) {
  return createMiddleware<AppEnv>(async (c, next) => {
    c.var.log.note({ interface: name });
    await next();
  });
}

async function api(c: Context<AppEnv>): Promise<Response> {
  const settings = settingsOf(c.env);
  const { log } = c.var;
  return serveApi(c.req.raw, {
    env: c.env,
    settings,
    ctx: c.executionCtx,
    requestId: log.requestId,
    origin: new URL(c.req.url).origin,
    nowMs: nowMs(settings),
    signal: c.req.raw.signal,
    log,
  });
}

async function health(c: Context<AppEnv>): Promise<Response> {
  const asked = { origin: new URL(c.req.url).origin, nowMs: Date.now() };
  const answer = await healthOf(c.env, settingsOf(c.env), asked);
  const status = answer.status === "ok" ? 200 : 503;
  c.var.log.note({ interface: "health", code: status });
  return c.json(answer, status, { "Cache-Control": "no-store" });
}

function refused(c: Context<AppEnv>, denial: Denial): Response {
  const { log } = c.var;
  const { code, reason } = outcomeOf(denial);
  log.note({ code, reason });
  return refuse(denial, { requestId: log.requestId, language: c.var.language, format: "json" });
}
