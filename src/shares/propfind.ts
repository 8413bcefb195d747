/** `OPTIONS` and `PROPFIND` of an open share. */
import type { DriveDenial } from "./denial.ts";
import { type DrivePath, pathOf } from "./drive-path.ts";
import { driveHeaders, type Exchange } from "./exchange.ts";
import type { Entry } from "./folder.ts";
import { guardOf, type OpenShare } from "./open-share.ts";
import { parsePropfind } from "./propfind-body.ts";
import { type Resource, resourceAt } from "./resource.ts";
import { ALLOWED, type Located, locatedFolder, multistatus } from "./webdav.ts";

/** No client's question is larger. */
const MAX_BODY_BYTES = 64 * 1024;

/** What may be done here: reading, by WebDAV class 1. */
export function options({ log }: Exchange): Response {
  const headers = driveHeaders(log.requestId, { Allow: ALLOWED, DAV: "1", "Content-Length": "0" });
  return new Response(null, { status: 200, headers });
}

/** Answers a `PROPFIND` of `path`; a folder may be named without its slash. */
export async function propfind(
  exchange: Exchange,
  open: OpenShare,
  path: DrivePath,
): Promise<Response | DriveDenial> {
  const { request, door, log } = exchange;
  const depth = request.headers.get("Depth")?.trim();
  if (depth !== "0" && depth !== "1") return { reason: "depth_infinite" };
  const body = await readText(request);
  const ask = body === null ? null : parsePropfind(body);
  if (ask === null) return { reason: "body_invalid" };

  const place = { db: door.env.DB, open, nowMs: door.nowMs };
  const resource = await log.stage("d1", () => resourceAt(path, place));
  const all = resource === null ? [] : await locate(resource, `/s/${door.shareId}/`);
  if (all.length === 0) return { reason: "not_found" };
  const located = depth === "0" ? all.slice(0, 1) : all;
  await rememberSeen(exchange, path, located);
  const headers = driveHeaders(log.requestId, { "Content-Type": "application/xml; charset=utf-8", DAV: "1" });
  return new Response(multistatus(located, ask), { status: 207, headers });
}

/**
 * A client that was told of a file's size and tag will ask for ranges of that very revision. Securities are
 * left out: a day has thousands, and each is small enough to be fetched whole.
 */
async function rememberSeen({ door }: Exchange, path: DrivePath, located: readonly Located[]): Promise<void> {
  if (path.kind !== "day" && path.kind !== "file") return;
  const files = located.flatMap(({ entry: { name, revision } }) =>
    revision === null ? [] : [{ path: pathOf({ tradedate: path.tradedate, name }), revision }],
  );
  if (files.length === 0) return;
  await guardOf(door, door.shareId).begin({ client: door.caller.client, how: "saw", files });
}

/** The resource and, for a folder, what is in it; nothing for a file that is not there. */
async function locate(resource: Resource, base: string): Promise<Located[]> {
  switch (resource.kind) {
    case "root":
    case "folder":
      return locatedFolder(base + resource.path, resource.entries);
    case "text": {
      const { bytes, etag, lastModifiedMs } = resource.text;
      const told = { sizeBytes: bytes.length, etag, lastModifiedMs, revision: null };
      return [{ path: base + resource.path, entry: fileEntry(resource.name, told) }];
    }
    case "file": {
      const [present] = await resource.file.versions();
      if (present === undefined) return [];
      const { path } = resource.file;
      const name = path.slice(path.lastIndexOf("/") + 1);
      const entry = fileEntry(name, { ...present, revision: present.version.revision });
      return [{ path: base + path.split("/").map(encodeURIComponent).join("/"), entry }];
    }
  }
}

type Told = Pick<Entry, "sizeBytes" | "etag" | "lastModifiedMs" | "revision">;

function fileEntry(name: string, { sizeBytes, etag, lastModifiedMs, revision }: Told): Entry {
  return { name, isFolder: false, sizeBytes, etag, lastModifiedMs, revision, sha256: null };
}

/**
 * The body as text; null as soon as there is more than any question has, whatever its length was said to be, and
 * when its sender went away in the middle.
 */
async function readText(request: Request): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      length += piece.length;
      if (length > MAX_BODY_BYTES) return null;
      pieces.push(piece);
    }
  } catch {
    return null;
  }
  return Buffer.concat(pieces).toString("utf8");
}
