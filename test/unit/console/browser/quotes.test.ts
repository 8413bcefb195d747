import { describe, expect, it } from "vitest";
import { bestPrices, levelsOf, placeAt, quotePlaces } from "../../../../src/console/browser/quotes.js";

const LEVELS = Array.from({ length: 10 }, (_, place) => place + 1);
const FIELDS = [
  "time",
  "close",
  ...LEVELS.flatMap((level) => [`bid${level}`, `bid_vol${level}`, `ask${level}`, `ask_vol${level}`]),
];
const PLACES = placesOf(FIELDS);

/** Returns a snapshot whose levels are a tick apart around `price`. */
const snapshot = (time: string, price: number, last = price) => [
  time,
  last,
  ...LEVELS.flatMap((level) => [price - level, 100 * level, price + level, 200 * level]),
];

function placesOf(fields: string[]) {
  const places = quotePlaces(fields);
  if (places === null) throw new Error(`no picture of ${fields}`);
  return places;
}

describe("charts of quotes", () => {
  it.each(["time", "bid1", "ask1"])("need the column %s", (name) => {
    expect(quotePlaces(FIELDS.filter((each) => each !== name))).toBeNull();
  });

  it("show the best prices by time, and no price where a side has no orders", () => {
    const auction = snapshot("091500000", 20, 0);
    auction[PLACES.levels.bid[0]?.price ?? -1] = 0;
    expect(bestPrices([auction, snapshot("093000500", 30)], PLACES)).toEqual({
      x: [33_300, 34_200.5],
      bid: [null, 29],
      ask: [21, 31],
      last: [null, 30],
    });
  });

  it("have no latest price if the column `close` was not requested", () => {
    const row = ["093000000", 9, 11];
    expect(bestPrices([row], placesOf(["time", "bid1", "ask1"])).last).toEqual([null]);
  });

  it.each([
    [9, 0],
    [10, 0],
    [10.5, 0],
    [11, 2],
    [12.9, 2],
    [13, 3],
    [99, 3],
  ])("show, at second %d, the snapshot with index %d", (second, place) => {
    expect(placeAt([10, 11, 11, 13], second)).toBe(place);
  });

  it("list the order book from the highest ask to the lowest bid", () => {
    const levels = levelsOf(snapshot("100000000", 50), PLACES);
    expect(levels.map(({ price }) => price)).toEqual([
      ...[60, 59, 58, 57, 56, 55, 54, 53, 52, 51],
      ...[49, 48, 47, 46, 45, 44, 43, 42, 41, 40],
    ]);
    expect([levels[9], levels[10]]).toEqual([
      { side: "ask", level: 1, price: 51, volume: 200 },
      { side: "bid", level: 1, price: 49, volume: 100 },
    ]);
  });

  it("leave the order book empty where a price is 0 or a column was not requested", () => {
    const row = ["092000000", 20, 500, 20, 500, 0, 300];
    const places = placesOf(["time", "bid1", "bid_vol1", "ask1", "ask_vol1", "bid2", "bid_vol2"]);
    const bids = levelsOf(row, places).filter(({ side }) => side === "bid");
    expect(bids.slice(0, 3).map(({ price, volume }) => [price, volume])).toEqual([
      [20, 500],
      [null, 300],
      [null, null],
    ]);
  });
});
