import { describe, expect, it } from "vitest";
import { parseCalendarFile } from "../../../../src/cli/calendar/calendar-file.ts";

describe("an operator's own calendar", () => {
  it("takes a list of trading days and closes the days between them", () => {
    const days = parseCalendarFile(
      "\uFEFFtrading day\r\n20260105\r\n# the week before\r\n2026-01-02\r\n\r\n",
      "own.txt",
    );
    expect(days).toEqual([
      { day: "20260102", open: true },
      { day: "20260103", open: false },
      { day: "20260104", open: false },
      { day: "20260105", open: true },
    ]);
  });

  it("takes open and closed days as they are listed and adds none", () => {
    expect(parseCalendarFile("day,open\n20260105,1\n20260101, 0\n", "own.csv")).toEqual([
      { day: "20260101", open: false },
      { day: "20260105", open: true },
    ]);
  });

  it.each([
    ["20260230\n", "own.txt:1: this is no calendar day"],
    ["20260105\nmonday\n", "own.txt:2: this is no calendar day"],
    ["20260105,yes\n", "own.txt:1: the second column is neither 1 (open) nor 0 (closed)"],
    ["20260105,1\n20260105,0\n", "own.txt:2: 20260105 is listed as open and as closed"],
    ["\n# nothing\n", "own.txt lists no day"],
  ])("refuses %j with its place", (text, sentence) => {
    expect(() => parseCalendarFile(text, "own.txt")).toThrow(sentence);
  });
});
