/**
 * Routes of the share drive, mounted at `/s`. Everything below a share's URL needs its password; a file can be read
 * only through a share that covers it at that moment.
 */

import { type Context, Hono } from "hono";
import { ok, type Result, refused } from "../base/result.ts";
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { calendarDays } from "../catalog/calendar-days.ts";
import { servedSpans } from "../catalog/days.ts";
import type { ListedFile } from "../catalog/files.ts";
import { nowMs as nowOf, settingsOf } from "../env.ts";
import type { AppEnv } from "../http/request-log.ts";
import { PAGE_POLICY } from "../pages/frame.tsx";
import { chooseLook, lookOf } from "../pages/look.ts";
import { type DriveContext, driveAnswer } from "./context.ts";
import { callerOf, formPassword, isOwnForm, shareCookie } from "./credentials.ts";
import { download } from "./download.ts";
import { BY_SYMBOL, type DrivePath, drivePath, sharePath } from "./drive-path.ts";
import { type DriveDenial, refuse, wantsPage } from "./drive-refusal.ts";
import * as fields from "./http-fields.ts";
import { type OpenShare, openShare, withPassword } from "./open-share.ts";
import { folderPage } from "./page/pages.tsx";
import { sharePage } from "./page/share-page.tsx";
import { type GeneratedText, readAhead, resourceAt } from "./resource.ts";
import { ALLOWED, options, propfind } from "./webdav.ts";

const SHARE_ID = /^[0-9A-Za-z]{1,20}$/;

/**
 * Returns all routes of the drive.
 *
 * @example app.route("/s", shareRoutes())
 */
export function shareRoutes(): Hono<AppEnv> {
  const drive = new Hono<AppEnv>();
  drive.all("/:share", answer);
  drive.all("/:share/*", answer);
  drive.onError((error, c) => {
    c.var.log.note({ fault: error.stack ?? String(error) });
    return refuse(contextOf(c), { reason: "unavailable" });
  });
  return drive;
}

async function answer(c: Context<AppEnv>): Promise<Response> {
  const context = contextOf(c);
  const result = await judge(context);
  return result.ok ? result.value : refuse(context, result.refusal);
}

