/**
 * The body of a `PROPFIND` (RFC 4918, 14.20): which properties the client wants. A handful of XML is read by
 * hand: elements and name spaces only, no entities, no document types, so there is nothing to expand.
 */

/** A property by the name space and local name of its element. */
export interface PropertyName {
  namespace: string;
  name: string;
}

/** All properties, only their names, or these. */
export type PropfindAsk = { kind: "all" } | { kind: "names" } | { kind: "these"; names: PropertyName[] };

export const DAV = "DAV:";

/** Sticky: a token that never ends is searched to the text's end once, not again from every place in it. */
const TOKEN =
  /\s*(?:<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>)/gy;
const ATTRIBUTE = /\s*([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gy;

/** More elements than any client has properties for. */
const MAX_ELEMENTS = 500;

interface Element extends PropertyName {
  prefixes: ReadonlyMap<string, string>;
}

/** What `xml` asks for; an empty body asks for all properties. Null when it is no such document. */
export function parsePropfind(xml: string): PropfindAsk | null {
  if (xml.trim() === "") return { kind: "all" };
  const elements = elementsOf(xml);
  const [root, ...inner] = elements ?? [];
  if (root === undefined || root.depth !== 0 || !isDav(root, "propfind")) return null;
  const children = inner.filter((each) => each.depth === 1);
  if (children.some((each) => isDav(each, "propname"))) return { kind: "names" };
  if (children.some((each) => isDav(each, "allprop"))) return { kind: "all" };
  if (!children.some((each) => isDav(each, "prop"))) return null;
  return { kind: "these", names: inner.filter((each) => each.depth === 2).map(nameOf) };
}

type Placed = Element & { depth: number };

/** All elements in document order, or null when the text is not well formed. */
function elementsOf(xml: string): Placed[] | null {
  const elements: Placed[] = [];
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
    elements.push({ ...resolve(tag, prefixes), prefixes, depth: open.length });
    if (elements.length > MAX_ELEMENTS) return null;
    if (empty !== "/") open.push({ tag, prefixes });
  }
  // Between tags only white space may stand: no property has a value in a question.
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

function nameOf({ namespace, name }: PropertyName): PropertyName {
  return { namespace, name };
}
