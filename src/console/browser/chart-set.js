/** What the charts of an answer share: the zoom, the buttons that change it, and the width. */
import { element, messages } from "./dom.js";

/** @typedef {[number, number]} Span first and last position on the folded time axis */

/** @type {import("uplot")[]} */
let charts = [];
/** @type {ResizeObserver | undefined} */
let watcher;
/**
 * Redraws the charts. It is called when printing begins and ends, because printed charts are always light.
 *
 * @type {() => void}
 */
let redraw = () => {};
window.matchMedia("print").addEventListener("change", () => redraw());
/**
 * The part of the time axis to which the reader has zoomed; a redraw keeps it.
 *
 * @type {Span | null}
 */
let view = null;

/** Resets the zoom before the answer to another request is shown. */
export function forgetView() {
  view = null;
}

/** Keeps the zoom for a redraw. */
export function keepView() {
  view = shownRange();
}

/** Removes the charts. */
export function clearCharts() {
  watcher?.disconnect();
  for (const chart of charts) chart.destroy();
  charts = [];
  redraw = () => {};
}

/**
 * Registers `made` as the page's charts, and keeps them as wide as `measured`. `again` redraws the charts in `root`.
 *
 * @param {import("uplot")[]} made
 * @param {{ root: HTMLElement, measured: HTMLElement, again: () => void }} page
 */
export function holdCharts(made, { root, measured, again }) {
  charts = made;
  redraw = () => {
    keepView();
    if (!root.hidden) again();
  };
  if (view !== null) zoomTo(view);
  watcher = new ResizeObserver(() => {
    const width = measured.clientWidth;
    if (width === 0) return;
    for (const chart of charts) if (chart.width !== width) chart.setSize({ width, height: chart.height });
  });
  watcher.observe(root);
}

/**
 * Returns the group of controls above the charts: `boxes`, and buttons that zoom.
 *
 * @param {HTMLElement[]} boxes
 */
export function controlsWith(boxes) {
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
 * Returns a note above or below a chart.
 *
 * @param {string} text
 */
export function note(text) {
  return element("p", { className: "quiet picture-note", text });
}

/**
 * Returns a chart's container with its title.
 *
 * @param {string} title
 * @param {HTMLElement} body
 */
export function figure(title, body) {
  return element("figure", {}, [element("figcaption", { text: title }), body]);
}
