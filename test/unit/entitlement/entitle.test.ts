import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import * as entitle from "../../../src/entitlement/entitle.ts";
import { PLAN_NAMES, type PlanName, type Principal } from "../../../src/entitlement/principal.ts";
import { baring } from "../../support/result.ts";

const { planInForce } = entitle;
const entitleOrderHistory = baring(entitle.entitleOrderHistory);
const entitleShare = baring(entitle.entitleShare);

const DAY_MS = 86_400_000;
const at = (text: string) => Date.parse(text);
const date = (text: string) => text as BeijingDate;

const NOON = at("2026-03-12T12:00:00+08:00");

/** Returns a principal whose `plans` never end, with the daily limits of contract 7.1. */
function holder(plans: PlanName[]): Principal {
  const none = { requests: null, files: null };
  return {
    accountId: "account",
    keyId: "key",
    disabled: false,
    subscriptions: plans.map((plan) => ({ plan, startMs: 0, endMs: Number.MAX_SAFE_INTEGER })),
    planLimits: {
      free: none,
      standard: none,
      trial: { requests: 100, files: null },
      weekly: { requests: null, files: 30 },
      professional: { requests: null, files: 30 },
      flagship: { requests: null, files: 300 },
    },
    ownLimits: {},
  };
}

/** Returns the last `days` dates up to that of `noonMs`, oldest first. Counts day by day, unlike the code under test. */
function countedBack(noonMs: number, days: number): string[] {
  const all = Array.from({ length: days }, (_, back) => new Date(noonMs - back * DAY_MS));
  return all.map((each) => each.toISOString().slice(0, 10).replaceAll("-", "")).reverse();
}

describe("the plan check of an order history request (contract 7.1, 7.2)", () => {
  it("grants the same days as an independent calculation, for every plan on every day of three years", () => {
    const wrong: string[] = [];
    for (let day = 0; day < 3 * 365 + 1; day += 1) {
      const noon = Date.UTC(2026, 0, 1 + day, 4);
      const [before = "", first = "", ...later] = countedBack(noon, 31);
      const today = later.at(-1) ?? "";
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

describe("the plan check of a share request (contract 7.1, 7.2, 8.2)", () => {
  it.each([
    ["professional", "auction_tick", 365],
    ["weekly", "auction_tick", 365],
    ["professional", "level2", 30],
    ["weekly", "level2", 30],
  ] as const)(
    "grants, for %s and %s, the days of the year that lie in the last %i days",
    (plan, service, days) => {
      const wrong: string[] = [];
      for (let day = 0; day < 3 * 365 + 1; day += 1) {
        const noonMs = Date.UTC(2026, 0, 1 + day, 12);
        const window = countedBack(noonMs, days);
        const thisYear = new Date(noonMs).getUTCFullYear();
        for (const year of [thisYear - 2, thisYear - 1, thisYear]) {
          const dates = window.filter((each) => each.startsWith(String(year)));
          const grant = entitleShare(holder([plan]), { service, year }, noonMs - 8 * 3_600_000);
          const seen = "reason" in grant ? grant.reason : `${grant.from}-${grant.to}`;
          const expected = dates.length === 0 ? "outside_window" : `${dates[0]}-${dates.at(-1)}`;
          if (seen !== expected) wrong.push(`${noonMs} ${year}: ${seen}, not ${expected}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );
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
