import { expect, it } from "vitest";
import { upperMedian } from "../../../src/base/upper-median.ts";

it("upperMedian returns the middle value, or the larger of two middle values, or 0 for an empty list", () => {
  expect([upperMedian([10, 9, 100]), upperMedian([2, 30, 4, 1]), upperMedian([])]).toEqual([10, 4, 0]);
});
