/** A file's bytes, read on the condition that the object is still the one the catalog names. */
import type { FileVersion } from "../catalog/files.ts";
import { PackReadError } from "../packs/errors.ts";
import { type DriveContext, driveHeaders } from "./context.ts";
import type { DriveDenial } from "./drive-refusal.ts";
import {
  type AskedRange,
  type Conditions,
  conditionsOf,
  contentRange,
  contentTypeOf,
  disposition,
  httpDate,
  parseRange,
  rangeCounts,
  spanOf,
  verdictOn,
} from "./http-fields.ts";
import { guardOf } from "./open-share.ts";
import { type Sending, sendRange } from "./sending.ts";
import { type Beginning, beginningOf, meantRevision, namedVersion } from "./versions.ts";

/** One version of a downloadable file: an object of the store, or a piece of one. */
export interface Download {
  version: FileVersion;
  /** Its first byte in the object. */
  offset: number;
  sizeBytes: number;
  /** Strong, with its quotes. */
  etag: string;
  lastModifiedMs: number;
  /** 64 hex digits; null for a piece, whose sum is not known. */
  sha256: string | null;
}

/** A file of a share: its versions, the present one first, read again at each call; none: no such file. */
export interface DriveFile {
  /** Inside the share. */
  path: string;
  /** The name to save it under. */
  name: string;
  versions(): Promise<Download[]>;
}

/** Answers a `GET` or `HEAD` of `file`. Throws when the store does not have what the catalog names. */
export async function download(context: DriveContext, file: DriveFile): Promise<Response | DriveDenial> {
  try {
    return await attempt(context, file);
  } catch (error) {
    // Replaced or withdrawn between the look into the catalog and the read: look once more.
    if (error instanceof PackReadError && error.kind !== "damaged") return attempt(context, file);
    throw error;
  }
}

async function attempt(context: DriveContext, file: DriveFile): Promise<Response | DriveDenial> {
  const { request, method, log } = context;
  const versions = await log.stage("d1", () => file.versions());
  const [present] = versions;
  if (present === undefined) return { reason: "not_found" };

  const conditions = conditionsOf(request.headers);
  const asked = method === "GET" ? parseRange(request.headers.get("Range")) : null;
  const choice = await choose(context, file, { versions, present, conditions, asked });
  if ("reason" in choice) return choice;
  const { chosen, range } = choice;

  const verdict = verdictOn(conditions, chosen);
  if (verdict === "failed") return { reason: "condition_failed" };
  const headers = fileHeaders(context, file, chosen);
  if (verdict === "not_modified") return new Response(null, { status: 304, headers });

  const span = spanOf(range, chosen.sizeBytes);
  if (span.kind === "unsatisfiable") return { reason: "range_beyond_end", sizeBytes: chosen.sizeBytes };
  await remember(context, file, { versions, chosen, how: beginningOf(method, range) });

  const length = span.kind === "part" ? span.length : chosen.sizeBytes;
  const sent = contentRange(span, chosen.sizeBytes);
  if (sent !== null) headers.set("Content-Range", sent);
  headers.set("Content-Length", String(length));
  const status = sent === null ? 200 : 206;
  if (method === "HEAD" || length === 0) return new Response(null, { status, headers });
  const offset = chosen.offset + (span.kind === "part" ? span.offset : 0);
  const body = await log.stage("r2", () => sendRange(sendingOf(context), chosen.version, { offset, length }));
  if (body === null) return { reason: "downloads_busy" };
  log.note({ bytes: length });
  return new Response(body, { status, headers });
}

function sendingOf({ request, access, log, waitUntil }: DriveContext): Sending {
  const { signal } = request;
  return { bucket: access.env.PACKS, shareId: access.shareId, requestId: log.requestId, signal, waitUntil };
}

interface Asked {
  versions: Download[];
  present: Download;
  conditions: Conditions;
  asked: AskedRange | null;
}

/**
 * The version that is served, and the range of it: null for the whole. Where a bare range could join two
 * versions nothing is served: the whole file would be allowed, but wget adds its end to the part that it has.
 */
async function choose(
  { access }: DriveContext,
  { path }: DriveFile,
  { versions, present, conditions, asked }: Asked,
): Promise<{ chosen: Download; range: AskedRange | null } | DriveDenial> {
  if (conditions.ifMatch !== null || conditions.ifRange !== null) {
    const chosen = namedVersion(conditions, versions) ?? present;
    return { chosen, range: rangeCounts(conditions.ifRange, chosen) ? asked : null };
  }
  if (versions.length === 1 || !isMiddle(asked)) return { chosen: present, range: asked };
  const begun = await guardOf(access, access.shareId).begunOf(path);
  const candidates = versions.map(({ version }) => version);
  const revision = meantRevision(begun, access.caller.client, candidates);
  const meant = versions.find(({ version }) => version.revision === revision);
  return meant === undefined ? { reason: "version_unknown" } : { chosen: meant, range: asked };
}

/** Whether a range begins behind the first byte, so that it may continue a part that the client has. */
function isMiddle(asked: AskedRange | null): boolean {
  return asked?.kind === "from" && asked.first > 0;
}

/**
 * Keeps in mind which revision the client began. While an old one can still be had, the next request's range
 * may be judged by it, so the answer waits; else the client never notices.
 */
async function remember(
  { access, waitUntil }: DriveContext,
  { path }: DriveFile,
  { versions, chosen, how }: { versions: Download[]; chosen: Download; how: Beginning | null },
): Promise<void> {
  if (how === null) return;
  const files = [{ path, revision: chosen.version.revision }];
  const kept = guardOf(access, access.shareId).begin({ client: access.caller.client, how, files });
  if (versions.length > 1) return void (await kept);
  waitUntil(kept.catch((error) => console.error(JSON.stringify({ event: "begun_lost", fault: `${error}` }))));
}

function fileHeaders({ request, log }: DriveContext, { name }: DriveFile, chosen: Download): Headers {
  const headers = driveHeaders(log.requestId, {
    "Accept-Ranges": "bytes",
    "Content-Disposition": disposition(name),
    "Content-Type": contentTypeOf(name),
    ETag: chosen.etag,
    "Last-Modified": httpDate(chosen.lastModifiedMs),
    "X-Revision": String(chosen.version.revision),
  });
  if (chosen.version.buildId !== null) headers.set("X-Build", chosen.version.buildId);
  if (chosen.sha256 !== null) {
    const digest = Buffer.from(chosen.sha256, "hex").toString("base64");
    headers.set("Repr-Digest", `sha-256=:${digest}:`);
    // The older form of the same (RFC 3230): aria2c asks for it, and checks what it has downloaded by it.
    if (request.headers.has("Want-Digest")) headers.set("Digest", `SHA-256=${digest}`);
  }
  return headers;
}
