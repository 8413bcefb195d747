/**
 * The routes that an isolate loads when it starts, `/api` and `/health`, and the middleware of all requests.
 * `worker.ts` loads all other routes at the first request for one of them, so this module must not import them.
 */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { preferredLanguage } from "./base/language.ts";
import { newRequestId } from "./base/request-id.ts";
import { type Env, nowMs, settingsOf } from "./env.ts";
import type { Denial } from "./http/denial.ts";
import { oversized } from "./http/envelope.ts";
import { outcomeOf } from "./http/outcome.ts";
import { type AppEnv, openRequestLog } from "./http/request-log.ts";
import { preflight, refuse } from "./http/respond.ts";
import { healthOf } from "./operations/health.ts";
import { serveApi } from "./operations/serve-api.ts";

// Both spellings of the path are served, because a redirect would turn a POST into a GET.
const API_PATHS = ["/api", "/api/"];
const HEALTH_PATH = "/health";

/** Returns whether `createApi` has a route for `request`. */
export function isForApi(request: Request): boolean {
  const { pathname } = new URL(request.url);
  return pathname === HEALTH_PATH || API_PATHS.includes(pathname);
}

/** Returns an app with the routes `/api` and `/health`, the request log, the error handling and the header limits. */
export function createApi(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(logged);
  for (const path of API_PATHS) {
    app.post(path, api);
    app.options(path, (c) => preflight(c.var.log.requestId));
    app.all(path, (c) => refused(c, { reason: "method_not_allowed", method: c.req.method }));
  }
  app.get(HEALTH_PATH, health);
  app.notFound((c) => refused(c, { reason: "not_found", path: c.req.path }));
  app.onError((error, c) => {
    c.var.log.note({ fault: error.stack ?? String(error) });
    return refused(c, { reason: "unavailable" });
  });
  return app;
}

/** Assigns the request id and writes the request log line when the request or its body has ended. */
const logged = createMiddleware<AppEnv>(async (c, next) => {
  const log = openRequestLog(newRequestId(), { successShare: () => successShareOf(c.env) });
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

/** Returns the share of successful requests to log; 1 while a setting is invalid. */
function successShareOf(env: Env): number {
  try {
    return settingsOf(env).LOG_SUCCESS_SHARE;
  } catch {
    return 1;
  }
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

/** Returns the answer to a refused request, and records the refusal in the request log line. */
export function refused(c: Context<AppEnv>, denial: Denial): Response {
  const { log } = c.var;
  const { code, reason } = outcomeOf(denial);
  log.note({ code, reason });
  return refuse(denial, { requestId: log.requestId, language: c.var.language, format: "json" });
}
