/** Order records as a picture: price against time, and rows per minute below it, with one cursor. */
import { clockText, columnsFor, KINDS, pricePoints, priceRange, rowsPerMinute } from "./series.js";

/** The library's global, from its own script. */
const Chart = globalThis.uPlot;

const PRICE_HEIGHT = 340;
const MINUTES_HEIGHT = 150;
const AXIS_WIDTH = 64;

/** Marks differ in form as well as colour: dots, squares and crosses. */
const MARKS = { other: "dot", buy: "dot", sell: "square", cancel: "cross" };

let drawn = [];

/** Draws `rows` into `root`, in the place of what is there. */
export function showPicture(root, { fields, rows, words, fill }) {
  for (const chart of drawn) chart.destroy();
  drawn = [];
  const places = columnsFor(fields);
  if (places === null || rows.length === 0) {
    root.replaceChildren(paragraph(places === null ? words.pictureNeeds : words.noRows));
    return;
  }
  const points = pricePoints(rows, places);
  const minutes = rowsPerMinute(rows, places);
  const counted = { drawn: points.drawn, count: rows.length, without: rows.length - points.drawn };
  const counts = Object.fromEntries(
    Object.entries(counted).map(([name, count]) => [name, count.toLocaleString("en")]),
  );
  const [price, perMinute] = [document.createElement("div"), document.createElement("div")];
  root.replaceChildren(
    paragraph(fill(words.pictureNote, counts)),
    figure(words.priceTitle, price),
    figure(words.minutesTitle, perMinute),
    paragraph(words.zoom),
  );
  const look = lookOf(root);
  const width = Math.max(280, price.clientWidth);
  const range = [minutes.x[0], minutes.x.at(-1) + 60];
  const common = { width, look, range, words };
  if (points.drawn > 0) drawn.push(priceChart(price, points, common));
  drawn.push(minutesChart(perMinute, minutes, common));
  keepWidth(root, price);
}

function priceChart(root, points, { width, look, range, words }) {
  const kinds = KINDS.filter((kind) => points[kind].some((price) => price !== null));
  const yRange = priceRange(points);
  const options = {
    ...commonOptions({ width, height: PRICE_HEIGHT, look, range }),
    scales: {
      x: { time: false, range: zoomed(range) },
      y: { range: (_, low, high) => inView(yRange, low, high) },
    },
    series: [
      timeSeries(words),
      ...kinds.map((kind) => ({
        label: words[kind],
        stroke: look[kind],
        fill: look[kind],
        width: 1,
        paths: marks(MARKS[kind]),
        points: { show: false },
        value: (_, price) => (price === null ? "–" : price.toFixed(2)),
      })),
    ],
  };
  return new Chart(options, [points.x, ...kinds.map((kind) => points[kind])], root);
}

function minutesChart(root, minutes, { width, look, range, words }) {
  const bars = Chart.paths.bars({ size: [0.9, 24], align: 1 });
  const bar = (label, colour) => ({
    label,
    stroke: colour,
    fill: colour,
    width: 0,
    paths: bars,
    points: { show: false },
  });
  const options = {
    ...commonOptions({ width, height: MINUTES_HEIGHT, look, range }),
    scales: {
      x: { time: false, range: zoomed(range) },
      y: { range: (_, __, high) => [0, Math.max(1, high * 1.08)] },
    },
    series: [timeSeries(words), bar(words.minutesTitle, look.quiet), bar(words.cancel, look.cancel)],
  };
  return new Chart(options, [minutes.x, minutes.rows, minutes.cancels], root);
}

function commonOptions({ width, height, look }) {
  const axis = {
    stroke: look.text,
    grid: { stroke: look.line, width: 1 },
    ticks: { show: false },
    font: look.font,
  };
  return {
    width,
    height,
    padding: [8, 20, 0, 0],
    cursor: { sync: { key: "orders", setSeries: false }, drag: { x: true, y: false }, points: { size: 7 } },
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
  };
}

function tickText(seconds) {
  return seconds % 60 === 0 ? clockText(seconds) : clockText(seconds, true).slice(0, 8);
}

function timeSeries(words) {
  return { label: words.time, value: (_, seconds) => (seconds === null ? "–" : clockText(seconds, true)) };
}

/** The whole day, unless the reader drew out a part of it. */
function zoomed(range) {
  return (chart, low, high) =>
    chart.data[0].length === 0 || low === null ? range : widened(chart, low, high, range);
}

function widened(chart, low, high, range) {
  const xs = chart.data[0];
  const isWhole = low <= xs[0] && high >= xs.at(-1);
  return isWhole ? range : [low, high];
}

/** The usual prices; those in view when they are fewer. */
function inView(usual, low, high) {
  if (low === null || low === undefined) return usual;
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
function lookOf(root) {
  const style = getComputedStyle(root);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {
    text: colour("--quiet"),
    quiet: colour("--bar"),
    line: colour("--line"),
    buy: colour("--buy"),
    sell: colour("--sell"),
    cancel: colour("--cancel"),
    other: colour("--quiet"),
    font: `12px ${style.fontFamily}`,
  };
}

function keepWidth(root, measured) {
  const watcher = new ResizeObserver(() => {
    const width = measured.clientWidth;
    if (width === 0 || !root.isConnected || !measured.isConnected) return;
    for (const chart of drawn) if (chart.width !== width) chart.setSize({ width, height: chart.height });
  });
  watcher.observe(root);
}

function paragraph(text) {
  const made = document.createElement("p");
  made.className = "quiet picture-note";
  made.textContent = text;
  return made;
}

function figure(title, body) {
  const made = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = title;
  made.append(caption, body);
  return made;
}
