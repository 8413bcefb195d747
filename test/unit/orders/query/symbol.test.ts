import { describe, expect, it } from "vitest";
import {
  type AskedSecurity,
  chooseMarket as chooseMarketResult,
  resolveMarket as resolveMarketResult,
} from "../../../../src/orders/query/symbol.ts";
import type { Market } from "../../../../src/orders/record.ts";
import { baring } from "../../../support/result.ts";

const chooseMarket = baring(chooseMarketResult);
const resolveMarket = baring(resolveMarketResult);

describe("chooseMarket (contract 3.4)", () => {
  it("returns the only exchange that lists the code, regardless of the code's first digits", () => {
    expect(chooseMarket("000001", ["SH"])).toBe("SH");
    expect(chooseMarket("600000", ["SZ"])).toBe("SZ");
    expect(chooseMarket("999999", ["SZ"])).toBe("SZ");
    expect(chooseMarket("999999", [])).toBeNull();
  });

  it.each([
    ["000001", "SZ", "Shenzhen share, Shanghai index"],
    ["300750", "SZ", "Shenzhen share"],
    ["200012", "SZ", "Shenzhen B share"],
    ["600519", "SH", "Shanghai share"],
    ["688981", "SH", "Shanghai share"],
    ["900901", "SH", "Shanghai B share"],
    ["159915", "SZ", "Shenzhen fund"],
    ["510300", "SH", "Shanghai fund"],
  ] as const)(
    "prefers a share, then a fund, when both exchanges list the code: %s means %s (%s)",
    (symbol, market, _kind) => {
      expect(chooseMarket(symbol, ["SH", "SZ"])).toBe(market);
      expect(chooseMarket(symbol, ["SZ", "SH"])).toBe(market);
    },
  );

  it.each(["110001", "128001", "019547", "430047", "700001"])(
    "refuses %s, which both exchanges list, and asks for the suffix",
    (symbol) => {
      expect(chooseMarket(symbol, ["SH", "SZ"])).toMatchObject({
        reason: "param_invalid",
        parameter: "symbol",
        problem: "symbol_on_both_exchanges",
      });
    },
  );
});

describe("resolveMarket", () => {
  const resolved = (
    asked: AskedSecurity,
    candidates: Market[],
    cursorMarket: Market | null,
    own: Market[] = candidates,
  ) => resolveMarket(asked, { candidates, own, cursorMarket });

  it("returns the requested exchange, or null if that exchange does not list the code", () => {
    expect(resolved({ symbol: "000001", market: "SH" }, ["SH", "SZ"], null)).toBe("SH");
    expect(resolved({ symbol: "000001", market: "SH" }, ["SZ"], null)).toBeNull();
    expect(resolved({ symbol: "000001", market: "BJ" }, ["SH", "SZ"], null)).toBeNull();
  });

  it("accepts bare digits on a later page when the code is listed on the cursor's exchange", () => {
    expect(resolved({ symbol: "000001", market: null }, ["SH", "SZ"], "SZ")).toBe("SZ");
    expect(resolved({ symbol: "600519", market: null }, ["SH"], "SH")).toBe("SH");
  });

  it("refuses bare digits that mean a different exchange from the cursor's", () => {
    expect(resolved({ symbol: "000001", market: null }, ["SH", "SZ"], "SH")).toEqual({
      reason: "cursor_mismatch",
      parameter: "symbol",
    });
  });

  it("keeps the cursor's exchange if the digits mean that exchange in the dataset being paged", () => {
    const bond = { symbol: "110001", market: null };
    const fund = { symbol: "510300", market: null };
    expect(resolved(bond, ["SH", "SZ"], "SZ", ["SZ"])).toBe("SZ");
    expect(resolved(fund, ["SH", "SZ"], "SZ", ["SZ"])).toBe("SZ");
    expect(resolved(fund, ["SH", "SZ"], "SH", ["SH", "SZ"])).toBe("SH");
    expect(resolved(bond, ["SH", "SZ"], "SZ", ["SH", "SZ"])).toMatchObject({ reason: "param_invalid" });
  });
});
