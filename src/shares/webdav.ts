/**
 * Read-only WebDAV, class 1 (RFC 4918): `OPTIONS` and `PROPFIND` with depth 0 or 1. This file parses the small XML
 * bodies: elements and namespaces only. It accepts no entities and no document types, so no entity can be expanded.
 */

import { readAtMost } from "../base/read-at-most.ts";
import { ok, type Result, refused } from "../base/result.ts";
import { type DriveContext, driveAnswer } from "./context.ts";
import { type DrivePath, pathOf } from "./drive-path.ts";
import type { DriveDenial } from "./drive-refusal.ts";
import { contentTypeOf, httpDate } from "./http-fields.ts";
import { guardOf, type OpenShare } from "./open-share.ts";
import { type Entry, hrefOf, type Resource, resourceAt } from "./resource.ts";

/** The largest accepted body. No client sends a larger one. */
const MAX_BODY_BYTES = 64 * 1024;

/** Answers `OPTIONS`: read-only WebDAV class 1. */
export function options(context: DriveContext): Response {
  return driveAnswer(context, 200, null, { Allow: ALLOWED, DAV: "1", "Content-Length": "0" });
}

/** Answers a `PROPFIND` of `path`; the slash of a folder is optional. */
export async function propfind(
  context: DriveContext,
  open: OpenShare,
  path: DrivePath,
): Promise<Result<Response, DriveDenial>> {
  const { request, access, log } = context;
  const depth = request.headers.get("Depth")?.trim();
  if (depth !== "0" && depth !== "1") return refused({ reason: "depth_infinite" });
  const body = await readAtMost(request.body, MAX_BODY_BYTES);
  const ask = body === null ? null : parsePropfind(body.toString("utf8"));
  if (ask === null) return refused({ reason: "body_invalid" });

  const resource = await log.stage("d1", () => resourceAt(path, open));
  const all = resource === null ? [] : await locate(resource, `/s/${access.shareId}/`);
  if (all.length === 0) return refused({ reason: "not_found" });
  const located = depth === "0" ? all.slice(0, 1) : all;
  await rememberSeen(context, path, located);
  const headers = { "Content-Type": "application/xml; charset=utf-8", DAV: "1" };
  return ok(driveAnswer(context, 207, multistatus(located, ask), headers));
}

/**
 * Records listed files as seen, because a client will request ranges of the revision whose size and tag it received.
 * Files of single securities are excluded: a day has thousands, each small enough to be downloaded whole.
 */
async function rememberSeen(
  { access }: DriveContext,
  path: DrivePath,
  located: readonly Located[],
): Promise<void> {
  if (path.kind !== "day" && path.kind !== "file") return;
  const files = located.flatMap(({ entry: { name, revision } }) =>
    revision === undefined ? [] : [{ path: pathOf({ tradedate: path.tradedate, name }), revision }],
  );
  if (files.length === 0) return;
  await guardOf(access, access.shareId).begin({ client: access.caller.client, how: "saw", files });
}

/** Returns the resource and, for a folder, its entries; empty for a missing file. */
async function locate(resource: Resource, base: string): Promise<Located[]> {
  switch (resource.kind) {
    case "root":
    case "folder":
      return locatedFolder(base + resource.path, resource.entries);
    case "text":
      return [{ path: base + resource.text.name, entry: resource.text }];
    case "file": {
      const [present] = await resource.file.versions();
      if (present === undefined) return [];
      const { path } = resource.file;
      const name = path.slice(path.lastIndexOf("/") + 1);
      const { sizeBytes, etag, lastModifiedMs, version } = present;
      const entry = { name, sizeBytes, etag, lastModifiedMs, revision: version.revision };
      return [{ path: base + path.split("/").map(encodeURIComponent).join("/"), entry }];
    }
  }
}

/** The supported methods; WebDAV's other methods would change the share. */
export const ALLOWED = "GET, HEAD, OPTIONS, PROPFIND";

/** An entry with the absolute path of its URL. */
export interface Located {
  path: string;
  entry: Entry;
}

/** Returns a folder, followed by its entries below `folderPath` (absolute, encoded, with its slash). */
function locatedFolder(folderPath: string, entries: readonly Entry[]): Located[] {
  const lastModifiedMs = entries.reduce((newest, entry) => Math.max(newest, entry.lastModifiedMs), 0);
  const name = decodeURIComponent(folderPath.split("/").at(-2) ?? "");
  return [
    { path: folderPath, entry: { name, lastModifiedMs } },
    ...entries.map((entry) => ({ path: folderPath + hrefOf(entry), entry })),
  ];
}

function multistatus(located: readonly Located[], ask: PropfindAsk): string {
  const responses = located.map(({ path, entry }) => {
    return `<D:response><D:href>${escaped(path)}</D:href>${propstats(entry, ask)}</D:response>`;
  });
  return document(`<D:multistatus xmlns:D="DAV:">${responses.join("\n")}</D:multistatus>`);
}

