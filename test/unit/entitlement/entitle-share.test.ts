import { describe, expect, it } from "vitest";
import { entitleShare as entitleShareResult } from "../../../src/entitlement/entitle.ts";
import { baring } from "../../support/result.ts";
import { holder } from "./holders.ts";

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
});
