import { describe, expect, it } from "vitest";
import { entitleShare as entitleShareResult } from "../../../src/entitlement/entitle.ts";
import type { PlanName } from "../../../src/entitlement/principal.ts";
import { baring } from "../../support/result.ts";
import { at, holder } from "./holders.ts";

const entitleShare = baring(entitleShareResult);

const DAY_MS = 86_400_000;

/** Returns the dates of `year` among the last `days` days, counted back day by day from `noonMs`. */
function listed(year: number, days: number, noonMs: number): string[] {
  const all = Array.from({ length: days }, (_, back) => new Date(noonMs - back * DAY_MS));
  const dates = all.map((each) => each.toISOString().slice(0, 10).replaceAll("-", "")).reverse();
  return dates.filter((each) => each.startsWith(String(year)));
}

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
        const thisYear = new Date(noonMs).getUTCFullYear();
        for (const year of [thisYear - 2, thisYear - 1, thisYear]) {
          const dates = listed(year, days, noonMs);
          const grant = entitleShare(holder([plan]), { service, year }, noonMs - 8 * 3_600_000);
          const seen = "reason" in grant ? grant.reason : `${grant.from}-${grant.to}`;
          const expected = dates.length === 0 ? "outside_window" : `${dates[0]}-${dates.at(-1)}`;
          if (seen !== expected) wrong.push(`${noonMs} ${year}: ${seen}, not ${expected}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it("grants, on 31 December of a leap year, the last 365 days, which begin on 2 January", () => {
    const grant = entitleShare(
      holder(["professional"]),
      { service: "auction_tick", year: 2028 },
      at("2028-12-31T23:59:59.999+08:00"),
    );
    expect(grant).toMatchObject({ from: "20280102", to: "20281231" });
  });

  it("grants, for flagship, every day of a past year, and the days of the current year up to today", () => {
    const noonMs = at("2026-03-12T12:00:00+08:00");
    const share = (year: number) => entitleShare(holder(["flagship"]), { service: "level2", year }, noonMs);
    expect(share(2026)).toMatchObject({ plan: "flagship", from: "20260101", to: "20260312" });
    expect(share(2017)).toMatchObject({ from: "20170101", to: "20171231" });
  });

  it.each(["free", "standard", "trial"] as PlanName[])("refuses the plan %s", (plan) => {
    for (const service of ["auction_tick", "level2"] as const) {
      const denial = entitleShare(holder([plan]), { service, year: 2026 }, at("2026-03-12T12:00:00+08:00"));
      expect(denial).toEqual({ reason: "plan_missing", service, plan });
    }
  });

  it("returns the end of the plan, which is the latest expiry of a share", () => {
    const endMs = at("2026-03-15T00:00:00+08:00");
    const weekly = { ...holder([]), subscriptions: [{ plan: "weekly" as const, startMs: 0, endMs }] };
    const grant = entitleShare(weekly, { service: "level2", year: 2026 }, endMs - 1);
    expect(grant).toMatchObject({ plan: "weekly", endMs, to: "20260314" });
    expect(entitleShare(weekly, { service: "level2", year: 2026 }, endMs)).toMatchObject({
      reason: "plan_expired",
    });
  });
});
