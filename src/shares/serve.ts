/** Answers of an open share: its folders, its two generated files, its files, WebDAV's questions. */
import { type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { calendarDays } from "../catalog/calendar-days.ts";
import { PAGE_POLICY } from "../pages/frame.tsx";
import { parseRange } from "./byte-range.ts";
import { conditionsOf, verdictOn } from "./conditional.ts";
import type { DriveDenial } from "./denial.ts";
import { download } from "./download.ts";
import { BY_SYMBOL, type DrivePath } from "./drive-path.ts";
import { driveHeaders, type Exchange } from "./exchange.ts";
import { httpDate } from "./http-date.ts";
import { contentTypeOf, disposition } from "./media.ts";
import type { OpenShare } from "./open-share.ts";
import { folderPage } from "./page/folder-page.tsx";
import { sharePage } from "./page/share-page.tsx";
import { lookFor } from "./refuse.ts";
import { type Resource, resourceAt } from "./resource.ts";
import { beginningOf } from "./versions.ts";

type RootResource = Extract<Resource, { kind: "root" }>;
type FolderResource = Extract<Resource, { kind: "folder" }>;
type TextResource = Extract<Resource, { kind: "text" }>;

/** Answers a `GET` or `HEAD` of `path`. */
export async function serve(
  exchange: Exchange,
  open: OpenShare,
  path: DrivePath,
): Promise<Response | DriveDenial> {
  const { door, log } = exchange;
  if ((path.kind === "day" || path.kind === "by_symbol") && !path.slash) {
    return movedTo(exchange, `${new URL(exchange.request.url).pathname}/`);
  }
  const place = { db: door.env.DB, open, nowMs: door.nowMs };
  const resource = await log.stage("d1", () => resourceAt(path, place));
  if (resource === null) return { reason: "not_found" };
  switch (resource.kind) {
    case "root":
      return page(exchange, await rootPage(exchange, open, resource));
    case "folder":
      return page(exchange, folderHtml(exchange, resource));
    case "text":
      return generated(exchange, resource);
    case "file":
      return download(exchange, resource.file);
  }
}

/** A redirect that keeps the method; `path` is absolute on this host. */
export function movedTo({ log }: Pick<Exchange, "log">, path: string): Response {
  return new Response(null, { status: 308, headers: driveHeaders(log.requestId, { Location: path }) });
}

function page({ method, log }: Exchange, html: string): Response {
  const headers = driveHeaders(log.requestId, {
    "Content-Security-Policy": PAGE_POLICY,
    "Content-Type": "text/html; charset=utf-8",
    Vary: "Accept-Language, Cookie",
  });
  return new Response(method === "HEAD" ? null : html, { status: 200, headers });
}

async function rootPage(exchange: Exchange, open: OpenShare, { files }: RootResource): Promise<string> {
  const { share, days, endMs } = open;
  const { year } = share;
  const { env, nowMs } = exchange.door;
  const calendar = await exchange.log.stage("d1", () =>
    calendarDays(env.DB, `${year}0101` as BeijingDate, `${year}1231` as BeijingDate),
  );
  return sharePage({
    look: lookFor(exchange),
    share,
    shareUrl: exchange.shareUrl,
    endMs,
    days,
    today: beijingDate(nowMs),
    files,
    open: new Map(calendar.map(({ day, open: trades }) => [day, trades])),
  });
}

function folderHtml(exchange: Exchange, { path, entries, hasBySymbol }: FolderResource): string {
  return folderPage({
    look: lookFor(exchange),
    path,
    root: "../".repeat(path.split("/").length - 1),
    entries,
    bySymbol: hasBySymbol ? `${path}${BY_SYMBOL}/600519.SH.parquet` : null,
  });
}

/**
 * The manifest or the sums. They are small and change from day to day, so a part of one version would not fit
 * the next: there are no ranges, and who wants to continue a part is refused, because wget would add the end of
 * the whole one to it. Their date does not show a withdrawal, so it decides nothing.
 */
function generated({ request, method, log }: Exchange, { name, text }: TextResource): Response | DriveDenial {
  const validators = { etag: text.etag, lastModifiedMs: text.lastModifiedMs };
  const conditions = { ...conditionsOf(request.headers), ifModifiedSince: null, ifUnmodifiedSince: null };
  const verdict = verdictOn(conditions, validators);
  if (verdict === "failed") return { reason: "condition_failed" };
  const asked = method === "GET" ? parseRange(request.headers.get("Range")) : null;
  const continues = asked !== null && beginningOf(method, asked) === null;
  if (continues && conditions.ifRange === null) return { reason: "no_ranges" };
  const headers = driveHeaders(log.requestId, {
    "Accept-Ranges": "none",
    "Content-Disposition": disposition(name),
    "Content-Type": contentTypeOf(name),
    ETag: text.etag,
    "Last-Modified": httpDate(text.lastModifiedMs),
  });
  if (verdict === "not_modified") return new Response(null, { status: 304, headers });
  headers.set("Content-Length", String(text.bytes.length));
  return new Response(method === "HEAD" ? null : text.bytes, { status: 200, headers });
}
