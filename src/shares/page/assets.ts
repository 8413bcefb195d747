/** Style, script and icon of the pages: fixed texts under names that change with their content. */
import { createHash } from "node:crypto";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

export interface Asset {
  /** Absolute path; no share can have it, ids are base62. */
  path: string;
  type: string;
  text: string;
}

/** Punched tape, seen from its edge. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6b63"/><g fill="#fff"><circle cx="9" cy="9" r="3"/><circle cx="9" cy="23" r="3"/><circle cx="16" cy="16" r="2"/><circle cx="23" cy="9" r="3"/><circle cx="23" cy="16" r="3"/></g></svg>`;

function asset(name: string, ending: string, type: string, text: string): Asset {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { path: `/s/-assets/${name}-${hash}.${ending}`, type, text };
}

export const ASSETS = {
  style: asset("page", "css", "text/css; charset=utf-8", STYLE),
  script: asset("page", "js", "text/javascript; charset=utf-8", SCRIPT),
  icon: asset("icon", "svg", "image/svg+xml", ICON),
};

/** The asset at `path`, or null. */
export function assetAt(path: string): Asset | null {
  return Object.values(ASSETS).find((each) => each.path === path) ?? null;
}
