import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { exactBytes, sizeText, weekdayOf } from "../../../src/pages/figures.ts";
import { missingRanges, type YearFacts, yearDays } from "../../../src/shares/page/year-calendar.tsx";

const date = (text: string) => text as BeijingDate;

/** A share of the professional plan on Thursday, 12 March 2026, with a calendar that ends in June. */
const facts: YearFacts = {
  year: 2026,
  today: date("20260312"),
  days: { from: date("20260211"), to: date("20260312") },
  present: new Set([date("20260211"), date("20260310")]),
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
  ])("such as %s is %s", (day, state) => {
    expect(stateOf(day)).toBe(state);
  });

  it("with a file is present, whatever the calendar says", () => {
    expect(stateOf("20260302", { present: new Set([date("20260302")]) })).toBe("present");
  });

  it("is outside if the share covers no days", () => {
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

  it("are exact on request", () => {
    expect(exactBytes(1_234_567)).toBe("1,234,567 B");
  });
});

describe("the missing days of a share", () => {
  it("are listed as ranges, which may include weekends and holidays but no other days", () => {
    const open = new Map<BeijingDate, boolean>(facts.open);
    for (const day of ["20260226", "20260227", "20260303", "20260305"]) open.set(date(day), true);
    const present = new Set([...facts.present, date("20260304")]);
    expect(missingRanges(yearDays({ ...facts, open, present }).flat())).toEqual([
      { from: "20260226", to: "20260303" },
      { from: "20260305", to: "20260305" },
      { from: "20260309", to: "20260309" },
    ]);
  });
});
