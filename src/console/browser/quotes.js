/** Converts quotes to the data of the charts: the best prices over the day and the levels at one instant. Pure. */
import { secondsOf } from "./series.js";

/** @typedef {import("./series.js").Row} Row */
/** @typedef {"ask" | "bid"} Side */
/**
 * Positions of the columns; -1 for a column that was not requested.
 *
 * @typedef {object} QuotePlaces
 * @property {number} time
 * @property {number} close
 * @property {Record<Side, { price: number, volume: number }[]>} levels of each side, the best price first
 */
/**
 * The best prices over time. All lists are as long as `x`. `bid` and `ask` are null where that side has no orders,
 * `last` is null before the first trade.
 *
 * @typedef {{ x: number[] } & Record<Side | "last", (number | null)[]>} BestPrices
 */
/**
 * A level of the book. `price` is null where the side has no such level. It is also null for the second level of an
 * auction, whose volume is the unmatched quantity.
 *
 * @typedef {{ side: Side, level: number, price: number | null, volume: number | null }} Level
 */

/** The number of levels of each side. */
const LEVELS = 10;

/**
 * Returns the positions of the columns of quotes; null when the time, the best bid or the best ask was not requested.
 *
 * @param {readonly string[]} fields
 * @returns {QuotePlaces | null}
 */
export function quotePlaces(fields) {
  /** @param {string} name */
  const at = (name) => fields.indexOf(name);
  if ([at("time"), at("bid1"), at("ask1")].includes(-1)) return null;
  /** @param {Side} side */
  const levelsOf = (side) =>
    Array.from({ length: LEVELS }, (_, place) => ({
      price: at(`${side}${place + 1}`),
      volume: at(`${side}_vol${place + 1}`),
    }));
  return { time: at("time"), close: at("close"), levels: { ask: levelsOf("ask"), bid: levelsOf("bid") } };
}

/**
 * Returns a cell as a number; null if its column was not requested.
 *
 * @param {Row | undefined} row
 * @param {number} place
 */
function numberAt(row, place) {
  const value = row?.[place];
  return typeof value === "number" ? value : null;
}

/**
 * Returns a price; null for 0, which means no price.
 *
 * @param {Row | undefined} row
 * @param {number} place
 */
function priceAt(row, place) {
  return numberAt(row, place) || null;
}

/**
 * Returns the best bid, the best ask and the latest price of each row. `x` holds the times in seconds of the day.
 *
 * @param {readonly Row[]} rows
 * @param {QuotePlaces} places
 * @returns {BestPrices}
 */
export function bestPrices(rows, { time, close, levels }) {
  /** @param {number} place */
  const prices = (place) => rows.map((row) => priceAt(row, place));
  return {
    x: rows.map((row) => secondsOf(row[time])),
    bid: prices(levels.bid[0]?.price ?? -1),
    ask: prices(levels.ask[0]?.price ?? -1),
    last: prices(close),
  };
}

/**
 * Returns the index of the last snapshot at or before `second`; 0 if there is none.
 *
 * @param {readonly number[]} x seconds of the day, ascending; not empty
 * @param {number} second
 */
export function placeAt(x, second) {
  const after = x.findIndex((each) => each > second);
  return after === -1 ? x.length - 1 : Math.max(0, after - 1);
}

/**
 * Returns the levels of a snapshot in the order of an order book: the highest ask first, the lowest bid last.
 *
 * @param {Row | undefined} row
 * @param {QuotePlaces} places
 * @returns {Level[]}
 */
export function levelsOf(row, { levels }) {
  /** @param {Side} side */
  const of = (side) =>
    levels[side].map(({ price, volume }, place) => ({
      side,
      level: place + 1,
      price: priceAt(row, price),
      volume: numberAt(row, volume),
    }));
  return [...of("ask").toReversed(), ...of("bid")];
}
