/** The console's own style and scripts. */

import chartLibrary from "uplot/dist/uPlot.iife.min.js" with { type: "text" };
import chartStyle from "uplot/dist/uPlot.min.css" with { type: "text" };
import { type Asset, assetOf } from "../pages/assets.ts";
import calendarStyle from "../pages/calendar.css" with { type: "text" };
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

const STYLE = [chartStyle, calendarStyle, partsStyle, keysStyle, dataStyle, tryStyle, narrowStyle].join("\n");

const paths = new Map<string, string>();

/**
 * Returns a console module as an asset. Its `import` statements name the paths at which the other modules are served,
 * so the modules that it imports must come first.
 */
function module(name: string, text: string): Asset {
  const linked = text.replaceAll(/from "\.\/([\w-]+)\.js"/g, (statement, other: string) => {
    const path = paths.get(other);
    if (path === undefined) throw new Error(`${name} has ${statement}, but that module is not known yet`);
    return `from "${path}"`;
  });
  const asset = assetOf(name, "js", linked);
  paths.set(name, asset.path);
  return asset;
}

module("request", requestScript);
module("series", seriesScript);
module("answer-data", answerDataScript);
module("links", linksScript);
module("dom", domScript);
module("table", tableScript);
module("charts", chartsScript);
module("quotes", quotesScript);
module("chart-set", chartSetScript);
module("book", bookScript);
module("picture", pictureScript);
module("run", runScript);
module("answer", answerScript);

/** The assets that pages load. `try` imports the other scripts of the page Try it. */
export const ASSETS = {
  style: assetOf("console", "css", STYLE),
  chart: assetOf("chart", "js", chartLibrary),
  try: module("try", tryScript),
};
