import { describe, expect, it } from "vitest";
import { isStorable, LAST_STORABLE_MS, parseInstant } from "../../../src/calendar/instant.ts";

describe("an instant in the catalog", () => {
  it("lies in the years 2000 to 9999 in Beijing, both included", () => {
    const first = Date.parse("2000-01-01T00:00:00+08:00");
    const last = Date.parse("9999-12-31T23:59:59.999+08:00");
    expect(LAST_STORABLE_MS).toBe(last);
    expect([first, last].map(isStorable)).toEqual([true, true]);
    const beyond = [first - 1, last + 1, Number.MAX_SAFE_INTEGER, 0, -1, Number.NaN, Infinity];
    expect(beyond.filter(isStorable)).toEqual([]);
  });
});

describe("an instant on the command line or in a key file", () => {
  it("means the beginning of the Beijing day when it is a date", () => {
    expect(parseInstant("20260301")).toBe(Date.parse("2026-02-28T16:00:00Z"));
    expect(parseInstant("2026-03-01")).toBe(Date.parse("2026-02-28T16:00:00Z"));
  });

  it("is read with its UTC offset", () => {
    expect(parseInstant("2026-03-01T00:00:00+08:00")).toBe(Date.parse("2026-02-28T16:00:00Z"));
    expect(parseInstant("2026-03-01T00:00Z")).toBe(Date.parse("2026-03-01T00:00:00Z"));
    expect(parseInstant("2026-03-01t00:00:00.500z")).toBe(Date.parse("2026-03-01T00:00:00.500Z"));
  });

  it.each([
    "",
    "2026",
    "20260230",
    "2026-02-30",
    "01/03/2026",
    "2026-03-01T00:00:00",
    "2026-03-01 00:00:00+08:00",
    "2026-03-01T25:00:00Z",
    "1772294400",
  ])("is refused when it is %j", (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});
