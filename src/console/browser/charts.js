/**
 * The charts of an answer: three for orders or trades, one for quotes. All charts share the cursor, the zoom, and a
 * time axis on which the lunch break is shortened.
 */
import { messages } from "./dom.js";
import {
  clockText,
  folded,
  KINDS,
  LUNCH,
  priceRange,
  stacked,
  ticksBetween,
  tickText,
  unfolded,
  usualRange,
} from "./series.js";

/** @typedef {import("./series.js").Kind} Kind */
/** @typedef {import("./series.js").Points} Points */
/** @typedef {import("./series.js").Counts} Counts */
/** @typedef {import("uplot")} UPlot */
/** @typedef {Record<Kind | "text" | "line" | "font", string>} Look */
/**
 * The settings of every chart.
 *
 * @typedef {object} Frame
 * @property {number} width
 * @property {Look} look
 * @property {[number, number]} range first and last position on the folded time axis
 */
/**
 * The common settings of the charts of orders or trades.
 *
 * @typedef {Frame & { kinds: Kind[], dataset: "orders" | "trades" }} Common
 */
/**
 * The settings of the chart of quotes. `instant` returns the marked instant. A click calls `choose` with the clicked
 * instant. Both instants are in seconds of the day.
 *
 * @typedef {Frame & { instant: () => number, choose: (second: number) => void }} Choosing
 */
/** @typedef {import("uplot").Series & { values?: never, data: (number | null)[] }} Line */

/**
 * The chart library's global, which a separate script defines.
 *
 * @type {typeof import("uplot")}
 */
const Chart = Reflect.get(globalThis, "uPlot");

const AXIS_WIDTH = 64;

/** The kinds differ in the form of their marks and lines, so that readers need not tell the colours apart. */
const MARKS = /** @type {const} */ ({ other: "dot", buy: "dot", sell: "square", cancel: "cross" });

/** @type {Record<Kind, number[]>} */
const DASHES = { other: [1, 5], buy: [], sell: [8, 4], cancel: [2, 3] };

/**
 * Draws price against time, with a mark for each row of the shown kinds.
 *
 * @param {HTMLElement} root
 * @param {Points} points
 * @param {Common} common
 */
export function priceChart(root, points, common) {
  const { kinds, look, dataset } = common;
  const usual = priceRange(points);
  return draw(root, {
    common,
    height: 340,
    y: (_, low, high) => inView(usual, low, high),
    label: messages.priceTitle,
    x: points.x,
    lines: kinds.map((kind) => ({
      data: points[kind],
      label: messages.kinds[dataset][kind],
      stroke: look[kind],
      fill: look[kind],
      width: 1,
      paths: marks(MARKS[kind]),
      value: (_, price) => (price === null ? "–" : price.toFixed(2)),
    })),
  });
}

/**
 * Draws cumulative orders, or the cumulative traded volume, over the day, with one line for each kind.
 *
 * @param {HTMLElement} root
 * @param {Counts} soFar
 * @param {Common} common
 */
export function soFarChart(root, soFar, common) {
  const { kinds, look, dataset } = common;
  return draw(root, {
    common,
    height: 190,
    y: fromZero,
    label: messages.soFarTitle[dataset],
    x: soFar.x,
    lines: kinds.map((kind) => ({
      data: soFar[kind],
      label: messages.kinds[dataset][kind],
      stroke: look[kind],
      width: 2,
      dash: DASHES[kind],
      value: (_, count) => countText(count),
    })),
  });
}

/**
 * Draws rows, or the traded volume, per minute as stacked bars, with one layer for each kind.
 *
 * @param {HTMLElement} root
 * @param {Counts} minutes
 * @param {Common} common
 */
export function minutesChart(root, minutes, common) {
  const { kinds, look, dataset } = common;
  const bars = Chart.paths.bars?.({ size: [0.9, 24], align: 1 });
  const heights = stacked(minutes, kinds);
  const layers = kinds.map((kind, place) => ({
    data: heights[place] ?? [],
    label: messages.kinds[dataset][kind],
    stroke: look[kind],
    fill: look[kind],
    width: 0,
    ...(bars === undefined ? {} : { paths: bars }),
    /** @type {import("uplot").Series.Value} */
    value: (_, __, ___, at) => countText(at === null ? null : minutes[kind][at]),
  }));
  // The highest layer is drawn first, because each later layer covers the lower part of the chart.
  const lines = layers.toReversed();
  return draw(root, {
    common,
    height: 170,
    y: fromZero,
    label: messages.minutesTitle[dataset],
    x: minutes.x,
    lines,
  });
}

