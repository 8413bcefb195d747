import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import type { ListedFile } from "../../../src/catalog/files.ts";
import { exactBytes, sizeText, weekdayOf } from "../../../src/pages/figures.ts";
import { sharePage } from "../../../src/shares/page/share-page.tsx";
import { rangesOf, type YearFacts, yearDays } from "../../../src/shares/page/year-calendar.tsx";

const date = (text: string) => text as BeijingDate;

/** A share of the professional plan on Thursday, 12 March 2026, with a calendar that ends in June. */
const facts: YearFacts = {
  year: 2026,
  today: date("20260312"),
  days: { from: date("20260211"), to: date("20260312") },
  present: new Set([date("20260211"), date("20260310")]),
  lacking: new Map(),
  open: new Map([
    [date("20260210"), true],
    [date("20260211"), true],
    [date("20260302"), false],
    [date("20260309"), true],
    [date("20260310"), true],
    [date("20260312"), true],
    [date("20260314"), true],
    [date("20260630"), true],
  ]),
};

const stateOf = (day: string, changed: Partial<YearFacts> = {}) =>
  yearDays({ ...facts, ...changed })
    .flat()
    .find((each) => each.day === day)?.state;

describe("a day of the year", () => {
  it.each([
    ["20260310", "present"],
    ["20260309", "missing"],
    ["20260302", "closed"],
    ["20260307", "closed"],
    ["20260314", "upcoming"],
    ["20260210", "outside"],
    ["20260312", "upcoming"],
    ["20260630", "upcoming"],
    ["20260303", "unknown"],
    ["20261231", "upcoming"],
  ])("such as %s has the state %s", (day, state) => {
    expect(stateOf(day)).toBe(state);
  });

  it("with a file has the state `present` even if the calendar marks the day as closed", () => {
    expect(stateOf("20260302", { present: new Set([date("20260302")]) })).toBe("present");
  });

  it("has the state `outside` if the share covers no days", () => {
    expect(stateOf("20260309", { days: null })).toBe("outside");
  });

  it("is listed in its month, including 29 February", () => {
    expect(yearDays({ ...facts, year: 2028 }).map((month) => month.length)).toEqual([
      31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31,
    ]);
  });

  it("has the weekday 0 on a Monday and 6 on a Sunday", () => {
    expect(weekdayOf(date("20260312"))).toBe(3);
    expect(weekdayOf(date("20260301"))).toBe(6);
    expect(weekdayOf(date("20260302"))).toBe(0);
  });
});

describe("the sizes on a share's page", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.00 kB"],
    [1_234_567, "1.23 MB"],
    [12_345_678, "12.3 MB"],
    [999_600_000, "1.00 GB"],
    [123_456_789_012, "123 GB"],
    [2e15, "2.00 PB"],
  ])("show %i bytes as %s", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it("can also be shown as exact numbers of bytes", () => {
    expect(exactBytes(1_234_567)).toBe("1,234,567 B");
  });
});

describe("the missing days of a share", () => {
  it("are listed as ranges, which may include weekends and holidays but no other days", () => {
    const open = new Map<BeijingDate, boolean>(facts.open);
    for (const day of ["20260226", "20260227", "20260303", "20260305"]) open.set(date(day), true);
    const present = new Set([...facts.present, date("20260304")]);
    expect(rangesOf(yearDays({ ...facts, open, present }).flat(), "missing")).toEqual([
      { from: "20260226", to: "20260303", lacks: [] },
      { from: "20260305", to: "20260305", lacks: [] },
      { from: "20260309", to: "20260309", lacks: [] },
    ]);
  });
});

const TODAY = "20260312";
const fileOf = (tradedate: string, dataset: string, place: number): ListedFile => ({
  ...{ dataType: "level2", tradedate: date(tradedate), name: `${tradedate}_${dataset}.parquet`, revision: 1 },
  ...{ objectKey: "", etag: "", sizeBytes: 1, sha256: "", publishedAtMs: 0 },
  ...{ packId: dataset === "own" ? null : place, buildId: null, quality: null },
});
const filesOf = (days: Record<string, string>) =>
  Object.entries(days).flatMap(([day, datasets]) =>
    datasets.split(" ").map((dataset, place) => fileOf(day, dataset, place)),
  );

/** Returns the share's page in English; quotes began on 4 March. */
function pageOf(days: Record<string, string>, open: readonly string[]): string {
  return sharePage({
    look: { language: "en", theme: "auto" },
    share: { shareId: "s", dataType: "level2", year: 2026 },
    ...{ shareUrl: "https://a.example/s/s/", endMs: 0, today: date(TODAY) },
    days: { from: date("20260302"), to: date(TODAY) },
    files: filesOf(days),
    open: new Map(open.map((day) => [date(day), true])),
    earliest: { orders: date("20250106"), trades: date("20250106"), quotes: date("20260304") },
  });
}

describe("a day without one of the datasets of its share", () => {
  const days = {
    "20260303": "orders trades",
    "20260304": "orders quotes trades",
    "20260305": "orders",
    "20260306": "orders",
    "20260307": "own",
    "20260309": "orders trades",
    "20260310": "own",
    "20260312": "orders",
  };
  const open = ["20260303", "20260304", "20260305", "20260306", "20260309", "20260310", "20260311", TODAY];

  it("is incomplete, unless it is today, not a trading day, or earlier than the dataset's first day", () => {
    const page = pageOf(days, open);
    expect(/<p class="missing-line">([^<]*)</.exec(page)?.[1]).toBe(
      "1 trading day is missing: 03-11; 4 are incomplete: 03-05 – 03-06 (without trades, quotes), " +
        "03-09 (without quotes), 03-10 (without orders, trades, quotes)",
    );
    expect(page).toMatch(
      /<a class="day degraded shade-5" href="20260309\/" title="2026-03-09, Incomplete \(without quotes\), /,
    );
    expect(page).toMatch(/<a class="day present shade-5" href="20260312\/"/);
    expect(page).toMatch(/<dd>4 <small>of 9</);
    expect(page).toContain("Incomplete</li>");
  });

  it("is not reported as incomplete if every day of the share lacks the same datasets", () => {
    const page = pageOf({ "20260310": "orders", "20260311": "orders" }, ["20260310", "20260311"]);
    expect(page).toContain("No trading day is missing<");
    expect(page).not.toContain("Incomplete");
  });
});
