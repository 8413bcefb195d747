import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import type { DayOverview } from "../../../src/catalog/day-overview.ts";
import { oddRanges, yearHeat } from "../../../src/console/year-heat.ts";

const date = (text: string) => text as BeijingDate;
const loaded = (rows: number) => ({
  revision: 1,
  buildId: "b",
  rows,
  securities: 2,
  sizeBytes: 10,
  publishedAtMs: 0,
  quality: null,
});
const day = (tradedate: string, state: DayOverview["state"], rows?: number): DayOverview => ({
  tradedate: date(tradedate),
  state,
  note: "",
  loaded: rows === undefined ? null : loaded(rows),
});

const DAYS = [
  day("20260303", "available", 100),
  day("20260304", "degraded", 300),
  day("20260305", "missing"),
  day("20260306", "withdrawn", 500),
  day("20260309", "available", 200),
  day("20260312", "pending"),
];

const heat = (from: string | null) =>
  yearHeat(2026, DAYS, { today: date("20260312"), from: from === null ? null : date(from) });
const find = (months: ReturnType<typeof heat>, tradedate: string) =>
  months.flat().find((each) => each.day === tradedate);

describe("the calendar of a year", () => {
  it("has every day of the year once, by month", () => {
    const months = heat(null);
    expect(months.map((days) => days.length)).toEqual([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
  });

  it("shades only served days, and gives days with more rows a stronger shade", () => {
    const months = heat(null);
    expect(find(months, "20260303")).toMatchObject({ mark: "available", shade: 1 });
    expect(find(months, "20260309")).toMatchObject({ shade: 3 });
    expect(find(months, "20260304")).toMatchObject({ mark: "degraded", shade: 5 });
    expect(find(months, "20260306")).toMatchObject({ mark: "withdrawn", shade: 0, loaded: null });
    expect(find(months, "20260305")).toMatchObject({ mark: "missing", shade: 0 });
    expect(find(months, "20260312")).toMatchObject({ mark: "pending" });
  });

  it("distinguishes days before the window, future days and days without trading", () => {
    const months = heat("20260303");
    expect(find(months, "20260302")?.mark).toBe("outside");
    expect(find(heat("20260306"), "20260305")?.mark).toBe("outside");
    expect(find(heat("20260309"), "20260306")?.mark).toBe("withdrawn");
    expect(find(months, "20260307")?.mark).toBe("closed");
    expect(find(months, "20260310")?.mark).toBe("closed");
    expect(find(months, "20260313")?.mark).toBe("upcoming");
    expect(find(months, "20260314")?.mark).toBe("closed");
  });
});

describe("the list of unusual days", () => {
  it("joins successive missing days into ranges, across weekends but not across served days", () => {
    const missing = ["20260225", "20260226", "20260227", "20260302", "20260304", "20260306"];
    const days = [
      ...missing.map((tradedate) => day(tradedate, "missing")),
      day("20260303", "available", 5),
      day("20260305", "degraded", 5),
      day("20260309", "withdrawn", 5),
    ];
    const months = yearHeat(2026, days, { today: date("20260312"), from: null });
    expect(oddRanges(months.flat())).toEqual([
      { from: "20260225", to: "20260302", mark: "missing", days: 4 },
      { from: "20260304", to: "20260304", mark: "missing", days: 1 },
      { from: "20260305", to: "20260305", mark: "degraded", days: 1 },
      { from: "20260306", to: "20260306", mark: "missing", days: 1 },
      { from: "20260309", to: "20260309", mark: "withdrawn", days: 1 },
    ]);
  });
});