/** Checks in order: the method, the scheme, the credentials, the share, the path. */
async function judge(context: DriveContext): Promise<Result<Response, DriveDenial>> {
  const { request, access } = context;
  const { method } = request;
  if (method === "OPTIONS" && request.headers.has("Access-Control-Request-Method"))
    return ok(preflight(context));
  const url = new URL(request.url);
  const { rest } = sharePath(url.pathname);
  const isEntry = rest === "";
  const allowed = isEntry ? `${ALLOWED}, POST` : ALLOWED;
  if (!ALLOWED.split(", ").includes(method) && !(isEntry && method === "POST")) {
    return refused({ reason: "method_not_allowed", allowed });
  }
  const isRead = method === "GET" || method === "HEAD";
  if (url.protocol === "http:" && context.shareUrl.startsWith("https:")) {
    if (!isRead) return refused({ reason: "https_needed" });
    return ok(movedTo(context, context.shareUrl + (rest ?? "") + url.search));
  }
  if (rest === null && isRead) return ok(movedTo(context, `${url.pathname}/${url.search}`));
  if (method === "POST") return enter(context);
  const chosen = method === "GET" && wantsPage(request) ? chooseLook(request, context.look) : null;
  if (chosen !== null) {
    return ok(driveAnswer(context, chosen.status, null, Object.fromEntries(chosen.headers)));
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
function preflight(context: DriveContext): Response {
  return driveAnswer(context, 204, null, {
    "Access-Control-Allow-Methods": ALLOWED,
    // The wildcard does not cover Authorization.
    "Access-Control-Allow-Headers": "*, Authorization",
    "Access-Control-Max-Age": "86400",
  });
}

/** Handles the page's form: the right password sets a cookie that is valid for as long as the share. */
async function enter(context: DriveContext): Promise<Result<Response, DriveDenial>> {
  const { request, access } = context;
  if (!isOwnForm(request)) return refused({ reason: "form_foreign" });
  const open = await withPassword(await formPassword(request), access);
  if (!open.ok) return open;
  const { share, secret: signer, endMs } = open.value;
  const { shareId } = share;
  const secure = new URL(request.url).protocol === "https:";
  const cookie = shareCookie(signer, { shareId, nowMs: access.nowMs, endMs, secure });
  return ok(driveAnswer(context, 303, null, { Location: `/s/${shareId}/`, "Set-Cookie": cookie }));
}

function contextOf(c: Context<AppEnv>): DriveContext {
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
    language,
    look: lookOf(request, language),
    log,
    access: { env: c.env, settings, nowMs: nowOf(settings), shareId, caller, alongside: null },
    shareUrl: `${PUBLIC_BASE_URL ?? url.origin}/s/${shareId}/`,
    waitUntil: (work) => c.executionCtx.waitUntil(work),
  };
}

/** Answers a `GET` or `HEAD` of `path`. */
async function serve(
  context: DriveContext,
  open: OpenShare,
  path: DrivePath,
): Promise<Result<Response, DriveDenial>> {
  const { request, look, access, shareUrl } = context;
  if ((path.kind === "day" || path.kind === "by_symbol") && !path.slash) {
    return ok(movedTo(context, `${new URL(request.url).pathname}/`));
  }
  const resource = await context.log.stage("d1", () => resourceAt(path, open));
  if (resource === null) return refused({ reason: "not_found" });
  switch (resource.kind) {
    case "root":
      return ok(page(context, await rootPage(context, open, resource.files)));
    case "folder": {
      const { entries, bySymbol } = resource;
      const { shareId } = access;
      return ok(
        page(context, folderPage({ look, path: resource.path, entries, shareUrl, shareId, bySymbol })),
      );
    }
    case "text":
      return generated(context, resource.text);
    case "file": {
      const owner = { accountId: open.share.accountId, service: open.share.dataType };
      return download({ ...context, owner }, resource.file);
    }
  }
}

/** Returns a redirect that keeps the method; `path` is an absolute path or URL. */
function movedTo(context: DriveContext, path: string): Response {
  return driveAnswer(context, 308, null, { Location: path });
}

function page(context: DriveContext, html: string): Response {
  return driveAnswer(context, 200, html, {
    "Content-Security-Policy": PAGE_POLICY,
    "Content-Type": "text/html; charset=utf-8",
    Vary: "Accept-Language, Cookie",
  });
}

async function rootPage(
  { look, shareUrl, log }: DriveContext,
  { share, days, endMs, db, nowMs }: OpenShare,
  files: ListedFile[],
): Promise<string> {
  const [first, last] = [`${share.year}0101`, `${share.year}1231`] as [BeijingDate, BeijingDate];
  const [calendar, { earliest }] = await log.stage("d1", () =>
    Promise.all([calendarDays(db, first, last), servedSpans(db)]),
  );
  const open = new Map(calendar.map(({ day, open: trades }) => [day, trades]));
  const today = beijingDate(nowMs);
  return sharePage({ look, share, shareUrl, endMs, days, today, files, open, earliest });
}

/**
 * Serves the manifest or the checksums. They are small and change daily, so they are served without ranges. A request
 * that resumes a partial download is refused, because wget would append the end of the new version to the part of the
 * old one. The modification date can stay the same when a file is withdrawn, so conditions on the date are ignored.
 */
function generated(context: DriveContext, text: GeneratedText): Result<Response, DriveDenial> {
  const { method, headers } = context.request;
  const conditions = { ...fields.conditionsOf(headers), ifModifiedSince: null, ifUnmodifiedSince: null };
  const verdict = fields.verdictOn(conditions, text);
  if (verdict === "failed") return refused({ reason: "condition_failed" });
  const asked = method === "GET" ? fields.parseRange(headers.get("Range")) : null;
  const continues = fields.beginningOf(method, asked) === null;
  if (continues && conditions.ifRange === null) return refused({ reason: "no_ranges" });
  const described = {
    "Accept-Ranges": "none",
    "Content-Disposition": fields.disposition(text.name),
    "Content-Type": fields.contentTypeOf(text.name),
    ETag: text.etag,
    "Last-Modified": fields.httpDate(text.lastModifiedMs),
  };
  if (verdict === "not_modified") return ok(driveAnswer(context, 304, null, described));
  return ok(
    driveAnswer(context, 200, text.bytes, { ...described, "Content-Length": String(text.sizeBytes) }),
  );
}
