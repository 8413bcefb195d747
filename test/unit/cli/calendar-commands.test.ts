import { describe, expect, it } from "vitest";
import { exchangeDays, parseCalendarFile, weekdays } from "../../../src/cli/calendar-commands.ts";

const daysOf = (year: number): string[] => (exchangeDays(year) ?? []).map(({ day }) => day);
const openDays = (year: number): string[] =>
  (exchangeDays(year) ?? []).flatMap(({ day, open }) => (open ? [day] : []));

/** Numbers of trading days of the years from 2017, as published by the exchanges. */
const COUNTED = [244, 243, 244, 243, 243, 242, 242, 242, 243].map((count, at) => [2017 + at, count] as const);

describe("the trading days from the holiday library", () => {
  it.each(COUNTED)("have for %i the number that the exchanges published: %i", (year, count) => {
    expect(openDays(year)).toHaveLength(count);
  });

  it("are listed together with all other days of the year, each exactly once", () => {
    expect(daysOf(2024)).toHaveLength(366);
    expect(daysOf(2026)).toHaveLength(365);
    expect(daysOf(2024)).toContain("20240229");
    expect(new Set(daysOf(2024)).size).toBe(366);
  });

  it("never fall on a weekend, not even when people work on that weekend", () => {
    for (const madeWorking of ["20240204", "20240218", "20250126", "20230128"]) {
      expect(openDays(Number(madeWorking.slice(0, 4)))).not.toContain(madeWorking);
    }
    for (const day of openDays(2023)) {
      const iso = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`;
      expect([0, 6]).not.toContain(new Date(iso).getUTCDay());
    }
  });

  it("exclude 2024-02-09, which was not a public holiday, and the extended Spring Festival of 2020", () => {
    expect(openDays(2024)).not.toContain("20240209");
    expect(openDays(2024)).toContain("20240208");
    expect(openDays(2024)).toContain("20240219");
    expect(openDays(2020)).not.toContain("20200131");
    expect(openDays(2020)).toContain("20200203");
  });
});

describe("the years that the holiday library covers", () => {
  it("are 2004 to 2026", () => {
    for (let year = 2004; year <= 2026; year++) expect(exchangeDays(year)).not.toBeNull();
  });

  it("exclude a year whose holidays are not announced, even if a festival falls on a weekend", () => {
    for (const year of [2003, 2027, 2028, 2029, 2033, 2050]) expect(exchangeDays(year)).toBeNull();
  });
});

describe("the provisional calendar of a year", () => {
  it("opens all weekdays of 2027 and no other day", () => {
    const open = weekdays(2027).filter((entry) => entry.open);
    expect(open).toHaveLength(261);
    expect(open[0]?.day).toBe("20270101");
  });
});

describe("an operator's own calendar", () => {
  it("marks the days between the listed days as closed if it lists only trading days", () => {
    const days = parseCalendarFile(
      "trading day\r\n20260105\r\n# the week before\r\n2026-01-02\r\n\r\n",
      "own.txt",
    );
    expect(days).toEqual([
      { day: "20260102", open: true },
      { day: "20260103", open: false },
      { day: "20260104", open: false },
      { day: "20260105", open: true },
    ]);
  });

  it("stores exactly the listed days if it lists open and closed days", () => {
    expect(parseCalendarFile("day,open\n20260105,1\n20260101, 0\n", "own.csv")).toEqual([
      { day: "20260101", open: false },
      { day: "20260105", open: true },
    ]);
  });

  it.each([
    ["20260230\n", "own.txt:1: this is not a calendar day"],
    ["20260105\nmonday\n", "own.txt:2: this is not a calendar day"],
    ["20260105,yes\n", "own.txt:1: the second column is neither 1 (open) nor 0 (closed)"],
    ["20260105,1\n20260105,0\n", "own.txt:2: 20260105 is listed as open and as closed"],
    ["\n# nothing\n", "own.txt lists no day"],
  ])("is refused if its text is %j", (text, sentence) => {
    expect(() => parseCalendarFile(text, "own.txt")).toThrow(sentence);
  });
});
