/** From order records to what is drawn. Pure: rows as the service sends them, columns by `fields`. */

/** How orders are told apart, in the order they are drawn. */
export const KINDS = ["other", "cancel", "buy", "sell"];

const NEEDED = ["time", "price", "order_type", "order_code"];

/** Legacy names under which a column may have been asked for. */
const ALIASES = { side: "order_code" };

/** Where the needed columns are; null when one of them was not asked for. */
export function columnsFor(fields) {
  const names = fields.map((name) => ALIASES[name] ?? name);
  const places = Object.fromEntries(NEEDED.map((name) => [name, names.indexOf(name)]));
  return Object.values(places).includes(-1) ? null : places;
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
 * where it says B or S (or 1 and 2): it may be a trading phase (spec 2.4).
 */
export function kindOf(type, code) {
  if (type === "D" || type === "C") return "cancel";
  if (type === "S") return "other";
  if (code === "B" || code === "1") return "buy";
  return code === "S" || code === "2" ? "sell" : "other";
}

/**
 * Points of price against time: `{x, buy, sell, cancel, other, drawn}`, all as long as `x`, null where a point
 * is not of that kind. Rows without a price (market orders, phase flags) have no place and are left out.
 */
export function pricePoints(rows, places) {
  const points = { x: [], drawn: 0, ...Object.fromEntries(KINDS.map((kind) => [kind, []])) };
  for (const row of rows) {
    const price = row[places.price];
    if (!(price > 0)) continue;
    const kind = kindOf(row[places.order_type], row[places.order_code]);
    points.x.push(secondsOf(row[places.time]));
    for (const each of KINDS) points[each].push(each === kind ? price : null);
    points.drawn++;
  }
  return points;
}

/** Rows per minute: `{x, rows, cancels}`; `x` is each minute from the first to the last one, in seconds. */
export function rowsPerMinute(rows, places) {
  const minutes = rows.map((row) => Math.floor(secondsOf(row[places.time]) / 60));
  if (minutes.length === 0) return { x: [], rows: [], cancels: [] };
  const first = minutes[0];
  const length = minutes[minutes.length - 1] - first + 1;
  const counts = { x: [], rows: new Array(length).fill(0), cancels: new Array(length).fill(0) };
  for (let place = 0; place < length; place++) counts.x.push((first + place) * 60);
  for (const [place, minute] of minutes.entries()) {
    const row = rows[place];
    counts.rows[minute - first]++;
    if (kindOf(row[places.order_type], row[places.order_code]) === "cancel") counts.cancels[minute - first]++;
  }
  return counts;
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
  const text = `${two(seconds / 3600)}:${two((seconds / 60) % 60)}`;
  if (!exact) return text;
  const rest = Math.round((seconds % 60) * 1000);
  return `${text}:${two(rest / 1000)}.${String(rest % 1000).padStart(3, "0")}`;
}
