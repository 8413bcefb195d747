import { describe, expect, it } from "vitest";
import { linksOf } from "../../../../src/console/browser/links.js";

const FIELDS = ["symbol", "market", "rows"];
const body = (apiname: string, params: Record<string, string> = {}) => ({ apiname, apikey: "", params });

describe("the link of a listed security", () => {
  it.each([
    ["000001", "SH", "an index, which bare digits never mean"],
    ["000001", "SZ", "a share"],
  ])(
    "contains the full symbol and leads to the rows of the requested dataset: %s.%s, %s",
    (symbol, market) => {
      const link = linksOf(body("data_symbols", { dataset: "quotes", tradedate: "20260311" }), FIELDS);
      expect(link([symbol, market, 7], 0)).toBe(
        `/console/try?op=level2_quote_history&symbol=${symbol}.${market}&tradedate=20260311`,
      );
    },
  );

  it("leads to orders, without a day, if the request had no dataset and no day", () => {
    const link = linksOf(body("data_symbols"), FIELDS);
    expect(link(["600519", "SH", 7], 0)).toBe("/console/try?op=level2_order_history&symbol=600519.SH");
  });

  it("is in the symbol's cell only, and only in an answer of data_symbols", () => {
    expect(linksOf(body("data_symbols"), FIELDS)(["600519", "SH", 7], 1)).toBeNull();
    expect(linksOf(body("level2_order_history"), ["symbol", "market"])(["600519", "SH"], 0)).toBeNull();
  });
});

describe("a value in an answer of file_download", () => {
  it("is a link if it is a URL", () => {
    const link = linksOf(body("file_download"), ["member", "value"]);
    const url = "https://api.example.com/s/x/";
    expect([link(["url", url], 1), link(["url", url], 0), link(["name", "x y"], 1)]).toEqual([
      ...[url, null, null],
    ]);
  });
});
