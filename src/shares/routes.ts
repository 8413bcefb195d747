/**
 * Routes of the share drive, mounted at `/s`. Everything below a share's URL needs its password; a file can be read
 * only through a share that covers it at that moment.
 */

import { type Context, Hono } from "hono";
import { ok, type Result, refused } from "../base/result.ts";
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { calendarDays } from "../catalog/calendar-days.ts";
import { servedSpans } from "../catalog/days.ts";
import { nowMs as nowOf, settingsOf } from "../env.ts";
import type { AppEnv } from "../http/request-log.ts";
import { PAGE_POLICY } from "../pages/frame.tsx";
import { chooseLook } from "../pages/look.ts";
import { type DriveContext, driveHeaders } from "./context.ts";
import { callerOf, formPassword, isOwnForm, shareCookie } from "./credentials.ts";
import { download } from "./download.ts";
import { BY_SYMBOL, type DrivePath, drivePath, sharePath } from "./drive-path.ts";
import { type DriveDenial, lookFor, refuse, wantsPage } from "./drive-refusal.ts";
import { conditionsOf, contentTypeOf, disposition, httpDate, parseRange, verdictOn } from "./http-fields.ts";
import { type OpenShare, openShare, withPassword } from "./open-share.ts";
import { folderPage } from "./page/folder-page.tsx";
import { sharePage } from "./page/share-page.tsx";
import { type Resource, readAhead, resourceAt } from "./resource.ts";
import { beginningOf } from "./versions.ts";
import { ALLOWED, options, propfind } from "./webdav.ts";

const SHARE_ID = /^[0-9A-Za-z]{1,20}$/;

const READS = ["GET", "HEAD", "OPTIONS", "PROPFIND"];

/**
 * Returns all routes of the drive.
 *
 * @example app.route("/s", shareRoutes())
 */
export function shareRoutes(): Hono<AppEnv> {
  const drive = new Hono<AppEnv>();
  drive.all("/:share", answer);
  drive.all("/:share/*", answer);
  drive.onError(async (error, c) => {
    c.var.log.note({ fault: error.stack ?? String(error) });
    return refuse(await contextOf(c), { reason: "unavailable" });
  });
  return drive;
}

async function answer(c: Context<AppEnv>): Promise<Response> {
  const context = await contextOf(c);
  const result = await judge(context);
  return result.ok ? result.value : refuse(context, result.refusal);
}

/** Checks in order: the method, the scheme, the credentials, the share, the path. */
async function judge(context: DriveContext): Promise<Result<Response, DriveDenial>> {
  const { request, method, access } = context;
  if (method === "OPTIONS" && request.headers.has("Access-Control-Request-Method"))
    return ok(preflight(context));
  const url = new URL(request.url);
  const { rest } = sharePath(url.pathname);
  const isEntry = rest === "";
  const allowed = isEntry ? `${ALLOWED}, POST` : ALLOWED;
  if (!READS.includes(method) && !(isEntry && method === "POST")) {
    return refused({ reason: "method_not_allowed", allowed });
  }
  const isRead = method === "GET" || method === "HEAD";
  if (url.protocol === "http:" && context.shareUrl.startsWith("https:")) {
    if (!isRead) return refused({ reason: "https_needed" });
    return ok(movedTo(context, context.shareUrl + (rest ?? "") + url.search));
  }
  if (rest === null && isRead) return ok(movedTo(context, `${url.pathname}/${url.search}`));
  if (method === "POST") return enter(context);
  const chosen = method === "GET" && wantsPage(context) ? chooseLook(request, lookFor(context)) : null;
  if (chosen !== null) {
    const headers = driveHeaders(context.log.requestId, Object.fromEntries(chosen.headers));
    return ok(new Response(null, { status: chosen.status, headers }));
  }

  const path = drivePath(rest ?? "");
  const { env, shareId, nowMs } = access;
  const alongside = readAhead(env.DB, path, { shareId, nowMs });
  const opened = await context.log.stage("open", () => openShare(request, { ...access, alongside }));
  if (!opened.ok) return opened;
  const open = opened.value;
  context.log.note({ accountId: open.share.accountId });
  if (path === null) {
    return refused({ reason: "not_found", bySymbol: rest?.includes(`/${BY_SYMBOL}/`) ?? false });
  }
  context.log.note({ file: rest ?? "" });
  if (method === "OPTIONS") return ok(options(context));
  return method === "PROPFIND" ? propfind(context, open, path) : serve(context, open, path);
}

/** Answers a browser's preflight for another site's script; it reveals nothing about the share. */
function preflight({ log }: DriveContext): Response {
  const headers = driveHeaders(log.requestId, {
    "Access-Control-Allow-Methods": ALLOWED,
    // The wildcard does not cover Authorization.
    "Access-Control-Allow-Headers": "*, Authorization",
    "Access-Control-Max-Age": "86400",
  });
  return new Response(null, { status: 204, headers });
}

/** Handles the page's form: the right password sets a cookie that is valid for as long as the share. */
async function enter(context: DriveContext): Promise<Result<Response, DriveDenial>> {
  const { request, access, log } = context;
  if (!isOwnForm(request)) return refused({ reason: "form_foreign" });
  const open = await withPassword(await formPassword(request), access);
  if (!open.ok) return open;
  const { share, secret: signer, endMs } = open.value;
  const { shareId } = share;
  const secure = new URL(request.url).protocol === "https:";
  const headers = driveHeaders(log.requestId, {
    Location: `/s/${shareId}/`,
    "Set-Cookie": shareCookie(signer, { shareId, nowMs: access.nowMs, endMs, secure }),
  });
  return ok(new Response(null, { status: 303, headers }));
}

