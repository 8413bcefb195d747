import { describe, expect, it } from "vitest";
import { type AuctionOrders, auctionMatch } from "../../../src/quality/auction.ts";
import { printedRandom } from "../../support/random.ts";
import { proofSize } from "../../support/tier.ts";

type Order = ["B" | "S", number, number];

function ordersOf(orders: readonly Order[]): AuctionOrders {
  return {
    isBuy: orders.map(([side]) => side === "B"),
    pricesE4: orders.map(([, price]) => price),
    volumes: orders.map(([, , volume]) => volume),
  };
}

const priceOf = (orders: readonly Order[], tick = 100) =>
  auctionMatch(ordersOf(orders), tick)?.priceE4 ?? null;

describe("the match of a call auction", () => {
  it("does not exist when no buy meets a sell, or one side is empty", () => {
    expect(auctionMatch(ordersOf([]), 100)).toBeNull();
    expect(auctionMatch(ordersOf([["B", 100_000, 100]]), 100)).toBeNull();
    expect(
      auctionMatch(
        ordersOf([
          ["B", 100_000, 100],
          ["S", 100_100, 100],
        ]),
        100,
      ),
    ).toBeNull();
  });

  it("has the price with the most volume, and of several the one with the smallest remainder", () => {
    const orders: Order[] = [
      ["B", 100_300, 500],
      ["B", 100_200, 300],
      ["S", 100_100, 400],
      ["S", 100_200, 300],
      ["S", 100_300, 900],
    ];
    expect(auctionMatch(ordersOf(orders), 100)).toMatchObject({ priceE4: 100_200, matched: 700 });
  });

  it("has the lowest of tied prices when sells remain", () => {
    expect(
      priceOf([
        ["B", 100_500, 100],
        ["S", 100_100, 300],
      ]),
    ).toBe(100_100);
  });

  it("has the highest of tied prices when buys remain", () => {
    expect(
      priceOf([
        ["B", 100_500, 300],
        ["S", 100_100, 100],
      ]),
    ).toBe(100_500);
  });

  it("has the middle of tied prices when nothing remains, rounded half up to the price step", () => {
    const balanced = (low: number, high: number): Order[] => [
      ["B", high, 100],
      ["S", low, 100],
    ];
    expect(priceOf(balanced(100_100, 100_500))).toBe(100_300);
    expect(priceOf(balanced(100_100, 100_400))).toBe(100_300);
    expect(priceOf(balanced(100_010, 100_020), 10)).toBe(100_020);
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
      const tied = largest.filter(({ rest }) => rest === least).map(({ price }) => price);
      const match = auctionMatch(ordersOf(orders), 100);
      const expected = most === 0 ? null : { low: Math.min(...tied), high: Math.max(...tied), matched: most };
      if (expected === null) expect(match).toBeNull();
      else expect(match).toMatchObject(expected);
    }
  });
});
