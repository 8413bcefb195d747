import { describe, expect, it } from "vitest";
import { levelsOf, matchOfLevels } from "../../../src/quality/auction.ts";
import { printedRandom } from "../../support/random.ts";
import { proofSize } from "../../support/tier.ts";

type Order = ["B" | "S", number, number];

function matchOf(orders: readonly Order[], tickE4 = 100) {
  const given = orders.map(([side, priceE4, volume]) => ({ isBuy: side === "B", priceE4, volume }));
  return matchOfLevels(levelsOf(given), tickE4);
}

/** Returns one buy and one sell that match the same volume at every price from `low` to `high`. */
const tied = ({ low = 100_100, high = 100_500, buys = 100, sells = 100 }): Order[] => [
  ["B", high, buys],
  ["S", low, sells],
];

describe("the match of a call auction", () => {
  it("is null when no buy price reaches a sell price, or when one side has no orders", () => {
    expect(matchOf([])).toBeNull();
    expect(matchOf([["B", 100_000, 100]])).toBeNull();
    expect(matchOf(tied({ low: 100_100, high: 100_000 }))).toBeNull();
  });

  it("is at the price with the largest matched volume", () => {
    const orders: Order[] = [
      ["B", 100_300, 500],
      ["B", 100_200, 300],
      ["S", 100_100, 400],
      ["S", 100_200, 300],
      ["S", 100_300, 900],
    ];
    expect(matchOf(orders)).toMatchObject({ priceE4: 100_200, matched: 700 });
  });

  it("is at the lowest of tied prices when sells remain, and at the highest when buys remain", () => {
    expect(matchOf(tied({ sells: 300 }))?.priceE4).toBe(100_100);
    expect(matchOf(tied({ buys: 300 }))?.priceE4).toBe(100_500);
  });

  it("is midway between the tied prices, rounded half up to the price step, if these have no surplus", () => {
    expect(matchOf(tied({}))?.priceE4).toBe(100_300);
    expect(matchOf(tied({ high: 100_400 }))?.priceE4).toBe(100_300);
    expect(matchOf(tied({ low: 100_010, high: 100_020 }), 10)?.priceE4).toBe(100_020);
  });

  it("agrees with a search over every price", () => {
    const random = printedRandom("auction match");
    for (let round = 0; round < proofSize(2_000); round++) {
      const orders = Array.from(
        { length: random.integer(0, 14) },
        (): Order => [
          random.pick(["B", "S"]),
          100_000 + 100 * random.integer(0, 8),
          100 * random.integer(1, 6),
        ],
      );
      const tried = orders.map(([, price]) => {
        const sum = (side: string, isIn: (at: number) => boolean) =>
          orders.reduce((total, [own, at, volume]) => total + (own === side && isIn(at) ? volume : 0), 0);
        const [buys, sells] = [sum("B", (at) => at >= price), sum("S", (at) => at <= price)];
        return { price, matched: Math.min(buys, sells), rest: Math.abs(buys - sells) };
      });
      const most = Math.max(0, ...tried.map(({ matched }) => matched));
      const largest = tried.filter(({ matched }) => matched === most);
      const least = Math.min(...largest.map(({ rest }) => rest));
      const best = largest.filter(({ rest }) => rest === least).map(({ price }) => price);
      const match = matchOf(orders);
      const expected = most === 0 ? null : { low: Math.min(...best), high: Math.max(...best), matched: most };
      if (expected === null) expect(match).toBeNull();
      else expect(match).toMatchObject(expected);
    }
  });
});
