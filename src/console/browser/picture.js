/**
 * Draws the charts of an answer. Orders and trades have three charts over one time axis and a table of numbers. The
 * charts of quotes are in `book.js`.
 */
import { forgetInstant, showBook } from "./book.js";
import { clearCharts, controlsWith, figure, forgetView, holdCharts, keepView, note } from "./chart-set.js";
import { lookOf, minutesChart, priceChart, soFarChart } from "./charts.js";
import { countText, element, filled, messages } from "./dom.js";
import { quotePlaces } from "./quotes.js";
import {
  columnsFor,
  folded,
  KINDS,
  perMinute,
  pricePoints,
  soFarOf,
  summaryOf,
  withoutLunch,
} from "./series.js";
import { gridOf } from "./table.js";

/** @typedef {import("./series.js").Kind} Kind */
/** @typedef {import("./series.js").Places["dataset"]} Dataset */
/** @typedef {{ fields: string[], rows: import("./answer-data.js").Row[], more: boolean }} Shown */

/**
 * Kinds that the reader has hidden; they stay hidden after a redraw.
 *
 * @type {Set<Kind>}
 */
const hidden = new Set();

/** Resets the zoom and the chosen instant before the answer to another request is shown. */
export function resetPicture() {
  forgetView();
  forgetInstant();
}

/**
 * Draws the answer's rows into `root`, replacing its content. `answer.more` says whether the service has more rows.
 *
 * @param {HTMLElement} root
 * @param {Shown} answer
 */
export function showPicture(root, answer) {
  const { fields, rows } = answer;
  clearCharts();
  const [places, quotes] = [columnsFor(fields), quotePlaces(fields)];
  if (rows.length === 0) root.replaceChildren(note(messages.noRows));
  else if (places !== null) showTicks(root, answer, places);
  else if (quotes !== null) showBook(root, answer, quotes);
  else root.replaceChildren(note(messages.pictureNeeds));
}

/**
 * @param {HTMLElement} root
 * @param {Shown} answer
 * @param {import("./series.js").Places} places
 */
function showTicks(root, answer, places) {
  const { rows, more } = answer;
  const points = pricePoints(rows, places);
  const minutes = perMinute(rows, places);
  const { dataset } = places;
  const summary = summaryOf(rows, places);
  // A cancel among trades has neither a price nor a traded volume, so it is not drawn.
  const isDrawn = (/** @type {Kind} */ kind) => dataset === "orders" || kind !== "cancel";
  const present = KINDS.filter((kind) => isDrawn(kind) && summary.some((each) => each.kind === kind));
  const again = () => showPicture(root, answer);
  const [price, soFar, ofMinutes] = [element("div"), element("div"), element("div")];
  root.replaceChildren(
    note(drawnText(dataset, { drawn: points.drawn, count: rows.length, more })),
    controlsWith(boxesOf(dataset, present, again)),
    figure(messages.priceTitle, price),
    figure(messages.soFarTitle[dataset], soFar),
    figure(messages.minutesTitle[dataset], ofMinutes),
    numbers(dataset, summary, rows.length),
  );
  const kinds = present.filter((kind) => !hidden.has(kind));
  /** @type {[number, number]} */
  const range = [folded(minutes.x[0] ?? 0), folded((minutes.x.at(-1) ?? 0) + 60)];
  const common = { width: Math.max(280, price.clientWidth), look: lookOf(root), range, kinds, dataset };
  const charts = [
    priceChart(price, points, common),
    soFarChart(soFar, soFarOf(minutes), common),
    minutesChart(ofMinutes, withoutLunch(minutes), common),
  ];
  holdCharts(charts, { root, measured: price, again });
}

/**
 * @param {Dataset} dataset
 * @param {{ drawn: number, count: number, more: boolean }} facts
 */
function drawnText(dataset, { drawn, count, more }) {
  const counts = { drawn: countText(drawn), count: countText(count), without: countText(count - drawn) };
  return filled(messages.pictureNote[dataset], counts) + (more ? ` ${messages.pictureMore}` : "");
}

/**
 * Returns one checkbox for each present kind; it shows or hides that kind.
 *
 * @param {Dataset} dataset
 * @param {readonly Kind[]} present
 * @param {() => void} again
 */
function boxesOf(dataset, present, again) {
  return present.map((kind) => {
    const box = element("input", { type: "checkbox", id: `kind-${kind}` });
    box.checked = !hidden.has(kind);
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(kind);
      else hidden.add(kind);
      keepView();
      again();
      document.getElementById(box.id)?.focus();
    });
    return element("label", { className: `kind ${kind}` }, [box, messages.kinds[dataset][kind]]);
  });
}

/**
 * Renders a summary of the charts as a table of numbers, also for readers who cannot see the charts.
 *
 * @param {Dataset} dataset
 * @param {readonly import("./series.js").Summary[]} summary
 * @param {number} count
 */
function numbers(dataset, summary, count) {
  const fields = [messages.kind, messages.rows, "%", messages.volume, messages.lowest, messages.highest];
  const rows = summary.map(({ kind, rows: own, volume, low, high }) => [
    messages.kinds[dataset][kind],
    countText(own),
    ((100 * own) / count).toFixed(1),
    volume === null ? null : countText(volume),
    low,
    high,
  ]);
  return element(
    "div",
    { className: "scroll numbers", tabindex: "0", role: "region", "aria-label": messages.numbers },
    [gridOf(fields, rows, { right: true })],
  );
}
