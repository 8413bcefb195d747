import { describe, expect, it } from "vitest";
import { secondsLeft, spanText } from "../../../src/cli/backfill-command.ts";

describe("the estimated remaining time of a backfill", () => {
  it("is computed from the mean duration of the last 20 days", () => {
    expect(secondsLeft([10, 20], 4)).toBe(60);
    expect(secondsLeft([1_000_000, ...Array<number>(20).fill(7)], 3)).toBe(21);
    expect(secondsLeft([5], 0)).toBe(0);
  });

  it("is printed in seconds, minutes, hours or days", () => {
    expect([0, 89, 90, 5_399, 5_400, 86_400, 200_000].map(spanText)).toEqual([
      "0 s",
      "89 s",
      "2 min",
      "1 h 30 min",
      "1 h 30 min",
      "24 h 0 min",
      "2 d 7 h",
    ]);
  });
});
