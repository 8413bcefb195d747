import { describe, expect, it } from "vitest";
import { checked, verdictOf } from "./checked.ts";
import type { TradeRow } from "./rows.ts";

describe("the gaps check", () => {
  const numbered = (ids: readonly number[]): TradeRow[] =>
    ids.map((id) => ({ time: 93000000 + id, price: 10, volume: 100, buy: 1, sell: 2, flag: "B", id }));
  const count = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

  it("fails if a security's own numbering has gaps", () => {
    const { checks } = checked({ trades: numbered([...count(1, 100), ...count(102, 300)]) });
    expect(checks.gaps).toEqual({
      verdict: "failed",
      faults: [{ kind: "numbers_missing", count: 1, first: { dataset: "trades", row: 100, time: 93000102 } }],
    });
    expect(verdictOf("gaps", { trades: numbered(count(1, 300)) })).toBe("passed");
  });

  it("is not provable if securities share the numbering, or the source has no or few numbers", () => {
    const shared = count(1, 300).map((n) => n * 2 - 1);
    expect(verdictOf("gaps", { trades: numbered(shared) })).toBe("shared_numbers");
    expect(verdictOf("gaps", { trades: numbered(count(2, 300)) })).toBe("shared_numbers");
    expect(verdictOf("gaps", { trades: numbered(count(1, 300).map(() => 0)) })).toBe("no_number");
    expect(verdictOf("gaps", { trades: numbered(count(1, 199)) })).toBe("too_few_rows");
    expect(verdictOf("gaps", { trades: [] })).toBe("no_trades");
    expect(verdictOf("gaps", { trades: null })).toBe("no_trades");
  });
});
