/** Converts orders or trades, as the service sends them, to the data of the charts. Pure. */

/** @typedef {"other" | "cancel" | "buy" | "sell"} Kind */
/** @typedef {readonly (string | number | null | undefined)[]} Row */
/**
 * Positions of the columns; -1 for a column that was not requested.
 *
 * @typedef {object} OrderPlaces
 * @property {"orders"} dataset
 * @property {number} time
 * @property {number} price
 * @property {number} volume
 * @property {number} order_type
 * @property {number} order_code
 */
/**
 * @typedef {object} TradePlaces
 * @property {"trades"} dataset
 * @property {number} time
 * @property {number} price
 * @property {number} volume
 * @property {number} bs_flag
 * @property {number} trade_code
 * @property {number} buy_order_id
 * @property {number} sell_order_id
 */
/** @typedef {OrderPlaces | TradePlaces} Places */
/** @typedef {Record<Kind, (number | null)[]> & { x: number[], drawn: number }} Points */
/** @typedef {Record<Kind, number[]> & { x: number[] }} Counts */
/**
 * @typedef {object} Summary
 * @property {Kind} kind
 * @property {number} rows
 * @property {number | null} volume
 * @property {number | null} low
 * @property {number | null} high
 */

/**
 * The kinds of rows in drawing order. An order's kind follows from its type and side, a trade's kind from the side of
 * the aggressor.
 */
export const KINDS = /** @type {const} */ (["other", "cancel", "buy", "sell"]);

/**
 * Legacy names under which a column may have been requested.
 *
 * @type {Record<string, string>}
 */
const ALIASES = { side: "order_code" };

/**
 * Returns the positions of the columns. The charts need time, price, type and code of orders, or time, price, volume
 * and flag of trades. Returns null when one of these columns was not requested.
 *
 * @param {readonly string[]} fields
 * @returns {Places | null}
 */
export function columnsFor(fields) {
  const names = fields.map((name) => ALIASES[name] ?? name);
  /** @param {string} name */
  const at = (name) => names.indexOf(name);
  const [time, price, volume] = [at("time"), at("price"), at("volume")];
  const [order_type, order_code, bs_flag] = [at("order_type"), at("order_code"), at("bs_flag")];
  if (time === -1 || price === -1) return null;
  if (order_type !== -1 && order_code !== -1)
    return { dataset: "orders", time, price, volume, order_type, order_code };
  if (bs_flag === -1 || volume === -1) return null;
  const ids = { buy_order_id: at("buy_order_id"), sell_order_id: at("sell_order_id") };
  return { dataset: "trades", time, price, volume, bs_flag, trade_code: at("trade_code"), ...ids };
}

/**
 * Converts a time such as `093000010` to seconds of the day: 34200.01.
 *
 * @param {unknown} time
 */
export function secondsOf(time) {
  const number = Number(time);
  const milliseconds = number % 1000;
  const seconds = Math.floor(number / 1000) % 100;
  const minutes = Math.floor(number / 100_000) % 100;
  return Math.floor(number / 10_000_000) * 3600 + minutes * 60 + seconds + milliseconds / 1000;
}

/**
 * Returns an order's kind. A cancel has the type `D` (Shanghai) or, in some sources, `C`. `order_code` is a side only
 * if it is B or S (or 1 or 2); otherwise it may be a trading phase (contract 4.1).
 *
 * @param {unknown} type
 * @param {unknown} code
 * @returns {Kind}
 */
export function kindOf(type, code) {
  if (type === "D" || type === "C") return "cancel";
  if (type === "S") return "other";
  if (code === "B" || code === "1") return "buy";
  return code === "S" || code === "2" ? "sell" : "other";
}

/** Continuous trading in seconds of the day, 09:30 to 14:57; only its trades have an aggressor. */
const CONTINUOUS = { from: 34_200, to: 53_820 };

/**
 * Returns a trade's kind: the side of the aggressor, whose order came second. The source's flag names this side. A
 * source without flags (DataYes in Shenzhen) numbers the orders of both sides in one sequence, so the aggressor has the
 * higher number. Auction trades have no aggressor. A Shenzhen cancel has the code `C`; if the code was not requested,
 * it is recognised by its price of 0.
 *
 * @param {Row} row
 * @param {TradePlaces} places
 * @returns {Kind}
 */
