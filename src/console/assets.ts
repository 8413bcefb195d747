/** Styles and scripts of the pages: fixed texts under names that change with their content. */
import { createHash } from "node:crypto";
import chartLibrary from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import chartStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import { DARK, LIGHT, TYPE } from "../shares/page/style.ts";
import copyScript from "./browser/copy.js" with { type: "text" };
import pictureScript from "./browser/picture.js" with { type: "text" };
import requestScript from "./browser/request.js" with { type: "text" };
import seriesScript from "./browser/series.js" with { type: "text" };
import tableScript from "./browser/table.js" with { type: "text" };
import tryScript from "./browser/try.js" with { type: "text" };
import baseStyle from "./style/base.css" with { type: "text" };
import dataStyle from "./style/data.css" with { type: "text" };
import frameStyle from "./style/frame.css" with { type: "text" };
import keysStyle from "./style/keys.css" with { type: "text" };
import narrowStyle from "./style/narrow.css" with { type: "text" };
import partsStyle from "./style/parts.css" with { type: "text" };
import tryStyle from "./style/try.css" with { type: "text" };

export interface Asset {
  /** Absolute path. */
  path: string;
  type: string;
  text: string;
}

const CSS = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";

/** Beside the drive's: sides of orders (red buys, as in China), charts, refusals, fields. */
const MORE_LIGHT = `${LIGHT} --buy: #c2362b; --sell: #1c66a8; --cancel: #8a6d0f; --bar: #9db3af; --bad: #a8321f; --field: #84928f;`;
const MORE_DARK = `${DARK} --buy: #ff8172; --sell: #74b6f7; --cancel: #d8b44a; --bar: #55706b; --bad: #ff9a86; --field: #5f706c;`;

/** The colours follow the system, unless the reader chose. */
const COLOURS = `:root { ${TYPE} ${MORE_LIGHT} color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { ${MORE_DARK} } }
:root[data-theme="light"] { ${MORE_LIGHT} color-scheme: light; }
:root[data-theme="dark"] { ${MORE_DARK} color-scheme: dark; }
`;

const STYLE = [
  COLOURS,
  chartStyle,
  baseStyle,
  partsStyle,
  frameStyle,
  keysStyle,
  dataStyle,
  tryStyle,
  narrowStyle,
].join("\n");

function asset(name: string, ending: "css" | "js", text: string): Asset {
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  const type = ending === "css" ? CSS : SCRIPT;
  return { path: `/console/-assets/${name}-${hash}.${ending}`, type, text };
}

/** A module of ours; its imports of other modules get the names under which these are served. */
function module(name: string, text: string, imports: Readonly<Record<string, Asset>> = {}): Asset {
  const linked = text.replaceAll(/from "\.\/([\w-]+)\.js"/g, (statement, other: string) => {
    const path = imports[other]?.path;
    if (path === undefined) throw new Error(`${name} has ${statement}, which is not among its modules`);
    return `from "${path}"`;
  });
  return asset(name, "js", linked);
}

const copy = module("copy", copyScript);
const request = module("request", requestScript);
const series = module("series", seriesScript);
const table = module("table", tableScript);
const picture = module("picture", pictureScript, { series });

/** Everything a page may load. */
export const ASSETS = {
  style: asset("console", "css", STYLE),
  chart: asset("chart", "js", chartLibrary),
  copy,
  request,
  series,
  table,
  picture,
  try: module("try", tryScript, { copy, request, table, picture }),
};

const BY_PATH = new Map<string, Asset>(Object.values(ASSETS).map((each) => [each.path, each]));

/** The asset at `path`, or null. */
export function assetAt(path: string): Asset | null {
  return BY_PATH.get(path) ?? null;
}