async function contextOf(c: Context<AppEnv>): Promise<DriveContext> {
  const settings = settingsOf(c.env);
  const request = c.req.raw;
  const url = new URL(request.url);
  const { shareId } = sharePath(url.pathname);
  const { SHARE_SECRET, PUBLIC_BASE_URL } = settings;
  const caller = callerOf(request.headers, SHARE_SECRET.secrets.get(SHARE_SECRET.current) ?? "");
  const { log, language } = c.var;
  log.note({ interface: "share", address: caller.address });
  // A caller may have put the password in place of the id. It is longer, so only text of an id's length is logged.
  if (SHARE_ID.test(shareId)) log.note({ share: shareId });
  return {
    request,
    method: request.method,
    language,
    log,
    access: { env: c.env, settings, nowMs: nowOf(settings), shareId, caller, alongside: null },
    shareUrl: `${PUBLIC_BASE_URL ?? url.origin}/s/${shareId}/`,
    waitUntil: (work) => c.executionCtx.waitUntil(work),
  };
}

type RootResource = Extract<Resource, { kind: "root" }>;
type FolderResource = Extract<Resource, { kind: "folder" }>;
type TextResource = Extract<Resource, { kind: "text" }>;

/** Answers a `GET` or `HEAD` of `path`. */
async function serve(
  context: DriveContext,
  open: OpenShare,
  path: DrivePath,
): Promise<Result<Response, DriveDenial>> {
  const { access, log } = context;
  if ((path.kind === "day" || path.kind === "by_symbol") && !path.slash) {
    return ok(movedTo(context, `${new URL(context.request.url).pathname}/`));
  }
  const place = { db: access.env.DB, open, nowMs: access.nowMs };
  const resource = await log.stage("d1", () => resourceAt(path, place));
  if (resource === null) return refused({ reason: "not_found" });
  switch (resource.kind) {
    case "root":
      return ok(page(context, await rootPage(context, open, resource)));
    case "folder":
      return ok(page(context, folderHtml(context, resource)));
    case "text":
      return generated(context, resource);
    case "file":
      return download(
        { ...context, owner: { accountId: open.share.accountId, service: open.share.dataType } },
        resource.file,
      );
  }
}

/** Returns a redirect that keeps the method; `path` is an absolute path or URL. */
function movedTo({ log }: Pick<DriveContext, "log">, path: string): Response {
  return new Response(null, { status: 308, headers: driveHeaders(log.requestId, { Location: path }) });
}

function page({ method, log }: DriveContext, html: string): Response {
  const headers = driveHeaders(log.requestId, {
    "Content-Security-Policy": PAGE_POLICY,
    "Content-Type": "text/html; charset=utf-8",
    Vary: "Accept-Language, Cookie",
  });
  return new Response(method === "HEAD" ? null : html, { status: 200, headers });
}

async function rootPage(context: DriveContext, open: OpenShare, { files }: RootResource): Promise<string> {
  const { share, days, endMs } = open;
  const { year } = share;
  const { env, nowMs } = context.access;
  const [calendar, { earliest }] = await context.log.stage("d1", () =>
    Promise.all([
      calendarDays(env.DB, `${year}0101` as BeijingDate, `${year}1231` as BeijingDate),
      servedSpans(env.DB),
    ]),
  );
  return sharePage({
    look: lookFor(context),
    share,
    shareUrl: context.shareUrl,
    endMs,
    days,
    today: beijingDate(nowMs),
    files,
    open: new Map(calendar.map(({ day, open: trades }) => [day, trades])),
    earliest,
  });
}

function folderHtml(context: DriveContext, { path, entries, bySymbol }: FolderResource): string {
  return folderPage({
    look: lookFor(context),
    path,
    root: "../".repeat(path.split("/").length - 1),
    entries,
    shareUrl: context.shareUrl,
    shareId: context.access.shareId,
    bySymbol,
  });
}

/**
 * Serves the manifest or the checksums. They are small and change daily, so they are served without ranges. A request
 * that resumes a partial download is refused, because wget would append the end of the new version to the part of the
 * old one. The modification date can stay the same when a file is withdrawn, so conditions on the date are ignored.
 */
function generated(
  { request, method, log }: DriveContext,
  { name, text }: TextResource,
): Result<Response, DriveDenial> {
  const validators = { etag: text.etag, lastModifiedMs: text.lastModifiedMs };
  const conditions = { ...conditionsOf(request.headers), ifModifiedSince: null, ifUnmodifiedSince: null };
  const verdict = verdictOn(conditions, validators);
  if (verdict === "failed") return refused({ reason: "condition_failed" });
  const asked = method === "GET" ? parseRange(request.headers.get("Range")) : null;
  const continues = asked !== null && beginningOf(method, asked) === null;
  if (continues && conditions.ifRange === null) return refused({ reason: "no_ranges" });
  const headers = driveHeaders(log.requestId, {
    "Accept-Ranges": "none",
    "Content-Disposition": disposition(name),
    "Content-Type": contentTypeOf(name),
    ETag: text.etag,
    "Last-Modified": httpDate(text.lastModifiedMs),
  });
  if (verdict === "not_modified") return ok(new Response(null, { status: 304, headers }));
  headers.set("Content-Length", String(text.bytes.length));
  return ok(new Response(method === "HEAD" ? null : text.bytes, { status: 200, headers }));
}
