/** Styles, scripts and the icon of all pages. Their names contain a hash of their content. */
import { createHash } from "node:crypto";
import { SECURITY_HEADERS } from "../base/security-headers.ts";
import copyScript from "./browser/copy.js" with { type: "text" };
import pageStyle from "./page.css" with { type: "text" };

export interface Asset {
  /** Absolute path. */
  path: string;
  type: string;
  text: string;
}

const TYPES = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

const BY_PATH = new Map<string, Asset>();

/** Registers `text` as an asset and returns it. */
export function assetOf(name: string, ending: keyof typeof TYPES, text: string): Asset {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  const asset = { path: `/-assets/${name}-${hash}.${ending}`, type: TYPES[ending], text };
  BY_PATH.set(asset.path, asset);
  return asset;
}

/** Returns the answer to a request for an asset; null when there is none at `path`. */
export function assetAnswer(path: string, requestId: string): Response | null {
  const asset = BY_PATH.get(path);
  if (asset === undefined) return null;
  return new Response(asset.text, {
    headers: {
      ...SECURITY_HEADERS,
      // A browser may keep an asset for a year, because its name changes with its content.
      "Cache-Control": "public, max-age=31536000, immutable, no-transform",
      "Content-Type": asset.type,
      "Cross-Origin-Resource-Policy": "same-origin",
      "X-Request-Id": requestId,
    },
  });
}

/** The icon: punched tape, seen from its edge. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6b63"/><g fill="#fff"><circle cx="9" cy="9" r="3"/><circle cx="9" cy="23" r="3"/><circle cx="16" cy="16" r="2"/><circle cx="23" cy="9" r="3"/><circle cx="23" cy="16" r="3"/></g></svg>`;

const LIGHT = `--ground: #f5f6f4; --paper: #ffffff; --ink: #17201f; --quiet: #5d6b69; --faint: #6b7876;
  --line: #dfe5e3; --accent: #0b6b63; --on-accent: #ffffff; --accent-soft: #e3f1ee;
  --warn: #a14510; --warn-soft: #fdf0e6; --code: #f0f3f2; --hatch: #e4e9e7; --bad: #a8321f; --field: #84928f;
  /* The colours of the sides of orders: buys are red, as is usual in China. */
  --code-string: #7a4a00; --code-keyword: #0b6b63; --code-number: #1c5a96; --buy: #c2362b; --sell: #1c66a8; --cancel: #8a6d0f; --other: #71827e;`;

const DARK = `--ground: #0f1414; --paper: #161d1c; --ink: #e8eeec; --quiet: #9aaaa6; --faint: #81908c;
  --line: #26302e; --accent: #3fae9f; --on-accent: #06201d; --accent-soft: #14302c;
  --warn: #f0a060; --warn-soft: #33231a; --code: #101716; --hatch: #222b29; --bad: #ff9a86; --field: #5f706c;
  --code-string: #e0b672; --code-keyword: #5cc8b8; --code-number: #8cc2f5; --buy: #ff8172; --sell: #74b6f7; --cancel: #d8b44a; --other: #8a9d98;`;

/** The colours follow the system unless the reader chose a theme; print is always light. */
const COLOURS = `:root { ${LIGHT} color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
:root[data-theme="light"] { ${LIGHT} color-scheme: light; }
:root[data-theme="dark"] { ${DARK} color-scheme: dark; }
@media print { :root, :root[data-theme] { ${LIGHT} color-scheme: light; } }
`;

/** Assets that every page loads. */
export const COMMON = {
  style: assetOf("page", "css", COLOURS + pageStyle),
  copy: assetOf("copy", "js", copyScript),
  icon: assetOf("icon", "svg", ICON),
};