/**
 * Draws the best bid and ask and the latest price, each held until the next snapshot. A click selects an instant, which
 * a line marks.
 *
 * @param {HTMLElement} root
 * @param {import("./quotes.js").BestPrices} prices
 * @param {Choosing} common
 */
export function bestPricesChart(root, { x, bid, ask, last }, common) {
  const { look, instant, choose } = common;
  const stepped = Chart.paths.stepped?.({ align: 1 });
  const usual = usualRange([...bid, ...ask]);
  /**
   * @param {"bid" | "ask" | "last"} name
   * @param {(number | null)[]} data
   * @param {{ stroke: string, width: number, dash?: number[] }} form
   * @returns {Line}
   */
  const line = (name, data, form) => ({
    data,
    label: messages.sides[name],
    ...form,
    ...(stepped === undefined ? {} : { paths: stepped }),
    value: (_, price) => priceText(price),
  });
  const chart = draw(root, {
    common,
    height: 340,
    y: (_, low, high) => inView(usual, low, high),
    label: messages.bestTitle,
    x,
    lines: [
      line("last", last, { stroke: look.other, width: 1, dash: [1, 4] }),
      line("bid", bid, { stroke: look.buy, width: 1.5 }),
      line("ask", ask, { stroke: look.sell, width: 1.5, dash: [6, 3] }),
    ],
    mark: (each) => drawUpright(each, folded(instant()), look.text),
  });
  chart.over.addEventListener("click", ({ offsetX }) => choose(unfolded(chart.posToVal(offsetX, "x"))));
  return chart;
}

/** @param {number | null | undefined} price */
const priceText = (price) =>
  price === null || price === undefined ? "–" : price.toFixed(price < 10 ? 3 : 2);

/** @param {number | null | undefined} count */
const countText = (count) => (count === null || count === undefined ? "–" : count.toLocaleString("en"));

/** @type {import("uplot").Range.Function} */
const fromZero = (_, __, high) => [0, Math.max(1, (high ?? 0) * 1.06)];

/**
 * @typedef {object} Drawing
 * @property {Frame} common
 * @property {number} height
 * @property {import("uplot").Range.Function} y
 * @property {string} label
 * @property {number[]} x
 * @property {Line[]} lines
 * @property {(chart: import("uplot")) => void} [mark] draws over the lines
 */

/**
 * @param {HTMLElement} root
 * @param {Drawing} drawing
 */
function draw(root, { common: { width, look, range }, height, y, label, x, lines, mark }) {
  const axis = {
    stroke: look.text,
    grid: { stroke: look.line, width: 1 },
    ticks: { show: false },
    font: look.font,
  };
  /** @type {import("uplot").Options} */
  const options = {
    width,
    height,
    padding: [8, 20, 0, 0],
    cursor: { sync: { key: "orders", setSeries: false }, drag: { x: true, y: false }, points: { size: 7 } },
    scales: { x: { time: false, range: zoomed(range) }, y: { range: y } },
    axes: [
      {
        ...axis,
        incrs: [1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14_400],
        size: 30,
        space: 64,
        splits: (_, __, low, high, step) => ticksBetween(low, high, step).map(folded),
        values: (_, places) => places.map((place) => tickText(Math.round(unfolded(place) * 1000) / 1000)),
      },
      { ...axis, size: AXIS_WIDTH },
    ],
    hooks: {
      drawAxes: [(chart) => drawUpright(chart, LUNCH.from + LUNCH.left / 2, look.text, [4, 4])],
      draw: mark === undefined ? [] : [mark],
    },
    series: [
      { label: messages.time, value: (_, at) => (at === null ? "–" : clockText(unfolded(at), true)) },
      ...lines.map(({ data: _, ...each }) => ({ points: { show: false }, ...each })),
    ],
  };
  const chart = new Chart(options, [x.map(folded), ...lines.map(({ data }) => data)], root);
  chart.ctx.canvas.setAttribute("role", "img");
  chart.ctx.canvas.setAttribute("aria-label", label);
  return chart;
}

