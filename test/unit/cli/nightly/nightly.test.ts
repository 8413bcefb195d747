import { describe, expect, it } from "vitest";
import { type BeijingDate, beijingTimestamp } from "../../../../src/calendar/beijing.ts";
import { eveningTime, lastClosedDay, newestTradingDay } from "../../../../src/cli/nightly/nightly.ts";

const at = (text: string) => Date.parse(text);
const day = (text: string) => text as BeijingDate;

describe("the day that nightly expects", () => {
  it("is today from 15:00 Beijing time, and yesterday before that time", () => {
    expect(lastClosedDay(at("2026-03-12T14:59:59.999+08:00"))).toBe("20260311");
    expect(lastClosedDay(at("2026-03-12T15:00:00+08:00"))).toBe("20260312");
    expect(lastClosedDay(at("2026-03-13T00:30:00+08:00"))).toBe("20260312");
  });

  it("is the newest trading day so far, if the calendar covers every day since", () => {
    const calendar = [
      { day: day("20260312"), open: true },
      { day: day("20260313"), open: true },
      { day: day("20260314"), open: false },
      { day: day("20260315"), open: false },
    ];
    expect(newestTradingDay(calendar, day("20260315"))).toBe("20260313");
    expect(newestTradingDay(calendar, day("20260312"))).toBe("20260312");
    expect(newestTradingDay(calendar, day("20260316"))).toBeNull();
    expect(newestTradingDay(calendar.slice(2), day("20260315"))).toBeNull();
  });

  it("may have a deadline in the following night", () => {
    const time = (hours: number, minutes: number) =>
      beijingTimestamp(eveningTime(day("20261231"), { hours, minutes }));
    expect(time(20, 30)).toBe("2026-12-31T20:30:00+08:00");
    expect(time(1, 5)).toBe("2027-01-01T01:05:00+08:00");
    expect(time(12, 0)).toBe("2026-12-31T12:00:00+08:00");
  });
});
