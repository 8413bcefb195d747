import { describe, expect, it } from "vitest";
import { type RowsOf, storedColumns } from "../../../src/datasets/dataset.ts";
import { quotes } from "../../../src/datasets/quotes.ts";

describe("the columns of quotes", () => {
  it("have typed keys in memory, which contain the level's number", () => {
    const rows = Object.fromEntries(
      storedColumns(quotes).map(({ key }) => [key, Float64Array.of(7)]),
    ) as unknown as RowsOf<typeof quotes>;
    const { bid1E4, bidVolume1, ask10E4, askVolume10, openE4, volume, amount, iopvE4 } = rows;
    for (const column of [bid1E4, bidVolume1, ask10E4, askVolume10, openE4, volume, amount, iopvE4]) {
      expect(column[0]).toBe(7);
    }
    // @ts-expect-error There is no eleventh level.
    expect(rows.bid11E4).toBeUndefined();
  });

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