/**
 * Draws a vertical line at a position of the shortened time axis, if the position is visible.
 *
 * @param {import("uplot")} chart
 * @param {number} place
 * @param {string} colour
 * @param {number[]} dash
 */
function drawUpright({ ctx, bbox, scales, valToPos }, place, colour, dash = []) {
  const { min = null, max = null } = scales.x ?? {};
  if (min === null || max === null || place < min || place > max) return;
  const x = Math.round(valToPos(place, "x", true));
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/**
 * Returns a range function for the time axis. It returns `range` unless the reader has zoomed in.
 *
 * @param {[number, number]} range
 * @returns {import("uplot").Range.Function}
 */
function zoomed(range) {
  return (chart, low, high) => {
    const xs = chart.data[0];
    const [first = 0, last = 0] = [xs[0], xs[xs.length - 1]];
    const isWhole = xs.length === 0 || low === null || high === null || (low <= first && high >= last);
    return isWhole || high - low < 0.01 ? range : [low, high];
  };
}

/**
 * Returns the part of the usual price range in which the visible prices lie. Returns the whole usual range if no
 * visible price lies in it, and `[0, 1]` if there are no prices.
 *
 * @param {[number, number] | null} usual
 * @param {number | null | undefined} low
 * @param {number | null | undefined} high
 * @returns {[number, number]}
 */
function inView(usual, low, high) {
  if (usual === null || low === null || low === undefined || high === null || high === undefined)
    return usual ?? [0, 1];
  const [from, to] = [Math.max(low, usual[0]), Math.min(high, usual[1])];
  const margin = (to - from) * 0.04;
  return from < to ? [from - margin, to + margin] : usual;
}

/**
 * Returns a function that draws marks instead of a line. All marks are one canvas path, because there can be thousands.
 *
 * @param {"dot" | "square" | "cross"} form
 * @returns {import("uplot").Series.PathBuilder}
 */
function marks(form) {
  return (chart, place, from, to) => {
    const [xs, ys = []] = [chart.data[0], chart.data[place]];
    const size = Chart.pxRatio * (to - from > 4_000 ? 1.1 : to - from > 600 ? 1.6 : 2.6);
    const path = new Path2D();
    for (let i = from; i <= to; i++) {
      const [x, y] = [xs[i], ys[i]];
      if (x === undefined || y === null || y === undefined) continue;
      addMark(path, form, { x: chart.valToPos(x, "x", true), y: chart.valToPos(y, "y", true), size });
    }
    const isLine = form === "cross";
    return { stroke: isLine ? path : null, fill: isLine ? null : path, clip: null, flags: 0 };
  };
}

/**
 * @param {Path2D} path
 * @param {"dot" | "square" | "cross"} form
 * @param {{ x: number, y: number, size: number }} mark
 */
function addMark(path, form, { x, y, size }) {
  if (form === "dot") {
    path.moveTo(x + size, y);
    path.arc(x, y, size, 0, 2 * Math.PI);
  } else if (form === "square") {
    path.rect(x - size, y - size, 2 * size, 2 * size);
  } else {
    path.moveTo(x - size, y - size);
    path.lineTo(x + size, y + size);
    path.moveTo(x - size, y + size);
    path.lineTo(x + size, y - size);
  }
}

/**
 * Returns the page's colours and font, which a canvas does not inherit.
 *
 * @param {HTMLElement} root
 * @returns {Look}
 */
export function lookOf(root) {
  const style = getComputedStyle(root);
  /** @param {string} name */
  const colour = (name) => style.getPropertyValue(name).trim();
  const [other, cancel, buy, sell] = KINDS.map((kind) => colour(`--${kind}`));
  return {
    text: colour("--quiet"),
    line: colour("--line"),
    font: `12px ${style.fontFamily}`,
    other: other ?? "",
    cancel: cancel ?? "",
    buy: buy ?? "",
    sell: sell ?? "",
  };
}
