import { describe, expect, it } from "vitest";
import { RefusalBudget } from "../../../src/operations/keep-refusal.ts";

const NOW = Date.parse("2026-03-12T10:00:00+08:00");
const times = (count: number) => Array.from({ length: count }, (_, n) => n);

describe("the maximum number of stored refusals", () => {
  it("is 20 per account at first, then one more every 30 s", () => {
    const budget = new RefusalBudget();
    expect(times(1_000).filter(() => budget.take("a", NOW))).toHaveLength(20);
    const kept = times(600).filter((second) => budget.take("a", NOW + 1_000 * (second + 1)));
    expect(kept).toHaveLength(20);
    expect(budget.take("b", NOW + 601_000)).toBe(true);
  });

  it("is 100 for all accounts together at first, then one more every 2 s", () => {
    const budget = new RefusalBudget();
    expect(times(5_000).filter((n) => budget.take(`account ${n}`, NOW))).toHaveLength(100);
    const later = times(5_000).filter((n) => budget.take(`account ${n}`, NOW + n));
    expect(later).toHaveLength(2);
  });

  it("is 20 per account again after an hour without refusals", () => {
    const budget = new RefusalBudget();
    for (const _ of times(50)) budget.take("a", NOW);
    expect(times(50).filter(() => budget.take("a", NOW + 3_600_000))).toHaveLength(20);
  });
});
