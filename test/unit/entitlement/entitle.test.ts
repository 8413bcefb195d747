import { describe, expect, it } from "vitest";
import {
  entitleOrderHistory as entitleOrderHistoryResult,
  planInForce,
} from "../../../src/entitlement/entitle.ts";
import { PLAN_NAMES, type PlanName } from "../../../src/entitlement/principal.ts";
import { baring } from "../../support/result.ts";
import { at, date, holder } from "./holders.ts";

const entitleOrderHistory = baring(entitleOrderHistoryResult);

const NOON = at("2026-03-12T12:00:00+08:00");

/** Returns the first of the `days` days that end with `today`. Counts day by day, unlike the code under test. */
function countedBack(today: string, days: number): string {
  const [year, month, day] = [today.slice(0, 4), today.slice(4, 6), today.slice(6)].map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1, 12));
  for (let seen = 1; seen < days; seen += 1) date.setUTCDate(date.getUTCDate() - 1);
  return date.toISOString().slice(0, 10).replaceAll("-", "");
}

describe("the plan check of an order history request (contract 7.1, 7.2)", () => {
  it("grants the same days as an independent calculation, for every plan on every day of three years", () => {
    const wrong: string[] = [];
    for (let day = 0; day < 3 * 365 + 1; day += 1) {
      const noon = Date.UTC(2026, 0, 1 + day, 4);
      const today = new Date(noon).toISOString().slice(0, 10).replaceAll("-", "");
      const first = countedBack(today, 30);
      const before = countedBack(today, 31);
      for (const plan of PLAN_NAMES) {
        const allowed = (tradedate: string) =>
          !("reason" in entitleOrderHistory(holder([plan]), date(tradedate), noon));
        const seen = [today, first, before, "20170103"].map(allowed);
        const expected: Record<PlanName, boolean[]> = {
          free: [false, false, false, false],
          standard: [false, false, false, false],
          trial: [true, true, true, true],
          weekly: [true, true, false, false],
          professional: [true, true, false, false],
          flagship: [true, true, true, true],
        };
        if (JSON.stringify(seen) !== JSON.stringify(expected[plan])) wrong.push(`${plan} ${today}: ${seen}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("moves the window exactly at midnight in Beijing", () => {
    const first = (instant: string) => {
      const denial = entitleOrderHistory(holder(["professional"]), date("20200102"), at(instant));
      return "reason" in denial && denial.reason === "outside_window" ? denial.from : denial;
    };
    expect(first("2026-03-01T00:00:00.000+08:00")).toBe("20260131");
    expect(first("2026-03-01T15:59:59.999Z")).toBe("20260131");
    expect(first("2026-03-01T16:00:00.000Z")).toBe("20260201");
    expect(first("2026-03-02T23:59:59.999+08:00")).toBe("20260201");
    expect(first("2028-02-29T16:00:00.000Z")).toBe("20280201");
  });

  it("grants the plan's daily limits, or the account's own limits if it has any", () => {
    const today = date("20260312");
    expect(entitleOrderHistory(holder(["trial"]), today, NOON)).toEqual({
      plan: "trial",
      limits: { requests: 100, files: null },
    });
    const own = { ...holder(["professional"]), ownLimits: { files: 500 } };
    expect(entitleOrderHistory(own, today, NOON)).toEqual({
      plan: "professional",
      limits: { requests: null, files: 500 },
    });
    const unlimited = { ...holder(["trial"]), ownLimits: { requests: null } };
    expect(entitleOrderHistory(unlimited, today, NOON)).toMatchObject({ limits: { requests: null } });
  });
});

describe("the search for the plan in force (contract 7.5)", () => {
  const span = (plan: PlanName, startMs: number, endMs: number) => ({ plan, startMs, endMs });

  it("returns a plan from its start, inclusive, to its end, exclusive", () => {
    const subscriptions = [span("flagship", 1000, 2000)];
    expect(planInForce(subscriptions, 999)).toBeNull();
    expect(planInForce(subscriptions, 1000)).toEqual({ plan: "flagship", endMs: 2000 });
    expect(planInForce(subscriptions, 1999)).toEqual({ plan: "flagship", endMs: 2000 });
    expect(planInForce(subscriptions, 2000)).toBeNull();
  });

  it("returns the best of overlapping plans in any order", () => {
    const rising: PlanName[] = ["free", "standard", "trial", "weekly", "professional", "flagship"];
    for (const [worse, plan] of rising.entries()) {
      const spans = rising.slice(0, worse + 1).map((name) => span(name, 0, 10));
      expect(planInForce(spans, 5)).toEqual({ plan, endMs: 10 });
      expect(planInForce(spans.toReversed(), 5)).toEqual({ plan, endMs: 10 });
    }
  });

  it("returns the latest end of several subscriptions to the best plan", () => {
    const spans = [span("professional", 0, 50), span("professional", 3, 90), span("trial", 0, 500)];
    expect(planInForce(spans, 5)).toEqual({ plan: "professional", endMs: 90 });
    expect(planInForce(spans, 90)).toEqual({ plan: "trial", endMs: 500 });
  });
});

describe("the plan check of a caller without an active plan for order history (contract 7.1, 7.5)", () => {
  const today = date("20260312");
  const ended = (plan: PlanName, endMs: number) => ({ plan, startMs: 0, endMs });

  it("refuses with plan_missing and names the active plan, even if a plan with order history has ended", () => {
    const subscriptions = [ended("flagship", NOON), { plan: "free" as const, startMs: 0, endMs: NOON + 1 }];
    expect(entitleOrderHistory({ ...holder([]), subscriptions }, today, NOON)).toMatchObject({
      reason: "plan_missing",
      plan: "free",
    });
  });
});
