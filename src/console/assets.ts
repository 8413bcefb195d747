/** Styles and scripts of the pages: fixed texts under names that change with their content. */
import { createHash } from "node:crypto";
import chartLibrary from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import chartStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import { DARK, LIGHT, TYPE } from "../shares/page/style.ts";
import answerScript from "./browser/answer.js" with { type: "text" };
import answerDataScript from "./browser/answer-data.js" with { type: "text" };
import chartsScript from "./browser/charts.js" with { type: "text" };
import copyScript from "./browser/copy.js" with { type: "text" };
import domScript from "./browser/dom.js" with { type: "text" };
import pictureScript from "./browser/picture.js" with { type: "text" };
import requestScript from "./browser/request.js" with { type: "text" };
import runScript from "./browser/run.js" with { type: "text" };
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
const MORE_LIGHT = `${LIGHT} --buy: #c2362b; --sell: #1c66a8; --cancel: #8a6d0f; --other: #71827e; --bad: #a8321f; --field: #84928f;`;
const MORE_DARK = `${DARK} --buy: #ff8172; --sell: #74b6f7; --cancel: #d8b44a; --other: #8a9d98; --bad: #ff9a86; --field: #5f706c;`;

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
const answerData = module("answer-data", answerDataScript);
const dom = module("dom", domScript);
const table = module("table", tableScript, { dom, series });
const charts = module("charts", chartsScript, { dom, series });
const picture = module("picture", pictureScript, { charts, dom, series, table });
const run = module("run", runScript, { dom });
const answer = module("answer", answerScript, { "answer-data": answerData, copy, dom, picture, table });

/** The modules of Try it, the one that starts first. */
const TRY = [
  module("try", tryScript, { answer, dom, request, run }),
  ...[answer, answerData, charts, copy, dom, picture, request, run, series, table],
] as const;

/** What pages name; the scripts of Try it name each other. */
export const ASSETS = {
  style: asset("console", "css", STYLE),
  chart: asset("chart", "js", chartLibrary),
  copy,
  try: TRY[0],
};

const BY_PATH = new Map<string, Asset>([...Object.values(ASSETS), ...TRY].map((each) => [each.path, each]));

/** The asset at `path`, or null. */
export function assetAt(path: string): Asset | null {
  return BY_PATH.get(path) ?? null;
}
