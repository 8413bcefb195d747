/** Serves a file's bytes, on condition that the object is still the one that the catalog names. */
import { ok, type Result, refused } from "../base/result.ts";
import { beijingDate } from "../calendar/beijing.ts";
import type { FileVersion } from "../catalog/files.ts";
import { type AccountUsage, addUsage, type UsageOwner } from "../catalog/usage.ts";
import { nowMs } from "../env.ts";
import { PackReadError } from "../packs/errors.ts";
import { type DriveContext, driveHeaders } from "./context.ts";
import type { DriveDenial } from "./drive-refusal.ts";
import * as fields from "./http-fields.ts";
import { guardOf } from "./open-share.ts";
import { sendRange } from "./sending.ts";

/** One version of a downloadable file: an object of the store, or a part of one. */
export interface Download {
  version: FileVersion;
  /** The position of the file's first byte in the object. */
  offset: number;
  sizeBytes: number;
  /** A strong entity tag with its quotes. */
  etag: string;
  lastModifiedMs: number;
  /** 64 hex digits; null for a part, whose checksum is not known. */
  sha256: string | null;
}

/** A file of a share. */
export interface DriveFile {
  /** The path inside the share. */
  path: string;
  /** The name under which a client saves the file. */
  name: string;
  /** Reads the file's versions at every call. Returns the current one first; none when there is no such file. */
  versions(): Promise<Download[]>;
}

/** A request for a file of a share, and the owner to whose usage it is added. */
export type FileContext = DriveContext & { owner: UsageOwner };

/** Answers a `GET` or `HEAD` of `file`. Throws when the store lacks the object that the catalog names. */
export async function download(
  context: FileContext,
  file: DriveFile,
): Promise<Result<Response, DriveDenial>> {
  try {
    return await attempt(context, file);
  } catch (error) {
    // The object was replaced or withdrawn after the catalog was read, so the catalog is read once more.
    if (error instanceof PackReadError && error.kind !== "damaged") return attempt(context, file);
    throw error;
  }
}

async function attempt(context: FileContext, file: DriveFile): Promise<Result<Response, DriveDenial>> {
  const { request, access, owner, log, waitUntil } = context;
  const { method, signal } = request;
  const versions = await log.stage("d1", () => file.versions());
  const choice = await choose(context, file, versions);
  if (!choice.ok) return choice;
  const { chosen, range } = choice.value;

  const verdict = fields.verdictOn(fields.conditionsOf(request.headers), chosen);
  if (verdict === "failed") return refused({ reason: "condition_failed" });
  const headers = fileHeaders(context, file, chosen);
  if (verdict === "not_modified") return ok(new Response(null, { status: 304, headers }));

  const { sizeBytes } = chosen;
  const span = fields.spanOf(range, sizeBytes);
  if (span.kind === "unsatisfiable") return refused({ reason: "range_beyond_end", sizeBytes });
  await remember(context, file, { versions, chosen, how: fields.beginningOf(method, range) });

  const isPart = span.kind === "part";
  const [skipped, length] = isPart ? [span.offset, span.length] : [0, sizeBytes];
  if (isPart) headers.set("Content-Range", `bytes ${skipped}-${skipped + length - 1}/${sizeBytes}`);
  headers.set("Content-Length", String(length));
  const status = isPart ? 206 : 200;
  if (method === "HEAD" || length === 0) return ok(new Response(null, { status, headers }));
  const sending = {
    bucket: access.env.PACKS,
    shareId: access.shareId,
    accountId: owner.accountId,
    requestId: log.requestId,
    signal,
    waitUntil,
    onEnd: (bytes: number) => noteServed(context, bytes, bytes === sizeBytes - skipped),
  };
  const offset = chosen.offset + skipped;
  const body = await log.stage("r2", () => sendRange(sending, chosen.version, { offset, length }));
  if (body === null) return refused({ reason: "downloads_busy" });
  log.note({ bytes: length });
  return ok(new Response(body, { status, headers }));
}

/**
 * Returns the version to serve and its range (null for the whole file). A request without `If-Match` and `If-Range` is
 * refused when its range could join two versions. RFC 9110 would allow the whole file as the answer, but wget would
 * append it to the part that it has.
 */
