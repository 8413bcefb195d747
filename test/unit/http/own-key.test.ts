import { describe, expect, it } from "vitest";
import { maskKey, maskWarning, withoutKey } from "../../../src/http/own-key.ts";
import { invalid } from "../../../src/orders/query/query-denial.ts";

const KEY = "an-imported-key-of-any-form-at-all-and-quite-long";

describe("withoutKey", () => {
  it("removes a complete, embedded or truncated key from the value that a denial quotes", () => {
    for (const value of [KEY, `x${KEY}y`, `${KEY}${KEY}`, `some text before ${KEY}`, KEY.padStart(80)]) {
      const denial = withoutKey(invalid("symbol", "symbol_form", value), KEY);
      expect(JSON.stringify(denial)).not.toContain("an-i");
      expect(denial).toMatchObject({ reason: "param_invalid", parameter: "symbol", problem: "symbol_form" });
    }
  });

  it("leaves all other text unchanged", () => {
    const denial = {
      reason: "param_unknown",
      parameter: "star_time",
      hint: null,
      known: ["start_time"],
    } as const;
    expect(withoutKey(denial, KEY)).toEqual(denial);
    expect(withoutKey({ ...denial, parameter: KEY }, KEY)).toEqual({ ...denial, parameter: "\u2026" });
  });
});

describe("maskKey", () => {
  it("does not mask a key that is too short to be a secret", () => {
    expect(maskKey("600519", "6005")).toBe("600519");
    expect(maskKey("", "")).toBe("");
  });
});

describe("maskWarning", () => {
  it("removes the key from the parameter names in the X-Warning header", () => {
    const names = ["colour", KEY, `a ${KEY}`.slice(0, 20)].map((name) => encodeURIComponent(`${name}\u2026`));
    const headers = new Headers({ "X-Warning": `unknown parameters ignored: ${names.join(", ")}` });
    maskWarning(headers, KEY);
    expect(headers.get("X-Warning")).not.toContain("an-i");
    expect(headers.get("X-Warning")).toMatch(/^unknown parameters ignored: colour%E2%80%A6, /);
  });
});
