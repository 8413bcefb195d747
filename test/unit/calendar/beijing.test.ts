import { describe, expect, it } from "vitest";
import {
  addDays,
  type BeijingDate,
  beijingDate,
  beijingTimestamp,
  isWeekend,
  parseBeijingDate,
  secondsToNextDay,
  startOfDay,
  windowStart,
} from "../../../src/calendar/beijing.ts";

const day = (text: string) => text as BeijingDate;

describe("Beijing dates (contract 7.2)", () => {
  it("begin at 16:00:00.000 UTC of the previous day", () => {
    expect(beijingDate(Date.parse("2026-11-27T15:59:59.999Z"))).toBe("20261127");
    expect(beijingDate(Date.parse("2026-11-27T16:00:00.000Z"))).toBe("20261128");
    expect(startOfDay(day("20261128"))).toBe(Date.parse("2026-11-27T16:00:00.000Z"));
  });

  it("are refused when they do not exist or are not eight ASCII digits", () => {
    for (const text of [
      "20260230",
      "20261301",
      "00000000",
      "2026-01-01",
      "2026010",
      "202601011",
      "２０２６０１０１",
      "",
    ])
      expect(parseBeijingDate(text), text).toBeNull();
    expect(parseBeijingDate("20240229")).toBe("20240229");
    expect(parseBeijingDate("20230229")).toBeNull();
  });

  it("are in a weekend only if the day is a Saturday or a Sunday", () => {
    const week = ["20261123", "20261124", "20261125", "20261126", "20261127", "20261128", "20261129"];
    expect(week.filter((each) => isWeekend(day(each)))).toEqual(["20261128", "20261129"]);
  });
});

describe("a window of Beijing dates (contract 7.2)", () => {
  it("counts every calendar day, including today", () => {
    expect(windowStart(day("20260301"), 30)).toBe("20260131");
    expect(windowStart(day("20281231"), 365)).toBe("20280102");
    expect(windowStart(day("20260101"), 1)).toBe("20260101");
    expect(addDays(day("20240228"), 2)).toBe("20240301");
  });
});

describe("the time until the next Beijing day (contract 7.2)", () => {
  it("is rounded up to whole seconds, so it is never 0", () => {
    expect(secondsToNextDay(Date.parse("2026-11-27T15:59:59.999Z"))).toBe(1);
    expect(secondsToNextDay(Date.parse("2026-11-27T16:00:00.000Z"))).toBe(86_400);
  });
});

describe("a timestamp in Beijing time (contract 7.2)", () => {
  it("has whole seconds and the offset +08:00", () => {
    expect(beijingTimestamp(Date.parse("2026-11-27T01:30:00.500Z"))).toBe("2026-11-27T09:30:00+08:00");
  });

  it("is clamped to the years 0 to 9999", () => {
    for (const far of [Number.MAX_SAFE_INTEGER, 8.64e15, Infinity, Date.UTC(10_000, 0, 1)]) {
      expect(beijingTimestamp(far)).toBe("9999-12-31T23:59:59+08:00");
    }
    for (const far of [Number.MIN_SAFE_INTEGER, -8.64e15, -Infinity]) {
      expect(beijingTimestamp(far)).toBe("0000-01-01T00:00:00+08:00");
    }
  });
});