async function choose(
  { request: { method, headers }, access }: DriveContext,
  { path }: DriveFile,
  versions: Download[],
): Promise<Result<{ chosen: Download; range: fields.AskedRange | null }, DriveDenial>> {
  const [present] = versions;
  if (present === undefined) return refused({ reason: "not_found" });
  const conditions = fields.conditionsOf(headers);
  const range = method === "GET" ? fields.parseRange(headers.get("Range")) : null;
  if (conditions.ifMatch !== null || conditions.ifRange !== null) {
    const chosen = fields.namedVersion(conditions, versions) ?? present;
    return ok({ chosen, range: fields.rangeCounts(conditions.ifRange, chosen) ? range : null });
  }
  if (versions.length === 1 || fields.beginningOf(method, range) !== null)
    return ok({ chosen: present, range });
  const begun = await guardOf(access, access.shareId).begunOf(path);
  const candidates = versions.map(({ version }) => version);
  const revision = fields.meantRevision(begun, access.caller.client, candidates);
  const chosen = versions.find(({ version }) => version.revision === revision);
  return chosen === undefined ? refused({ reason: "version_unknown" }) : ok({ chosen, range });
}

/**
 * Records which revision the client has begun to download. If an old revision is still available, waits until the
 * record is written, because the client may soon request the rest of the file.
 */
async function remember(
  { access, waitUntil }: DriveContext,
  { path }: DriveFile,
  { versions, chosen, how }: { versions: Download[]; chosen: Download; how: fields.Beginning | null },
): Promise<void> {
  if (how === null) return;
  const files = [{ path, revision: chosen.version.revision }];
  const kept = guardOf(access, access.shareId).begin({ client: access.caller.client, how, files });
  if (versions.length > 1) return void (await kept);
  waitUntil(kept.catch((error) => console.error(JSON.stringify({ event: "begun_lost", fault: `${error}` }))));
}

function fileHeaders(context: DriveContext, { name }: DriveFile, chosen: Download): Headers {
  const headers = driveHeaders(context, {
    "Accept-Ranges": "bytes",
    "Content-Disposition": fields.disposition(name),
    "Content-Type": fields.contentTypeOf(name),
    ETag: chosen.etag,
    "Last-Modified": fields.httpDate(chosen.lastModifiedMs),
    "X-Revision": String(chosen.version.revision),
  });
  if (chosen.version.buildId !== null) headers.set("X-Build", chosen.version.buildId);
  if (chosen.sha256 !== null) {
    const digest = Buffer.from(chosen.sha256, "hex").toString("base64");
    headers.set("Repr-Digest", `sha-256=:${digest}:`);
    // `Digest` (RFC 3230) is the older form of `Repr-Digest`. aria2c verifies downloads with it.
    if (context.request.headers.has("Want-Digest")) headers.set("Digest", `SHA-256=${digest}`);
  }
  return headers;
}

/** The pause between a download's end and the write of its usage, which then covers all downloads that ended. */
const WAIT_MS = 2_000;

/** A write that has not happened after this time was lost with its request. */
const LATE_MS = 10_000;

const waiting = new Map<string, AccountUsage>();
/** The time at which `waiting` is written (Unix milliseconds of the isolate's clock). */
let writesAtMs = Number.NEGATIVE_INFINITY;

/**
 * Adds one answer of `bytes` to the usage of the share's owner. `isFile` says whether the answer contained the last
 * byte of a file. If the isolate ends before the write, the usage since the last write is lost. No usage is counted
 * twice.
 */
function noteServed({ access, owner, waitUntil }: FileContext, bytes: number, isFile: boolean): void {
  const day = beijingDate(nowMs(access.settings));
  const key = JSON.stringify([day, owner.accountId, owner.service]);
  const known = waiting.get(key) ?? { ...owner, day, requests: 0, files: 0, bytes: 0 };
  const files = known.files + (isFile ? 1 : 0);
  waiting.set(key, { ...known, requests: known.requests + 1, files, bytes: known.bytes + bytes });
  const present = Date.now();
  if (present < writesAtMs + LATE_MS) return;
  writesAtMs = present + WAIT_MS;
  waitUntil(writeLater(access.env.DB));
}

async function writeLater(db: D1Database): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  const taken = [...waiting.values()];
  waiting.clear();
  writesAtMs = Number.NEGATIVE_INFINITY;
  try {
    await addUsage(db, taken);
  } catch (error) {
    // The write may have happened before the error, so it is not repeated; the log has the numbers.
    console.warn(JSON.stringify({ event: "usage_not_written", error: String(error), usage: taken }));
  }
}
