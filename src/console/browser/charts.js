/** The three charts of an answer. All share their time axis, the cursor and what is drawn out of it. */
import { words } from "./known.js";
import { clockText, KINDS, priceRange, stacked } from "./series.js";

/** The library's global, from its own script. */
const Chart = globalThis.uPlot;

const AXIS_WIDTH = 64;

/** Marks and lines differ in form as well as colour. */
const MARKS = { other: "dot", buy: "dot", sell: "square", cancel: "cross" };
const DASHES = { other: [1, 5], buy: [], sell: [8, 4], cancel: [2, 3] };

/** Price against time, a mark for each order of `kinds`. */
export function priceChart(root, points, common) {
  const { kinds, look } = common;
  const usual = priceRange(points);
  return draw(root, {
    common,
    height: 340,
    y: (_, low, high) => inView(usual, low, high),
    label: words.priceTitle,
    x: points.x,
    series: kinds.map((kind) => ({
      values: points[kind],
      label: words[kind],
      stroke: look[kind],
      fill: look[kind],
      width: 1,
      paths: marks(MARKS[kind]),
      value: (_, price) => (price === null ? "–" : price.toFixed(2)),
    })),
  });
}

/** Orders so far over the day, a line for each of `kinds`. */
export function soFarChart(root, soFar, common) {
  const { kinds, look } = common;
  return draw(root, {
    common,
    height: 190,
    y: fromZero,
    label: words.soFarTitle,
    x: soFar.x,
    series: kinds.map((kind) => ({
      values: soFar[kind],
      label: words[kind],
      stroke: look[kind],
      width: 2,
      dash: DASHES[kind],
      value: (_, count) => countText(count),
    })),
  });
}

/** Rows per minute, the kinds on top of each other. */
export function minutesChart(root, minutes, common) {
  const { kinds, look } = common;
  const bars = Chart.paths.bars({ size: [0.9, 24], align: 1 });
  const heights = stacked(minutes, kinds);
  const layers = kinds.map((kind, place) => ({
    values: heights[place],
    label: words[kind],
    stroke: look[kind],
    fill: look[kind],
    width: 0,
    paths: bars,
    value: (_, __, ___, at) => countText(at === null ? null : minutes[kind][at]),
  }));
  // The highest first: each later layer covers the lower part of it.
  const series = layers.toReversed();
  return draw(root, { common, height: 170, y: fromZero, label: words.minutesTitle, x: minutes.x, series });
}

const countText = (count) => (count === null || count === undefined ? "–" : count.toLocaleString("en"));
const fromZero = (_, __, high) => [0, Math.max(1, (high ?? 0) * 1.06)];

function draw(root, { common: { width, look, range }, height, y, label, x, series }) {
  const axis = {
    stroke: look.text,
    grid: { stroke: look.line, width: 1 },
    ticks: { show: false },
    font: look.font,
  };
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
        values: (_, ticks) => ticks.map(tickText),
      },
      { ...axis, size: AXIS_WIDTH },
    ],
    series: [
      { label: words.time, value: (_, at) => (at === null ? "–" : clockText(at, true)) },
      ...series.map(({ values, ...each }) => ({ points: { show: false }, ...each })),
    ],
  };
  const chart = new Chart(options, [x, ...series.map(({ values }) => values)], root);
  chart.ctx.canvas.setAttribute("role", "img");
  chart.ctx.canvas.setAttribute("aria-label", label);
  return chart;
}

function tickText(seconds) {
  return seconds % 60 === 0 ? clockText(seconds) : clockText(seconds, true).slice(0, 8);
}

/** The same span for all charts, unless the reader drew out a part of it. */
function zoomed(range) {
  return (chart, low, high) => {
    const xs = chart.data[0];
    const isWhole = xs.length === 0 || low === null || (low <= xs[0] && high >= xs.at(-1));
    return isWhole || high - low < 0.01 ? range : [low, high];
  };
}

/** The usual prices; those in view when they are fewer. */
function inView(usual, low, high) {
  if (usual === null || low === null || low === undefined) return usual ?? [0, 1];
  const [from, to] = [Math.max(low, usual[0]), Math.min(high, usual[1])];
  const room = (to - from) * 0.04;
  return from < to ? [from - room, to + room] : usual;
}

/** A path of marks instead of a line: thousands of them are one path of the canvas. */
function marks(form) {
  return (chart, place, from, to) => {
    const [xs, ys] = [chart.data[0], chart.data[place]];
    const size = Chart.pxRatio * (to - from > 4_000 ? 1.1 : to - from > 600 ? 1.6 : 2.6);
    const path = new Path2D();
    for (let i = from; i <= to; i++) {
      if (ys[i] === null) continue;
      addMark(path, form, chart.valToPos(xs[i], "x", true), chart.valToPos(ys[i], "y", true), size);
    }
    const isLine = form === "cross";
    return { stroke: isLine ? path : null, fill: isLine ? null : path, clip: null, flags: 0 };
  };
}

function addMark(path, form, x, y, size) {
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

/** Colours and type of the page, which a canvas does not inherit. */
export function lookOf(root) {
  const style = getComputedStyle(root);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {
    text: colour("--quiet"),
    line: colour("--line"),
    ...Object.fromEntries(KINDS.map((kind) => [kind, colour(`--${kind}`)])),
    font: `12px ${style.fontFamily}`,
  };
}