function kindOfTrade(row, places) {
  const flag = row[places.bs_flag];
  if (row[places.trade_code] === "C" || row[places.price] === 0) return "cancel";
  if (flag === "B") return "buy";
  if (flag === "S") return "sell";
  const [buy, sell] = [Number(row[places.buy_order_id] ?? 0), Number(row[places.sell_order_id] ?? 0)];
  const second = secondsOf(row[places.time]);
  const isContinuous = second >= CONTINUOUS.from && second < CONTINUOUS.to;
  if (flag !== "" || !isContinuous || buy === 0 || sell === 0) return "other";
  return buy > sell ? "buy" : "sell";
}

/**
 * Returns the kind of a row of orders or trades.
 *
 * @param {Row} row
 * @param {Places} places
 */
export function kindOfRow(row, places) {
  if (places.dataset === "trades") return kindOfTrade(row, places);
  return kindOf(row[places.order_type], row[places.order_code]);
}

/**
 * @template T
 * @param {(kind: Kind) => T} make
 * @returns {Record<Kind, T>}
 */
const perKind = (make) => ({
  other: make("other"),
  cancel: make("cancel"),
  buy: make("buy"),
  sell: make("sell"),
});

/**
 * Returns a row's price; null for a row without a price (market orders, phase flags).
 *
 * @param {Row} row
 * @param {Places} places
 */
function priceOf(row, places) {
  const price = row[places.price];
  return typeof price === "number" && price > 0 ? price : null;
}

/**
 * Returns the points of the price chart. All lists are as long as `x`; the list of a kind has null where the point is
 * of a different kind. Rows without a price are omitted.
 *
 * @param {readonly Row[]} rows
 * @param {Places} places
 * @returns {Points}
 */
export function pricePoints(rows, places) {
  /** @type {Points} */
  const points = { x: [], drawn: 0, ...perKind(() => /** @type {(number | null)[]} */ ([])) };
  for (const row of rows) {
    const price = priceOf(row, places);
    if (price === null) continue;
    const kind = kindOfRow(row, places);
    points.x.push(secondsOf(row[places.time]));
    for (const each of KINDS) points[each].push(each === kind ? price : null);
    points.drawn++;
  }
  return points;
}

/**
 * Returns the number of orders, or the traded volume, per minute and kind. `x` holds the start of each minute from the
 * first to the last, in seconds of the day. Cancels among trades do not count, because their volume was not traded.
 *
 * @param {readonly Row[]} rows
 * @param {Places} places
 * @returns {Counts}
 */
export function perMinute(rows, places) {
  /** @param {Row | undefined} row */
  const minuteOf = (row) => Math.floor(secondsOf(row?.[places.time]) / 60);
  const first = minuteOf(rows[0]);
  const length = rows.length === 0 ? 0 : minuteOf(rows.at(-1)) - first + 1;
  const counts = {
    x: Array.from({ length }, (_, place) => (first + place) * 60),
    ...perKind(() => /** @type {number[]} */ (new Array(length).fill(0))),
  };
  for (const row of rows) {
    const kind = kindOfRow(row, places);
    const ofKind = counts[kind];
    const minute = minuteOf(row) - first;
    const isTrade = places.dataset === "trades";
    const weight = isTrade ? (kind === "cancel" ? 0 : Number(row[places.volume])) : 1;
    ofKind[minute] = (ofKind[minute] ?? 0) + weight;
  }
  return counts;
}

/**
 * Returns the cumulative counts at the end of each minute (`x`), after a zero at the start of the first minute.
 *
 * @param {Counts} minutes
 * @returns {Counts}
 */
export function soFarOf(minutes) {
  const [first] = minutes.x;
  if (first === undefined) return minutes;
  /** @param {number[]} counts */
  const summed = (counts) => {
    let sum = 0;
    return [0, ...counts.map((count) => (sum += count))];
  };
  const ends = minutes.x.map((second) => second + 60);
  return { x: [first, ...ends], ...perKind((kind) => summed(minutes[kind])) };
}

/**
 * Returns a list for each of `kinds`: for each minute, the height at which the kind's layer of the stacked bar ends.
 *
 * @param {Counts} minutes
 * @param {readonly Kind[]} kinds
 */
export function stacked(minutes, kinds) {
  const heights = minutes.x.map(() => 0);
  return kinds.map((kind) => {
    for (const [place, count] of minutes[kind].entries()) heights[place] = (heights[place] ?? 0) + count;
    return [...heights];
  });
}

/**
 * Returns the number of rows, total volume and price range of each kind of row in `rows`. `volume` is null when that
 * column was not requested. `low` and `high` are null when no row of the kind has a price.
 *
 * @param {readonly Row[]} rows
 * @param {Places} places
 * @returns {Summary[]}
 */
