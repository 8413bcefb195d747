import { describe, expect, it } from "vitest";
import { parseInstant } from "../../../src/calendar/instant.ts";

describe("an instant on the command line or in a key file", () => {
  it("is the beginning of a Beijing day when it is a date", () => {
    expect(parseInstant("20260301")).toBe(Date.parse("2026-02-28T16:00:00Z"));
    expect(parseInstant("2026-03-01")).toBe(Date.parse("2026-02-28T16:00:00Z"));
  });

  it("is itself when it carries its offset", () => {
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
  ])("refuses %j", (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});
