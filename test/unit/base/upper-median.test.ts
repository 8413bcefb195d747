import { expect, it } from "vitest";
import { upperMedian } from "../../../src/base/upper-median.ts";

it("upperMedian is the middle by size, the upper one of two, and 0 of none", () => {
  expect([upperMedian([10, 9, 100]), upperMedian([2, 30, 4, 1]), upperMedian([])]).toEqual([10, 4, 0]);
});
