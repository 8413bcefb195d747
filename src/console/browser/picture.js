/** Orders or trades as a picture: three charts over one time axis, their numbers in a table, and a zoom for keys. */
import { lookOf, minutesChart, priceChart, soFarChart } from "./charts.js";
import { countText, element, filled, messages } from "./dom.js";
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
/** @typedef {[number, number]} Span places of the folded time axis */

/** @type {import("uplot")[]} */
let charts = [];
/** @type {ResizeObserver | undefined} */
let watcher;
/**
 * Draws again in the colours of the medium: those of paper are always light.
 *
 * @type {() => void}
 */
let redraw = () => {};
window.matchMedia("print").addEventListener("change", () => redraw());
/**
 * Kinds the reader switched off; they outlive a redraw, as `view` does.
 *
 * @type {Set<Kind>}
 */
const hidden = new Set();
/**
 * The part of the time axis the reader drew out.
 *
 * @type {Span | null}
 */
let view = null;

/** Forgets what was drawn out, for an answer of another request. */
export function resetPicture() {
  view = null;
}

/**
 * Draws `rows` into `root`, in the place of what is there; `more` says that the service has more of them.
 *
 * @param {HTMLElement} root
 * @param {{ fields: string[], rows: import("./answer-data.js").Row[], more: boolean }} answer
 */
export function showPicture(root, { fields, rows, more }) {
  clear();
  redraw = () => {};
  const places = columnsFor(fields);
  if (places === null || rows.length === 0) {
    root.replaceChildren(note(places === null ? messages.pictureNeeds : messages.noRows));
    return;
  }
  const points = pricePoints(rows, places);
  const minutes = perMinute(rows, places);
  const { dataset } = places;
  const summary = summaryOf(rows, places);
  // A cancel among trades has neither a price nor a traded volume: there is nothing of it to draw.
  const isDrawn = (/** @type {Kind} */ kind) => dataset === "orders" || kind !== "cancel";
  const present = KINDS.filter((kind) => isDrawn(kind) && summary.some((each) => each.kind === kind));
  const again = () => showPicture(root, { fields, rows, more });
  redraw = () => {
    view = shownRange();
    if (!root.hidden) again();
  };
  const [price, soFar, ofMinutes] = [element("div"), element("div"), element("div")];
  root.replaceChildren(
    note(drawnText(dataset, { drawn: points.drawn, count: rows.length, more })),
    controls(dataset, present, again),
    figure(messages.priceTitle, price),
    figure(messages.soFarTitle[dataset], soFar),
    figure(messages.minutesTitle[dataset], ofMinutes),
    numbers(dataset, summary, rows.length),
  );
  const kinds = present.filter((kind) => !hidden.has(kind));
  /** @type {Span} */
  const range = [folded(minutes.x[0] ?? 0), folded((minutes.x.at(-1) ?? 0) + 60)];
  const common = { width: Math.max(280, price.clientWidth), look: lookOf(root), range, kinds, dataset };
  charts = [
    priceChart(price, points, common),
    soFarChart(soFar, soFarOf(minutes), common),
    minutesChart(ofMinutes, withoutLunch(minutes), common),
  ];
  if (view !== null) zoomTo(view);
  keepWidth(root, price);
}

function clear() {
  watcher?.disconnect();
  for (const chart of charts) chart.destroy();
  charts = [];
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
 * Which kinds are drawn, and the zoom without a mouse.
 *
 * @param {Dataset} dataset
 * @param {readonly Kind[]} present
 * @param {() => void} again
 */
function controls(dataset, present, again) {
  const boxes = present.map((kind) => {
    const box = element("input", { type: "checkbox", id: `kind-${kind}` });
    box.checked = !hidden.has(kind);
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(kind);
      else hidden.add(kind);
      view = shownRange();
      again();
      document.getElementById(box.id)?.focus();
    });
    return element("label", { className: `kind ${kind}` }, [box, messages.kinds[dataset][kind]]);
  });
  /**
   * @param {string} text
   * @param {(shown: Span) => Span} act
   */
  const button = (text, act) => {
    const made = element("button", { type: "button", text });
    made.addEventListener("click", () => zoomTo(act(shownRange())));
    return made;
  };
  /** @type {(share: number) => (shown: Span) => Span} */
  const moved =
    (share) =>
    ([low, high]) => [low + share * (high - low), high + share * (high - low)];
  /** @type {(by: number) => (shown: Span) => Span} */
  const scaled =
    (by) =>
    ([low, high]) => {
      const [middle, half] = [(low + high) / 2, ((high - low) / 2) * by];
      return [middle - half, middle + half];
    };
  return element("div", { className: "rows-bar", role: "group", "aria-label": messages.zoom }, [
    ...boxes,
    button(messages.zoomIn, scaled(0.5)),
    button(messages.zoomOut, scaled(2)),
    button(messages.zoomBack, moved(-0.5)),
    button(messages.zoomOn, moved(0.5)),
    button(messages.zoomAll, () => [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]),
    element("span", { className: "quiet", text: messages.zoomNote }),
  ]);
}

/** @returns {Span} */
function shownRange() {
  const { min = 0, max = 0 } = charts[0]?.scales.x ?? {};
  return [min, max];
}

/** @param {Span} span */
function zoomTo([min, max]) {
  for (const chart of charts) chart.setScale("x", { min, max });
}

/**
 * The charts in numbers: for who cannot see them, and for who wants to know.
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

/**
 * The charts follow the width of the page.
 *
 * @param {HTMLElement} root
 * @param {HTMLElement} measured
 */
function keepWidth(root, measured) {
  watcher = new ResizeObserver(() => {
    const width = measured.clientWidth;
    if (width === 0) return;
    for (const chart of charts) if (chart.width !== width) chart.setSize({ width, height: chart.height });
  });
  watcher.observe(root);
}

/** @param {string} text */
function note(text) {
  return element("p", { className: "quiet picture-note", text });
}

/**
 * @param {string} title
 * @param {HTMLElement} body
 */
function figure(title, body) {
  return element("figure", {}, [element("figcaption", { text: title }), body]);
}
