import { describe, expect, it } from "vitest";
import { type RowsOf, storedColumns } from "../../../src/datasets/dataset.ts";
import { quotes } from "../../../src/datasets/quotes.ts";
import { fieldNames } from "../../support/dataset-days.ts";

const STANDARD =
  "symbol tradedate time open high low close pre_close volume amount " +
  "bid1 bid_vol1 ask1 ask_vol1 bid2 bid_vol2 ask2 ask_vol2 bid3 bid_vol3 ask3 ask_vol3 bid4 bid_vol4 ask4 ask_vol4 " +
  "bid5 bid_vol5 ask5 ask_vol5 bid6 bid_vol6 ask6 ask_vol6 bid7 bid_vol7 ask7 ask_vol7 bid8 bid_vol8 ask8 ask_vol8 " +
  "bid9 bid_vol9 ask9 ask_vol9 bid10 bid_vol10 ask10 ask_vol10";
const ON_REQUEST = "num_trades total_bid_vol total_ask_vol avg_bid_price avg_ask_price iopv";

describe("the columns of quotes", () => {
  it("are fifty standard columns, followed by six on request", () => {
    expect(fieldNames(quotes).join(" ")).toBe(STANDARD);
    expect(fieldNames(quotes)).toHaveLength(50);
    expect(fieldNames(quotes, "all").join(" ")).toBe(`${STANDARD} ${ON_REQUEST}`);
  });

  it("have legacy names only for the day's totals", () => {
    const second = quotes.columns.flatMap((column) =>
      "legacyName" in column ? [`${column.name}: ${column.legacyName}`] : [],
    );
    expect(second).toEqual(["volume: total_volume", "amount: total_amount"]);
  });

  it("have typed keys in memory, numbered by level", () => {
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

  it("have descriptions in both languages, which for levels 1 and 2 also explain the call auction", () => {
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