/** Returns the error body for a depth other than 0 and 1 (RFC 4918, 9.1). */
export function finiteDepthError(): string {
  return document('<D:error xmlns:D="DAV:"><D:propfind-finite-depth/></D:error>');
}

function document(root: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${root}\n`;
}

function propertiesOf(entry: Entry): Map<string, string> {
  const properties = new Map([
    ["displayname", escaped(entry.name)],
    ["getlastmodified", httpDate(entry.lastModifiedMs)],
    ["resourcetype", entry.sizeBytes === undefined ? "<D:collection/>" : ""],
  ]);
  if (entry.sizeBytes !== undefined) {
    properties.set("getcontentlength", String(entry.sizeBytes));
    properties.set("getcontenttype", contentTypeOf(entry.name));
  }
  if (entry.etag !== undefined) properties.set("getetag", escaped(entry.etag));
  return properties;
}

function propstats(entry: Entry, ask: PropfindAsk): string {
  const known = propertiesOf(entry);
  const valued = (name: string, value: string) => `<D:${name}>${value}</D:${name}>`;
  if (ask.kind !== "these") {
    const element = ask.kind === "names" ? (name: string) => `<D:${name}/>` : valued;
    const all = [...known].map(([name, value]) => element(name, value));
    return propstat(all, "200 OK");
  }
  const found: string[] = [];
  const missing: string[] = [];
  for (const asked of ask.names) {
    const value = asked.namespace === DAV ? known.get(asked.name) : undefined;
    if (value === undefined) missing.push(unknownProperty(asked));
    else found.push(valued(asked.name, value));
  }
  // If no property was requested, one empty part with status 200 keeps the answer valid.
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

interface PropertyName {
  namespace: string;
  name: string;
}

/** All properties, the names of all properties, or the listed properties. */
type PropfindAsk = { kind: "all" } | { kind: "names" } | { kind: "these"; names: PropertyName[] };

export const DAV = "DAV:";

/** Sticky, so that an unterminated token is scanned to the end of the text once, not from every position. */
const TOKEN =
  /\s*(?:<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>)/gy;
const ATTRIBUTE = /\s*([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy;

/** The maximum number of elements in an accepted body. No client sends as many. */
const MAX_ELEMENTS = 500;

interface Element extends PropertyName {
  depth: number;
}

/** Parses a PROPFIND body; an empty body asks for all properties. Returns null for any other document. */
export function parsePropfind(xml: string): PropfindAsk | null {
  if (xml.trim() === "") return { kind: "all" };
  const elements = elementsOf(xml);
  const [root, ...inner] = elements ?? [];
  if (root === undefined || root.depth !== 0 || !isDav(root, "propfind")) return null;
  const children = inner.filter((each) => each.depth === 1);
  if (children.some((each) => isDav(each, "propname"))) return { kind: "names" };
  if (children.some((each) => isDav(each, "allprop"))) return { kind: "all" };
  if (!children.some((each) => isDav(each, "prop"))) return null;
  const asked = inner.filter((each) => each.depth === 2);
  return { kind: "these", names: asked.map(({ namespace, name }) => ({ namespace, name })) };
}

/** Returns all elements in document order, or null when the text is not well-formed. */
function elementsOf(xml: string): Element[] | null {
  const elements: Element[] = [];
  const open: { tag: string; prefixes: ReadonlyMap<string, string> }[] = [];
  let end = 0;
  for (const token of xml.matchAll(TOKEN)) {
    end = token.index + token[0].length;
    const [, slash, tag, attributes = "", empty] = token;
    if (tag === undefined) continue;
    if (slash === "/") {
      if (open.pop()?.tag !== tag) return null;
      continue;
    }
    const prefixes = withAttributes(open.at(-1)?.prefixes ?? new Map(), attributes);
    elements.push({ ...resolve(tag, prefixes), depth: open.length });
    if (elements.length > MAX_ELEMENTS) return null;
    if (empty !== "/") open.push({ tag, prefixes });
  }
  // Only white space may stand between tags, because a PROPFIND body has no property values.
  return open.length === 0 && xml.slice(end).trim() === "" ? elements : null;
}

function withAttributes(outer: ReadonlyMap<string, string>, attributes: string): ReadonlyMap<string, string> {
  const declared = [...attributes.matchAll(ATTRIBUTE)].flatMap(([, name = "", double, single]) => {
    const value = double ?? single ?? "";
    if (name === "xmlns") return [["", value] as const];
    return name.startsWith("xmlns:") ? [[name.slice("xmlns:".length), value] as const] : [];
  });
  return declared.length === 0 ? outer : new Map([...outer, ...declared]);
}

function resolve(tag: string, prefixes: ReadonlyMap<string, string>): PropertyName {
  const colon = tag.indexOf(":");
  const prefix = colon < 0 ? "" : tag.slice(0, colon);
  return { namespace: prefixes.get(prefix) ?? "", name: tag.slice(colon + 1) };
}

function isDav(element: PropertyName, name: string): boolean {
  return element.namespace === DAV && element.name === name;
}