export function summaryOf(rows, places) {
  /** @type {Map<Kind, Summary>} */
  const sums = new Map();
  for (const row of rows) {
    const kind = kindOfRow(row, places);
    const sum = sums.get(kind) ?? { kind, rows: 0, volume: null, low: null, high: null };
    sums.set(kind, sum);
    sum.rows++;
    if (places.volume >= 0) sum.volume = (sum.volume ?? 0) + Number(row[places.volume]);
    const price = priceOf(row, places);
    if (price === null) continue;
    sum.low = Math.min(sum.low ?? price, price);
    sum.high = Math.max(sum.high ?? price, price);
  }
  const order = /** @type {const} */ (["buy", "sell", "cancel", "other"]);
  return order.flatMap((kind) => sums.get(kind) ?? []);
}

/**
 * Returns the range that contains most of the points' prices.
 *
 * @param {Points} points
 */
export function priceRange(points) {
  return usualRange(KINDS.flatMap((kind) => points[kind]));
}

/**
 * Returns the range that contains most prices, with a small margin, so that one extreme order does not flatten the
 * chart. Returns null if there is no price.
 *
 * @param {readonly (number | null)[]} all
 * @returns {[number, number] | null}
 */
export function usualRange(all) {
  const prices = all.filter((price) => price !== null).sort((a, b) => a - b);
  /** @param {number} share */
  const at = (share) => prices[Math.min(prices.length - 1, Math.floor(share * prices.length))];
  const isFew = prices.length < 100;
  const [low, high] = [at(isFew ? 0 : 0.002), at(isFew ? 1 : 0.998)];
  if (low === undefined || high === undefined) return null;
  const margin = (high - low) * 0.04 || high * 0.01;
  return [low - margin, high + margin];
}

/**
 * Returns seconds of the day as `09:30`, or `09:30:00.010` when `exact`.
 *
 * @param {number} seconds
 */
export function clockText(seconds, exact = false) {
  /** @param {number} number */
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  if (!exact) return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}`;
  // The time is rounded before it is split, because 59.9999 s must not become 60.000 s of the same minute.
  const milliseconds = Math.round(seconds * 1000);
  const whole = Math.floor(milliseconds / 1000);
  const rest = String(milliseconds % 1000).padStart(3, "0");
  return `${two(whole / 3600)}:${two((whole / 60) % 60)}:${two(whole % 60)}.${rest}`;
}

/** The lunch break in seconds of the day, 11:30 to 13:00, and its length on the time axis. */
export const LUNCH = { from: 41_400, to: 46_800, left: 60 };

/**
 * Returns the position of an instant on a time axis with the lunch break shortened to a minute.
 *
 * @param {number} seconds of the day
 */
export function folded(seconds) {
  const { from, to, left } = LUNCH;
  if (seconds <= from) return seconds;
  if (seconds >= to) return seconds - (to - from) + left;
  return from + ((seconds - from) * left) / (to - from);
}

/**
 * Returns the instant at a position of the shortened time axis, in seconds of the day.
 *
 * @param {number} place
 */
export function unfolded(place) {
  const { from, to, left } = LUNCH;
  if (place <= from) return place;
  if (place >= from + left) return place + (to - from) - left;
  return from + ((place - from) * (to - from)) / left;
}

/**
 * Returns `minutes` without the empty minutes of the lunch break.
 *
 * @param {Counts} minutes
 * @returns {Counts}
 */
export function withoutLunch(minutes) {
  const isKept = minutes.x.map(
    (second, place) =>
      second < LUNCH.from || second >= LUNCH.to || KINDS.some((kind) => (minutes[kind][place] ?? 0) > 0),
  );
  /** @param {number[]} values */
  const kept = (values) => values.filter((_, place) => isKept[place]);
  return { x: kept(minutes.x), ...perKind((kind) => kept(minutes[kind])) };
}

/**
 * Returns the instants of the ticks between two positions of the shortened axis, `step` seconds apart. The lunch break
 * has one tick, at its start.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} step
 */
export function ticksBetween(low, high, step) {
  const ticks = [];
  const last = unfolded(high);
  for (let second = Math.ceil(unfolded(low) / step) * step; second <= last; second += step) {
    const isInBreak = second > LUNCH.from && second <= LUNCH.to;
    if (!isInBreak) ticks.push(second);
  }
  return ticks;
}

/**
 * Returns the text of a tick; the tick of the lunch break shows the times before and after it.
 *
 * @param {number} second
 */
export function tickText(second) {
  if (second === LUNCH.from) return `${clockText(LUNCH.from)}/${clockText(LUNCH.to)}`;
  return second % 60 === 0 ? clockText(second) : clockText(second, true).slice(0, 8);
}
