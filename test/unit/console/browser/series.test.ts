import { describe, expect, it } from "vitest";
import {
  clockText,
  columnsFor,
  folded,
  KINDS,
  kindOf,
  perMinute,
  pricePoints,
  priceRange,
  secondsOf,
  soFarOf,
  stacked,
  summaryOf,
  ticksBetween,
  tickText,
  unfolded,
  withoutLunch,
} from "../../../../src/console/browser/series.js";

const FIELDS = ["time", "order_type", "order_code", "price"];
const PLACES = placesOf(FIELDS);
const ROWS = [
  ["091500000", "S", "OCALL", 0],
  ["093000010", "A", "B", 12.5],
  ["093059999", "A", "S", 12.6],
  ["093100000", "D", "B", 12.5],
  ["093200000", "1", "2", 0],
];

describe("charts of orders", () => {
  it("convert HHMMSSmmm to seconds of the day and back", () => {
    expect(secondsOf("093000010")).toBeCloseTo(34_200.01, 6);
    expect(clockText(34_200.01, true)).toBe("09:30:00.010");
    expect(clockText(53_999.999, true)).toBe("14:59:59.999");
    expect(clockText(34_200)).toBe("09:30");
    expect(clockText(34_259.9996, true)).toBe("09:31:00.000");
  });

  it("need time, price, type and code, under their current or legacy names", () => {
    expect(columnsFor(["time", "price"])).toBeNull();
    expect(columnsFor(["side", "time", "price", "order_type"])).toMatchObject({ order_code: 0, time: 1 });
  });

  it.each([
    ["A", "B", "buy"],
    ["A", "S", "sell"],
    ["0", "1", "buy"],
    ["U", "2", "sell"],
    ["D", "B", "cancel"],
    ["S", "OCALL", "other"],
    ["S", "S", "other"],
    ["0", "", "other"],
  ])("show type %s with code %s as %s", (type, code, kind) => {
    expect(kindOf(type, code)).toBe(kind);
  });

  it("show each row that has a price as exactly one kind", () => {
    const points = pricePoints(ROWS, PLACES);
    expect(points.drawn).toBe(3);
    expect(points.buy).toEqual([12.5, null, null]);
    expect(points.sell).toEqual([null, 12.6, null]);
    expect(points.cancel).toEqual([null, null, 12.5]);
  });

  it("show the number of rows of every minute from the first to the last, including empty minutes", () => {
    const minutes = perMinute(ROWS, PLACES);
    expect(minutes.x).toHaveLength(18);
    const total = minutes.x.map((_, at) => KINDS.reduce((sum, kind) => sum + (minutes[kind][at] ?? 0), 0));
    expect(total.filter((count) => count > 0)).toEqual([1, 2, 1, 1]);
    expect(minutes.cancel[16]).toBe(1);
    expect(minutes.other[0]).toBe(1);
    expect(perMinute([], PLACES)).toEqual({ x: [], buy: [], sell: [], cancel: [], other: [] });
  });

  it("show the cumulative orders from zero to the total", () => {
    const soFar = soFarOf(perMinute(ROWS, PLACES));
    expect(soFar.x).toHaveLength(19);
    expect(soFar.x.at(-1)).toBe(9 * 3600 + 33 * 60);
    for (const kind of KINDS) expect(soFar[kind][0]).toBe(0);
    expect([soFar.buy.at(-1), soFar.sell.at(-1), soFar.cancel.at(-1), soFar.other.at(-1)]).toEqual([
      1, 2, 1, 1,
    ]);
    expect(soFar.buy[15]).toBe(0);
    expect(soFar.buy[16]).toBe(1);
  });

  it("stack the bars of the kinds of order in each minute", () => {
    const minutes = perMinute(ROWS, PLACES);
    const [buy, both] = stacked(minutes, ["buy", "sell"]);
    expect([buy?.[15], both?.[15]]).toEqual([1, 2]);
  });

  it("shorten the lunch break to a minute, and convert each position on the shortened axis back to its instant", () => {
    const moments = [34_200, 41_399.5, 41_400, 43_000, 46_800, 46_800.25, 54_000];
    expect([folded(41_400), folded(46_800), folded(54_000)]).toEqual([41_400, 41_460, 48_660]);
    for (const moment of moments) expect(unfolded(folded(moment))).toBeCloseTo(moment, 6);
    expect(moments.map(folded)).toEqual(moments.map(folded).toSorted((a, b) => a - b));
  });

  it("have ticks at round times, and one tick for the whole lunch break", () => {
    const ticks = ticksBetween(folded(34_200), folded(54_000), 1_800);
    expect(ticks.map(tickText)).toEqual([
      ...["09:30", "10:00", "10:30", "11:00", "11:30/13:00", "13:30", "14:00", "14:30", "15:00"],
    ]);
    expect(ticksBetween(41_390, 41_400, 5).map(tickText)).toEqual(["11:29:50", "11:29:55", "11:30/13:00"]);
  });

  it("omit the minutes of the lunch break that have no rows", () => {
    const rows = [
      ["112900000", "A", "B", 1],
      ["113000500", "A", "S", 1],
      ["130000000", "A", "B", 1],
    ];
    const minutes = withoutLunch(perMinute(rows, PLACES));
    expect(minutes.x.map((second) => clockText(second))).toEqual(["11:29", "11:30", "13:00"]);
    expect([minutes.buy, minutes.sell]).toEqual([
      [1, 0, 1],
      [0, 1, 0],
    ]);
  });

  it("are summarised by the rows, volume and prices of each kind that occurs", () => {
    const fields = [...FIELDS, "volume"];
    const rows = ROWS.map((row, at) => [...row, 100 * (at + 1)]);
    expect(summaryOf(rows, placesOf(fields))).toEqual([
      { kind: "buy", rows: 1, volume: 200, low: 12.5, high: 12.5 },
      { kind: "sell", rows: 2, volume: 800, low: 12.6, high: 12.6 },
      { kind: "cancel", rows: 1, volume: 400, low: 12.5, high: 12.5 },
      { kind: "other", rows: 1, volume: 100, low: null, high: null },
    ]);
    expect(summaryOf(ROWS, PLACES)[0]?.volume).toBeNull();
  });

  it("keep their scale when one price among thousands is far from the others", () => {
    const rows = Array.from({ length: 2_000 }, (_, place) => [
      "093000000",
      "A",
      "B",
      10 + (place % 10) / 100,
    ]);
    const [low, high] = priceRange(pricePoints([...rows, ["093000001", "A", "B", 999]], PLACES)) ?? [0, 0];
    expect(low).toBeGreaterThan(9.9);
    expect(high).toBeLessThan(10.2);
  });
});

