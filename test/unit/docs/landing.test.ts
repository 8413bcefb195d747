import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { EXAMPLE, onOneDay } from "../../../src/docs/example-day.ts";
import { landingPage } from "../../../src/docs/landing.tsx";
import { BUYS, PRICES, SELLS } from "../../../src/docs/sample-minutes.ts";
import { sampleSections } from "../../../src/pack-builder/sample/day.ts";

const FIRST = 9 * 60 + 15;
const NOON = 11 * 60 + 30;
const AFTERNOON = 13 * 60;
const MINUTES = NOON - FIRST + 120;

describe("the chart of the landing page", () => {
  it("shows the sample day minute by minute, without the lunch break", () => {
    const sections = [...sampleSections({ tradedate: EXAMPLE.tradedate as BeijingDate })];
    const columns = sections.find(({ symbol }) => symbol === "300750")?.columns;
    if (columns === undefined) throw new Error("the sample day lacks the security");
    const minutes = Array.from({ length: MINUTES }, () => ({ buys: 0, sells: 0, prices: [] as number[] }));
    for (let row = 0; row < columns.rows; row++) {
      const time = columns.time[row] ?? 0;
      const minute = Math.floor(time / 1e7) * 60 + (Math.floor(time / 1e5) % 100);
      // The closing instants belong to the preceding minute.
      const place =
        minute < AFTERNOON ? Math.min(minute, NOON - 1) - FIRST : minute - AFTERNOON + NOON - FIRST;
      const at = minutes[Math.min(place, MINUTES - 1)];
      if (at === undefined) throw new Error(`no minute ${minute}`);
      const side = columns.orderCode.values[columns.orderCode.index[row] ?? 0];
      at[side === "B" ? "buys" : "sells"]++;
      const price = columns.priceE4[row] ?? 0;
      if (price > 0) at.prices.push(price);
    }
    let last = 0;
    const prices = minutes.map(({ prices: all }) => {
      const sorted = all.toSorted((a, b) => a - b);
      last = Math.round((sorted[sorted.length >> 1] ?? last * 100) / 100);
      return last;
    });
    expect(minutes.map(({ buys }) => buys)).toEqual(BUYS);
    expect(minutes.map(({ sells }) => sells)).toEqual(SELLS);
    expect(prices).toEqual(PRICES);
  });

  it("has a description in both languages", () => {
    const example = { base: "https://api.example.com", days: onOneDay("20270104") };
    for (const [language, said] of [
      ["zh", "示例日共"],
      ["en", "The sample day has"],
    ] as const) {
      const page = landingPage({ language, theme: "auto" }, example);
      expect(page).toMatch(new RegExp(`role="img" aria-label="${said}`));
      expect(page).toContain("&quot;tradedate&quot;: &quot;20270104&quot;");
    }
  });
});
