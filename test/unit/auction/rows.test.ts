import { describe, expect, it } from "vitest";
import { type Auction, auctionOf, percentChange } from "../../../src/auction/rows.ts";
import { printedRandom } from "../../support/random.ts";
import { call, quotesOf, type Snapshot } from "./quotes.ts";

/** Returns each row as a string: time, price, volume, unmatched shares and side. The result row ends with `result`. */
const short = ({ rows }: Auction) =>
  rows.map(({ time, priceE4, volume, unmatched, side, isResult }) =>
    [time, priceE4, volume, `${unmatched}${side}`, ...(isResult ? ["result"] : [])].join(" "),
  );

const rowsOf = (...snapshots: Snapshot[]) => short(auctionOf(quotesOf(snapshots)));
const defectsOf = (...snapshots: Snapshot[]) =>
  auctionOf(quotesOf(snapshots)).defects.map(({ kind, row, time }) => `${kind} ${row} ${time}`);

const OPENED: Snapshot = {
  time: 92501000,
  close: 101_000,
  volume: 700,
  bid: [[101_000, 200]],
  ask: [[101_100, 900]],
};

describe("the rows of an opening auction (contract 8.10)", () => {
  it("are one row with matched and unmatched shares for each snapshot of the auction, and one row for the result", () => {
    const calls = [
      call(91500000, 100_500, 300, 100),
      call(91503000, 100_600, 400, -50),
      call(91506000, 100_600, 400),
    ];
    expect(rowsOf(...calls, OPENED)).toEqual([
      "91500000 100500 300 100b",
      "91503000 100600 400 50s",
      "91506000 100600 400 0",
      "92501000 101000 700 200b result",
    ]);
  });

  it("include a row of zeros for a snapshot of the call that shows no price level", () => {
    expect(rowsOf({ time: 91500000 })).toEqual(["91500000 0 0 0"]);
  });

  it("include the result and also a snapshot of the call phase with the same time", () => {
    const shared = { ...OPENED, time: 92500000 };
    expect(rowsOf(call(92500000, 100_500, 300), shared, { ...OPENED, time: 92503000 })).toEqual([
      "92500000 100500 300 0",
      "92500000 101000 700 200b result",
    ]);
    expect(rowsOf(call(92509999, 100_500, 300))).toEqual(["92509999 100500 300 0"]);
    expect(rowsOf(call(92510000, 100_500, 300))).toEqual(["92510000 0 0 0 result"]);
  });

  it("have the latest price in the result row, or 0 when nothing was traded", () => {
    const untraded = {
      time: 92501000,
      close: 100_000,
      bid: [[99_000, 5_000]],
      ask: [[101_000, 2_200]],
    } as const;
    expect(rowsOf(untraded)).toEqual(["92501000 0 0 0 result"]);
    expect(rowsOf({ ...OPENED, bid: [[100_900, 200]], ask: [[101_000, 60]] })).toEqual([
      "92501000 101000 700 60s result",
    ]);
    expect(rowsOf({ ...OPENED, bid: [[100_900, 200]] })).toEqual(["92501000 101000 700 0 result"]);
  });

  it("exclude snapshots before 09:15, after the result, and at or after 09:30", () => {
    expect(rowsOf(call(91459999, 100_500, 300), OPENED, call(92502000, 100_500, 300))).toHaveLength(1);
    expect(rowsOf({ ...OPENED, time: 93000000 })).toEqual([]);
    expect(rowsOf()).toEqual([]);
    expect(rowsOf({ ...OPENED, time: 92959999 })).toHaveLength(1);
  });

  it("exclude earlier snapshots that are impossible in an auction, and each such snapshot is reported", () => {
    const open = call(91503000, 100_500, 300);
    const deeper: Snapshot = { ...open, bid: [...(open.bid ?? []), [100_400, 100]] };
    const strange: Snapshot[] = [
      { ...open, volume: 100 },
      { ...open, ask: [[100_600, 300]] },
      { ...open, ask: [[100_500, 400]] },
      deeper,
      { time: 91503000, bid: [[0, 100]], ask: [[0, 100]] },
    ];
    for (const snapshot of strange) {
      expect(defectsOf(call(91500000, 100_500, 300), snapshot, OPENED)).toEqual([
        "auction_snapshot 1 91503000",
      ]);
      expect(rowsOf(call(91500000, 100_500, 300), snapshot, OPENED)).toHaveLength(2);
    }
    const both: Snapshot = {
      time: 91503000,
      bid: [
        [100_500, 300],
        [0, 100],
      ],
      ask: [
        [100_500, 300],
        [0, 50],
      ],
    };
    expect(defectsOf(both)).toEqual(["auction_sides 0 91503000"]);
    expect(rowsOf(both)).toEqual([]);
  });
});

describe("the change from the previous close (contract 8.10)", () => {
  const change = (priceE4: number, preCloseE4: number) => percentChange({ priceE4, preCloseE4 });

  it("is null when a price is 0, and never minus zero", () => {
    expect(change(0, 100_000)).toBeNull();
    expect(change(100_000, 0)).toBeNull();
    expect(Object.is(change(9_999_999, 10_000_000), 0)).toBe(true);
    expect(change(9_999_995, 10_000_000)).toBe(-0.0001);
    expect(Object.is(change(100_000, 100_000), 0)).toBe(true);
  });

  it("is rounded half away from zero to four decimals, for rises and falls", () => {
    // A change of 1/16,000 is 0.00625 %.
    expect(change(160_010, 160_000)).toBe(0.0063);
    expect(change(159_990, 160_000)).toBe(-0.0063);
    expect(change(274_000, 272_000)).toBe(0.7353);
  });

  it("is computed exactly before rounding, even for prices at which doubles are not precise enough", () => {
    const random = printedRandom("percent change");
    for (let round = 0; round < 2_000; round++) {
      const most = round % 2 === 0 ? 20_000_000 : 2_000_000_000_000;
      const [price, close] = [random.integer(1, most), random.integer(1, most)];
      const difference = BigInt(price - close);
      const size = difference < 0n ? -difference : difference;
      const twice = (size * 2_000_000n) / BigInt(close);
      const rounded = (twice + 1n) / 2n;
      const expected = Number(`${difference < 0n && rounded > 0n ? "-" : ""}${rounded}e-4`);
      expect(change(price, close), `${price} against ${close}`).toBe(expected);
    }
  });
});