describe("charts of trades", () => {
  const fields = ["time", "price", "volume", "bs_flag", "trade_code", "buy_order_id", "sell_order_id"];
  const places = placesOf(fields);
  const kindOfOne = (row: (string | number)[]) => summaryOf([row], places)[0]?.kind;

  it.each([
    ["a Shanghai trade with flag B as a buy", ["093000010", 12.5, 100, "B", "", 9, 3], "buy"],
    ["a Shanghai trade with flag S as a sell", ["093000010", 12.5, 100, "S", "", 3, 9], "sell"],
    ["a Shanghai auction trade as other", ["092500000", 12.5, 100, "N", "", 9, 3], "other"],
    ["a trade by its flag even if its order ids disagree", ["100000000", 12.5, 100, "S", "0", 9, 3], "sell"],
    ["a Shenzhen trade with a later buy order as a buy", ["100000000", 12.5, 100, "", "0", 9, 3], "buy"],
    ["a Shenzhen trade with a later sell order as a sell", ["145659990", 12.5, 100, "", "0", 3, 9], "sell"],
    ["a trade of Shenzhen's opening auction as other", ["092500000", 12.5, 100, "", "0", 9, 3], "other"],
    ["a trade of Shenzhen's closing auction as other", ["150000000", 12.5, 100, "", "0", 9, 3], "other"],
    ["a trade without order numbers as other", ["100000000", 12.5, 100, "", "0", 0, 0], "other"],
    ["a Shenzhen cancel as a cancel", ["100000000", 0, 100, "", "C", 9, 0], "cancel"],
  ])("show %s", (_, row, kind) => {
    expect(kindOfOne(row)).toBe(kind);
  });

  it("show a row without a price as a cancel if the rows lack the column trade_code", () => {
    const few = placesOf(["time", "price", "volume", "bs_flag"]);
    expect(summaryOf([["100000000", 0, 100, ""]], few)[0]?.kind).toBe("cancel");
    expect(summaryOf([["100000000", 9, 100, ""]], few)[0]?.kind).toBe("other");
    expect(columnsFor(["time", "price", "bs_flag"])).toBeNull();
  });

  it("show the traded volume of each minute by side, without cancels", () => {
    const rows = [
      ["093000010", 12.5, 100, "B", "", 9, 3],
      ["093059000", 12.6, 300, "B", "", 9, 3],
      ["093059010", 12.4, 500, "S", "", 3, 9],
      ["093100000", 0, 900, "", "C", 9, 0],
      ["093159999", 12.5, 200, "S", "", 3, 9],
    ];
    const minutes = perMinute(rows, places);
    expect([minutes.buy, minutes.sell, minutes.cancel]).toEqual([
      [400, 0],
      [500, 200],
      [0, 0],
    ]);
    expect(soFarOf(minutes).sell).toEqual([0, 500, 700]);
    expect(pricePoints(rows, places)).toMatchObject({ drawn: 4, buy: [12.5, 12.6, null, null] });
  });
});

/** Returns the positions of the columns in `fields`. Throws if a required column is missing. */
function placesOf(fields: string[]) {
  const places = columnsFor(fields);
  if (places === null) throw new Error("a needed column is missing");
  return places;
}
