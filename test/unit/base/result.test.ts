import { expect, it } from "vitest";
import { both, ok, refused } from "../../../src/base/result.ts";

it("both() returns the values of two results, or the first refusal", () => {
  expect(both(ok(1), ok("a"))).toEqual({ ok: true, value: [1, "a"] });
  expect(both(refused("x"), ok("a"))).toEqual({ ok: false, refusal: "x" });
  expect(both(ok(1), refused("y"))).toEqual({ ok: false, refusal: "y" });
  expect(both(refused("x"), refused("y"))).toEqual({ ok: false, refusal: "x" });
});
