import { describe, expect, it } from "vitest";
import { quotes } from "../../../src/datasets/quotes.ts";

describe("the columns of quotes", () => {
  it("have descriptions in both languages, and only levels 1 and 2 mention the call auction", () => {
    for (const { description } of quotes.columns) {
      expect(description.en).toMatch(/^.+\.$/);
      expect(description.zh).toMatch(/^.+。$/);
    }
    const auction = quotes.columns.filter(({ description }) => description.en.includes("call auction"));
    expect(auction.map(({ name }) => name).join(" ")).toBe(
      "bid1 bid_vol1 ask1 ask_vol1 bid2 bid_vol2 ask2 ask_vol2",
    );
  });
});
