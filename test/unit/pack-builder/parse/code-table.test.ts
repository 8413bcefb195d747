import { describe, expect, it } from "vitest";
import { CodeTable } from "../../../../src/pack-builder/parse/code-table.ts";

describe("a table of codes", () => {
  it("refuses the 60,001st different code", () => {
    const table = new CodeTable();
    const numberOf = (code: number) => {
      const text = Buffer.from(String(code));
      return table.numberOf(text, 0, text.length);
    };
    for (let code = 0; code < 60_000; code++) numberOf(code);
    expect(numberOf(7)).toBe(7);
    expect(() => numberOf(60_000)).toThrow("a column has more than 60000 different codes");
  });
});
