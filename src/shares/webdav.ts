/** Read-only WebDAV, class 1 (RFC 4918): what a folder holds, as `PROPFIND` with depth 0 or 1 tells it. */
import { type Entry, hrefOf } from "./folder.ts";
import { httpDate } from "./http-date.ts";
import { contentTypeOf } from "./media.ts";
import { DAV, type PropertyName, type PropfindAsk } from "./propfind-body.ts";

/** What a share can be asked; the rest of WebDAV writes. */
export const ALLOWED = "GET, HEAD, OPTIONS, PROPFIND";

/** An entry and the absolute path of its URL. */
export interface Located {
  path: string;
  entry: Entry;
}

/** A folder with its entries below `folderPath` (absolute, encoded, with its slash), itself first. */
export function locatedFolder(folderPath: string, entries: readonly Entry[]): Located[] {
  const lastModifiedMs = entries.reduce((newest, entry) => Math.max(newest, entry.lastModifiedMs), 0);
  const name = decodeURIComponent(folderPath.split("/").at(-2) ?? "");
  const itself = { name, isFolder: true, sizeBytes: null, lastModifiedMs, etag: null };
  return [
    { path: folderPath, entry: { ...itself, sha256: null, revision: null } },
    ...entries.map((entry) => ({ path: folderPath + hrefOf(entry), entry })),
  ];
}

/** The body of a 207 answer: what `ask` wants to know of each of `located`. */
export function multistatus(located: readonly Located[], ask: PropfindAsk): string {
  const responses = located.map(({ path, entry }) => {
    return `<D:response><D:href>${escaped(path)}</D:href>${propstats(entry, ask)}</D:response>`;
  });
  return document(`<D:multistatus xmlns:D="DAV:">${responses.join("\n")}</D:multistatus>`);
}

/** The error of a depth that is none of 0 and 1 (RFC 4918, 9.1). */
export function finiteDepthError(): string {
  return document('<D:error xmlns:D="DAV:"><D:propfind-finite-depth/></D:error>');
}

function document(root: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${root}\n`;
}

/** The live properties of an entry, as XML. */
function propertiesOf(entry: Entry): Map<string, string> {
  const properties = new Map([
    ["displayname", escaped(entry.name)],
    ["getlastmodified", httpDate(entry.lastModifiedMs)],
    ["resourcetype", entry.isFolder ? "<D:collection/>" : ""],
  ]);
  if (entry.sizeBytes !== null) {
    properties.set("getcontentlength", String(entry.sizeBytes));
    properties.set("getcontenttype", contentTypeOf(entry.name));
  }
  if (entry.etag !== null) properties.set("getetag", escaped(entry.etag));
  return properties;
}

function propstats(entry: Entry, ask: PropfindAsk): string {
  const known = propertiesOf(entry);
  if (ask.kind === "names") {
    return propstat(
      [...known.keys()].map((name) => `<D:${name}/>`),
      "200 OK",
    );
  }
  if (ask.kind === "all") {
    return propstat(
      [...known].map(([name, value]) => `<D:${name}>${value}</D:${name}>`),
      "200 OK",
    );
  }
  const found: string[] = [];
  const missing: string[] = [];
  for (const asked of ask.names) {
    const value = asked.namespace === DAV ? known.get(asked.name) : undefined;
    if (value === undefined) missing.push(unknownProperty(asked));
    else found.push(`<D:${asked.name}>${value}</D:${asked.name}>`);
  }
  // With nothing asked for, one empty 200 part keeps the answer well formed.
  const right = found.length > 0 || missing.length === 0 ? propstat(found, "200 OK") : "";
  return right + (missing.length > 0 ? propstat(missing, "404 Not Found") : "");
}

function propstat(properties: string[], status: string): string {
  return `<D:propstat><D:prop>${properties.join("")}</D:prop><D:status>HTTP/1.1 ${status}</D:status></D:propstat>`;
}

function unknownProperty({ namespace, name }: PropertyName): string {
  if (namespace === DAV) return `<D:${name}/>`;
  return namespace === "" ? `<${name} xmlns=""/>` : `<x:${name} xmlns:x="${escaped(namespace)}"/>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
