/** The console's own style and scripts. */

import chartLibrary from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import chartStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import { type Asset, assetOf } from "../pages/assets.ts";
import { CALENDAR_STYLE } from "../pages/calendar.tsx";
import answerScript from "./browser/answer.js" with { type: "text" };
import answerDataScript from "./browser/answer-data.js" with { type: "text" };
import bookScript from "./browser/book.js" with { type: "text" };
import chartSetScript from "./browser/chart-set.js" with { type: "text" };
import chartsScript from "./browser/charts.js" with { type: "text" };
import domScript from "./browser/dom.js" with { type: "text" };
import linksScript from "./browser/links.js" with { type: "text" };
import pictureScript from "./browser/picture.js" with { type: "text" };
import quotesScript from "./browser/quotes.js" with { type: "text" };
import requestScript from "./browser/request.js" with { type: "text" };
import runScript from "./browser/run.js" with { type: "text" };
import seriesScript from "./browser/series.js" with { type: "text" };
import tableScript from "./browser/table.js" with { type: "text" };
import tryScript from "./browser/try.js" with { type: "text" };
import dataStyle from "./style/data.css" with { type: "text" };
import keysStyle from "./style/keys.css" with { type: "text" };
import narrowStyle from "./style/narrow.css" with { type: "text" };
import partsStyle from "./style/parts.css" with { type: "text" };
import tryStyle from "./style/try.css" with { type: "text" };

const STYLE = [chartStyle, CALENDAR_STYLE, partsStyle, keysStyle, dataStyle, tryStyle, narrowStyle].join(
  "\n",
);

/** Returns a console module as an asset. Its `import` statements name the paths at which `imports` are served. */
function module(name: string, text: string, imports: Readonly<Record<string, Asset>> = {}): Asset {
  const linked = text.replaceAll(/from "\.\/([\w-]+)\.js"/g, (statement, other: string) => {
    const path = imports[other]?.path;
    if (path === undefined)
      throw new Error(`${name} has ${statement}, but that module is not in its imports`);
    return `from "${path}"`;
  });
  return assetOf(name, "js", linked);
}

const request = module("request", requestScript);
const series = module("series", seriesScript);
const answerData = module("answer-data", answerDataScript);
const links = module("links", linksScript);
const dom = module("dom", domScript);
const table = module("table", tableScript, { dom, series });
const charts = module("charts", chartsScript, { dom, series });
const quotes = module("quotes", quotesScript, { series });
const chartSet = module("chart-set", chartSetScript, { dom });
const drawing = { charts, dom, quotes, series, "chart-set": chartSet };
const book = module("book", bookScript, drawing);
const picture = module("picture", pictureScript, { ...drawing, book, table });
const run = module("run", runScript, { dom });
const answer = module("answer", answerScript, {
  "answer-data": answerData,
  ...{ dom, links, picture, request, table },
});

/** The assets that pages load. `try` imports the other scripts of the page Try it. */
export const ASSETS = {
  style: assetOf("console", "css", STYLE),
  chart: assetOf("chart", "js", chartLibrary),
  try: module("try", tryScript, { answer, dom, request, run }),
};
