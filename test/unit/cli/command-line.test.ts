import { afterEach, describe, expect, it, vi } from "vitest";
import { instantArgument, limitArgument, sizeText, spanArgument } from "../../../src/cli/command-line.ts";

afterEach(() => {
  vi.useRealTimers();
});

const at = (text: string) => Date.parse(text);

describe("an instant on the command line", () => {
  it("can be an RFC 3339 time, or a date with or without hyphens for the start of a Beijing day", () => {
    expect(instantArgument("20260312")).toBe(at("2026-03-12T00:00:00+08:00"));
    expect(instantArgument("2026-03-12")).toBe(at("2026-03-12T00:00:00+08:00"));
    expect(instantArgument("2026-03-12T20:30:00+08:00")).toBe(at("2026-03-12T20:30:00+08:00"));
  });

  it("can be today, yesterday or tomorrow, which change at midnight in Beijing (16:00 UTC)", () => {
    vi.useFakeTimers({ now: at("2026-03-12T15:59:59Z") });
    expect(instantArgument("today")).toBe(at("2026-03-12T00:00:00+08:00"));
    vi.setSystemTime(at("2026-03-12T16:00:00Z"));
    expect(instantArgument("today")).toBe(at("2026-03-13T00:00:00+08:00"));
    expect(instantArgument("yesterday")).toBe(at("2026-03-12T00:00:00+08:00"));
    expect(instantArgument("tomorrow")).toBe(at("2026-03-14T00:00:00+08:00"));
  });

  it.each(["last week", "2026-02-30", "2026-03-12T20:30:00", "toString", ""])("cannot be %j", (text) => {
    expect(() => instantArgument(text)).toThrow(/expected a day .*today, yesterday.* RFC 3339/);
  });
});

describe("command-line arguments", () => {
  it("express a limit as a whole number, `unlimited` or `plan`, and a time span in days or hours", () => {
    const limit = limitArgument("a whole number, unlimited, or plan", "unlimited", "plan");
    expect(["0", "30", "unlimited", "plan"].map(limit)).toEqual([0, 30, "unlimited", "plan"]);
    expect(() => limit("-1")).toThrow("a whole number, unlimited, or plan");
    expect(["36h", "7d"].map(spanArgument)).toEqual([129_600_000, 604_800_000]);
    expect(() => spanArgument("7")).toThrow("7d or 36h");
  });
});

describe("command output", () => {
  it.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [999, "999 bytes"],
    [1_000, "1.0 kB"],
    [12_345, "12.3 kB"],
    [999_949, "999.9 kB"],
    [999_950, "1.0 MB"],
    [1_222_288, "1.2 MB"],
    [1_056_000_000, "1.1 GB"],
    [9_000_000_000_000, "9000.0 GB"],
  ])("shows %d bytes as %s", (sizeBytes, text) => {
    expect(sizeText(sizeBytes)).toBe(text);
  });
});
