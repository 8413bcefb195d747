import { describe, expect, it } from "vitest";
import { excerptOf } from "../../../../src/orders/query/query-denial.ts";

describe("excerptOf", () => {
  it("returns short values unchanged", () => {
    expect(excerptOf("600519.HK")).toBe("600519.HK");
    expect(excerptOf(1.5)).toBe("1.5");
    expect(excerptOf(true)).toBe("true");
  });

  it("cuts long text after 40 characters, never inside a character", () => {
    expect(excerptOf("股".repeat(41))).toBe(`${"股".repeat(40)}…`);
    expect(excerptOf("💹".repeat(1000))).toBe(`${"💹".repeat(40)}…`);
  });

  it("returns an empty string for arrays, objects and absent values", () => {
    for (const value of [[1], { a: 1 }, null, undefined]) expect(excerptOf(value)).toBe("");
  });

  it("replaces control and direction characters", () => {
    expect(excerptOf("a\nb\u0000c\u202ed\u2028e\ud800")).toBe("a·b·c·d·e·");
  });

  it("masks text that looks like a key", () => {
    expect(excerptOf("key et_Abc123Def456")).toBe("key et_…");
  });
});
