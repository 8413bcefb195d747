/** From order records to what is drawn. Pure: rows as the service sends them, columns by `fields`. */

/** How orders are told apart, in the order they are drawn. */
export const KINDS = ["other", "cancel", "buy", "sell"];

const NEEDED = ["time", "price", "order_type", "order_code"];

/** Legacy names under which a column may have been asked for. */
const ALIASES = { side: "order_code" };

/** Where the needed columns are; null when one of them was not asked for. `volume` is -1 when it was not. */
export function columnsFor(fields) {
  const names = fields.map((name) => ALIASES[name] ?? name);
  const places = Object.fromEntries(NEEDED.map((name) => [name, names.indexOf(name)]));
  return Object.values(places).includes(-1) ? null : { ...places, volume: names.indexOf("volume") };
}

/** `093000010` as seconds of the day: 34200.01. */
export function secondsOf(time) {
  const number = Number(time);
  const milliseconds = number % 1000;
  const seconds = Math.floor(number / 1000) % 100;
  const minutes = Math.floor(number / 100_000) % 100;
  return Math.floor(number / 10_000_000) * 3600 + minutes * 60 + seconds + milliseconds / 1000;
}

/**
 * A record's kind. Cancels are Shanghai's `D` (and a `C` where a source has one). `order_code` is a side only
 * where it says B or S (or 1 and 2): it may be a trading phase (contract 4.1).
 */
export function kindOf(type, code) {
  if (type === "D" || type === "C") return "cancel";
  if (type === "S") return "other";
  if (code === "B" || code === "1") return "buy";
  return code === "S" || code === "2" ? "sell" : "other";
}

const kindOfRow = (row, places) => kindOf(row[places.order_type], row[places.order_code]);

const perKind = (make) => Object.fromEntries(KINDS.map((kind) => [kind, make(kind)]));

/**
 * Points of price against time: `{x, buy, sell, cancel, other, drawn}`, all as long as `x`, null where a point
 * is not of that kind. Rows without a price (market orders, phase flags) have no place and are left out.
 */
export function pricePoints(rows, places) {
  const points = { x: [], drawn: 0, ...perKind(() => []) };
  for (const row of rows) {
    const price = row[places.price];
    if (!(price > 0)) continue;
    const kind = kindOfRow(row, places);
    points.x.push(secondsOf(row[places.time]));
    for (const each of KINDS) points[each].push(each === kind ? price : null);
    points.drawn++;
  }
  return points;
}

/** Rows per minute: `{x, buy, sell, cancel, other}`; `x` is each minute from the first to the last, in seconds. */
export function rowsPerMinute(rows, places) {
  if (rows.length === 0) return { x: [], ...perKind(() => []) };
  const minuteOf = (row) => Math.floor(secondsOf(row[places.time]) / 60);
  const first = minuteOf(rows[0]);
  const length = minuteOf(rows[rows.length - 1]) - first + 1;
  const counts = {
    x: Array.from({ length }, (_, place) => (first + place) * 60),
    ...perKind(() => new Array(length).fill(0)),
  };
  for (const row of rows) counts[kindOfRow(row, places)][minuteOf(row) - first]++;
  return counts;
}

/** Orders so far at the end of each minute, `x`: `{x, buy, sell, cancel, other}`; it begins at zero. */
export function ordersSoFar(minutes) {
  if (minutes.x.length === 0) return minutes;
  const summed = (counts) => {
    let sum = 0;
    return [0, ...counts.map((count) => (sum += count))];
  };
  const ends = minutes.x.map((second) => second + 60);
  return { x: [minutes.x[0], ...ends], ...perKind((kind) => summed(minutes[kind])) };
}

/** Bars of several kinds on top of each other: for each of `kinds` the height at which its part ends. */
export function stacked(minutes, kinds) {
  const heights = minutes.x.map(() => 0);
  return kinds.map((kind) => {
    for (const [place, count] of minutes[kind].entries()) heights[place] += count;
    return [...heights];
  });
}

/**
 * The picture in numbers, one entry for each kind that occurs: `{kind, rows, volume, low, high}`. `volume` is
 * null when the column was not asked for, `low` and `high` when no row of the kind has a price.
 */
export function summaryOf(rows, places) {
  const sums = new Map();
  for (const row of rows) {
    const kind = kindOfRow(row, places);
    const sum = sums.get(kind) ?? {
      kind,
      rows: 0,
      volume: places.volume < 0 ? null : 0,
      low: null,
      high: null,
    };
    sums.set(kind, sum);
    sum.rows++;
    if (places.volume >= 0) sum.volume += row[places.volume];
    const price = row[places.price];
    if (!(price > 0)) continue;
    sum.low = sum.low === null ? price : Math.min(sum.low, price);
    sum.high = sum.high === null ? price : Math.max(sum.high, price);
  }
  return ["buy", "sell", "cancel", "other"].flatMap((kind) => sums.get(kind) ?? []);
}

/** The part of sorted prices that most of them lie in, with a little room: one wild order must not flatten all. */
export function priceRange(points) {
  const prices = KINDS.flatMap((kind) => points[kind].filter((price) => price !== null)).sort(
    (a, b) => a - b,
  );
  if (prices.length === 0) return null;
  const at = (share) => prices[Math.min(prices.length - 1, Math.floor(share * prices.length))];
  const [low, high] = prices.length < 100 ? [prices[0], prices.at(-1)] : [at(0.002), at(0.998)];
  const room = (high - low) * 0.04 || high * 0.01;
  return [low - room, high + room];
}

/** Seconds of the day as `09:30`, or `09:30:00.010` when `exact`. */
export function clockText(seconds, exact = false) {
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  if (!exact) return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}`;
  // Rounded once, before it is parted: 59.9999 s must not become 60.000 of the same minute.
  const milliseconds = Math.round(seconds * 1000);
  const whole = Math.floor(milliseconds / 1000);
  const rest = String(milliseconds % 1000).padStart(3, "0");
  return `${two(whole / 3600)}:${two((whole / 60) % 60)}:${two(whole % 60)}.${rest}`;
}
