/**
 * The share drive. The integrating app mounts it at `/s`. Everything below a share's address needs its
 * password; a file is reached only through a share that covers it at that moment.
 */
import { type Context, Hono } from "hono";
import { type Env, nowMs as nowOf, settingsOf } from "../env.ts";
import { chooseLook } from "../pages/look.ts";
import { callerOf } from "./address.ts";
import { formPassword, isOwnForm, shareCookie } from "./credentials.ts";
import type { DriveDenial } from "./denial.ts";
import { readAhead } from "./drive-file.ts";
import { BY_SYMBOL, drivePath, sharePath } from "./drive-path.ts";
import { type DriveLog, driveHeaders, type Exchange, type Language } from "./exchange.ts";
import { openShare, withPassword } from "./open-share.ts";
import { options, propfind } from "./propfind.ts";
import { lookFor, refuse, wantsPage } from "./refuse.ts";
import { movedTo, serve } from "./serve.ts";
import { ALLOWED } from "./webdav.ts";

/** The app around the drive opens the log and reads the language that messages are to be in. */
export type DriveEnv = { Bindings: Env; Variables: { log: DriveLog; language: Language } };

/** What can be the id of a share. */
const SHARE_ID = /^[0-9A-Za-z]{1,20}$/;

const READS = ["GET", "HEAD", "OPTIONS", "PROPFIND"];

/**
 * All routes of the drive.
 *
 * @example app.route("/s", shareRoutes())
 */
export function shareRoutes(): Hono<DriveEnv> {
  const drive = new Hono<DriveEnv>();
  drive.all("/:share", answer);
  drive.all("/:share/*", answer);
  drive.onError(async (error, c) => {
    c.var.log.note({ fault: error.stack ?? String(error) });
    return refuse(await exchangeOf(c), { reason: "unavailable" });
  });
  return drive;
}

async function answer(c: Context<DriveEnv>): Promise<Response> {
  const exchange = await exchangeOf(c);
  const result = await judge(exchange);
  if ("reason" in result) return refuse(exchange, result);
  return result;
}

/** The order of checks: what is asked at all, where, who asks, for what. */
async function judge(exchange: Exchange): Promise<Response | DriveDenial> {
  const { request, method, door } = exchange;
  if (method === "OPTIONS" && request.headers.has("Access-Control-Request-Method"))
    return preflight(exchange);
  const url = new URL(request.url);
  const { rest } = sharePath(url.pathname);
  const isEntry = rest === "";
  const allowed = isEntry ? `${ALLOWED}, POST` : ALLOWED;
  if (!READS.includes(method) && !(isEntry && method === "POST")) {
    return { reason: "method_not_allowed", allowed };
  }
  const isRead = method === "GET" || method === "HEAD";
  if (url.protocol === "http:" && exchange.shareUrl.startsWith("https:")) {
    if (!isRead) return { reason: "https_needed" };
    return movedTo(exchange, exchange.shareUrl + (rest ?? "") + url.search);
  }
  if (rest === null && isRead) return movedTo(exchange, `${url.pathname}/${url.search}`);
  if (method === "POST") return enter(exchange);
  const chosen = method === "GET" && wantsPage(exchange) ? chooseLook(request, lookFor(exchange)) : null;
  if (chosen !== null)
    return new Response(null, {
      status: chosen.status,
      headers: driveHeaders(exchange.log.requestId, Object.fromEntries(chosen.headers)),
    });

  const path = drivePath(rest ?? "");
  const { env, shareId, nowMs } = door;
  const alongside = readAhead(env.DB, path, { shareId, nowMs });
  const open = await exchange.log.stage("open", () => openShare(request, { ...door, alongside }));
  if ("reason" in open) return open;
  exchange.log.note({ accountId: open.share.accountId });
  if (path === null) return { reason: "not_found", bySymbol: rest?.includes(`/${BY_SYMBOL}/`) ?? false };
  exchange.log.note({ file: rest ?? "" });
  if (method === "OPTIONS") return options(exchange);
  return method === "PROPFIND" ? propfind(exchange, open, path) : serve(exchange, open, path);
}

/** A browser asks this before another site's script may send the password or a range; it tells nothing. */
function preflight({ log }: Exchange): Response {
  const headers = driveHeaders(log.requestId, {
    "Access-Control-Allow-Methods": ALLOWED,
    // A wildcard does not stand for Authorization.
    "Access-Control-Allow-Headers": "*, Authorization",
    "Access-Control-Max-Age": "86400",
  });
  return new Response(null, { status: 204, headers });
}

/** The form of the page: a right password becomes a cookie that holds as long as the share. */
async function enter(exchange: Exchange): Promise<Response | DriveDenial> {
  const { request, door, log } = exchange;
  if (!isOwnForm(request)) return { reason: "form_foreign" };
  const open = await withPassword(await formPassword(request), door);
  if ("reason" in open) return open;
  const { shareId } = open.share;
  const secure = new URL(request.url).protocol === "https:";
  const headers = driveHeaders(log.requestId, {
    Location: `/s/${shareId}/`,
    "Set-Cookie": await shareCookie(open.secret, { shareId, nowMs: door.nowMs, endMs: open.endMs, secure }),
  });
  return new Response(null, { status: 303, headers });
}

async function exchangeOf(c: Context<DriveEnv>): Promise<Exchange> {
  const settings = settingsOf(c.env);
  const request = c.req.raw;
  const url = new URL(request.url);
  const { shareId } = sharePath(url.pathname);
  const { SHARE_SECRET, PUBLIC_BASE_URL } = settings;
  const caller = await callerOf(request.headers, SHARE_SECRET.secrets.get(SHARE_SECRET.current) ?? "");
  const { log, language } = c.var;
  log.note({ interface: "share", address: caller.address });
  // Somebody may have put a password where the id belongs; it is longer.
  if (SHARE_ID.test(shareId)) log.note({ share: shareId });
  return {
    request,
    method: request.method,
    language,
    log,
    door: { env: c.env, settings, nowMs: nowOf(settings), shareId, caller, alongside: null },
    shareUrl: `${PUBLIC_BASE_URL ?? url.origin}/s/${shareId}/`,
    waitUntil: (work) => c.executionCtx.waitUntil(work),
  };
}
