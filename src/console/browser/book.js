/** Charts of quotes: the best prices over the day, and the levels of both sides at a chosen instant. */
import { clearCharts, controlsWith, figure, holdCharts, note } from "./chart-set.js";
import { bestPricesChart, lookOf } from "./charts.js";
import { countText, element, filled, messages } from "./dom.js";
import { bestPrices, levelsOf, placeAt } from "./quotes.js";
import { clockText, folded } from "./series.js";

/** @typedef {import("./quotes.js").QuotePlaces} QuotePlaces */
/** @typedef {import("./quotes.js").Level} Level */

/** 10:00 in seconds of the day, when the order book is full. */
const PRESET_INSTANT = 36_000;

/** The chosen instant in seconds of the day; a redraw keeps it. */
let instant = PRESET_INSTANT;

/** Resets the chosen instant before the answer to another request is shown. */
export function forgetInstant() {
  instant = PRESET_INSTANT;
}

/**
 * Draws the charts of quotes into `root`; `answer` has at least one row. `answer.more` says whether the service has
 * more rows.
 *
 * @param {HTMLElement} root
 * @param {import("./picture.js").Shown} answer
 * @param {QuotePlaces} places
 */
export function showBook(root, answer, places) {
  const { rows, more } = answer;
  const prices = bestPrices(rows, places);
  const [best, ladder] = [element("div"), element("div", { className: "scroll" })];
  const slider = element("input", { type: "range", id: "instant", min: "0", max: String(rows.length - 1) });
  const said = element("output", { className: "figure", for: slider.id });
  const begins = prices.x[0] ?? 0;
  const text = filled(messages.bookNote, { count: countText(rows.length) });
  root.replaceChildren(
    note(text + (more ? ` ${messages.pictureMore}` : "")),
    controlsWith([]),
    figure(messages.bestTitle, best),
    element("div", { className: "instant" }, [
      element("label", { for: slider.id, text: messages.instant }),
      slider,
      said,
    ]),
    figure(messages.bookTitle, ladder),
    note(messages.bookAuction),
  );
  const chart = bestPricesChart(best, prices, {
    width: Math.max(280, best.clientWidth),
    look: lookOf(root),
    range: [folded(begins), folded((prices.x.at(-1) ?? begins) + 1)],
    instant: () => instant,
    choose: (second) => choose(placeAt(prices.x, second)),
  });

  /** @param {number} place */
  function choose(place) {
    instant = prices.x[place] ?? begins;
    const time = clockText(instant, true);
    slider.value = String(place);
    slider.setAttribute("aria-valuetext", time);
    said.textContent = time;
    ladder.replaceChildren(ladderOf(levelsOf(rows[place], places)));
    chart.redraw(false);
  }

  slider.addEventListener("input", () => choose(Number(slider.value)));
  choose(placeAt(prices.x, instant));
  const again = () => {
    clearCharts();
    showBook(root, answer, places);
  };
  holdCharts([chart], { root, measured: best, again });
}

/**
 * Returns the levels as a table. Each level has a bar whose length shows its volume relative to the largest volume.
 *
 * @param {Level[]} levels
 */
function ladderOf(levels) {
  const most = Math.max(1, ...levels.map(({ volume }) => volume ?? 0));
  const decimals = decimalsOf(levels);
  /** @param {string} text */
  const heading = (text) => element("th", { text, scope: "col", className: "number" });
  const heads = [element("td"), heading(messages.price), heading(messages.volume), element("td")];
  const rows = levels.map(({ side, level, price, volume }) => {
    const bar = element("span", { className: "depth-bar" });
    bar.style.inlineSize = `${(100 * (volume ?? 0)) / most}%`;
    return element("tr", { className: side === "bid" ? "buy" : "sell" }, [
      element("th", { scope: "row", className: "side", text: `${messages.sides[side]} ${level}` }),
      element("td", { className: "number", text: price === null ? "–" : price.toFixed(decimals) }),
      element("td", { className: "number", text: volume === null ? "–" : countText(volume) }),
      element("td", { className: "depth" }, [bar]),
    ]);
  });
  return element("table", { className: "grid records book" }, [
    element("thead", {}, [element("tr", {}, heads)]),
    element("tbody", {}, rows),
  ]);
}

/**
 * Returns the number of decimals to show: three if a price needs them, as prices of funds do, else two.
 *
 * @param {Level[]} levels
 */
function decimalsOf(levels) {
  return levels.some(({ price }) => price !== null && Math.abs(price * 100 - Math.round(price * 100)) > 1e-6)
    ? 3
    : 2;
}
