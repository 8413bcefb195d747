import { describe, expect, it } from "vitest";
import { type BeijingDate, beijingTimestamp } from "../../../../src/calendar/beijing.ts";
import {
  eveningTime,
  lastClosedDay,
  laterChanges,
  newestTradingDay,
} from "../../../../src/cli/nightly/nightly.ts";
import { fakeService } from "../fake-service.ts";

const at = (text: string) => Date.parse(text);
const day = (text: string) => text as BeijingDate;

describe("the day that nightly expects", () => {
  it("is today from 15:00 Beijing time, and yesterday before that time", () => {
    expect(lastClosedDay(at("2026-03-12T14:59:59.999+08:00"))).toBe("20260311");
    expect(lastClosedDay(at("2026-03-12T15:00:00+08:00"))).toBe("20260312");
    expect(lastClosedDay(at("2026-03-13T00:30:00+08:00"))).toBe("20260312");
  });

  it("is the newest trading day so far, if the calendar has no gap after it", () => {
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

  it("can have a deadline after midnight", () => {
    const time = (hours: number, minutes: number) =>
      beijingTimestamp(eveningTime(day("20261231"), hours * 60 + minutes));
    expect(time(20, 30)).toBe("2026-12-31T20:30:00+08:00");
    expect(time(1, 5)).toBe("2027-01-01T01:05:00+08:00");
    expect(time(12, 0)).toBe("2026-12-31T12:00:00+08:00");
  });
});

describe("a delivery that an earlier run loaded", () => {
  const name = "20260311_aucde.parquet";
  type Outcome = Parameters<typeof laterChanges>[1];
  const outcome = {
    tradedate: "20260311",
    datasets: [
      { dataset: "orders", revision: 1 },
      { dataset: "quotes", revision: 1 },
    ],
    files: [
      { dataType: "auction_tick", name, revision: 1 },
      { dataType: "level2", name: "kept", revision: null },
    ],
  } as unknown as Outcome;
  const changes = (quotes: object, file: object) =>
    laterChanges(
      fakeService(({ path }) => {
        if (path.startsWith("/admin/files/")) return { json: { files: [{ ...FILE, name, ...file }] } };
        const shown = { ...DAY, ...(path.includes("quotes") ? quotes : {}) };
        return { json: { month: "202603", days: [shown] } };
      }).client,
      outcome,
    );
  const DAY = {
    ...{ tradedate: "20260311", state: "available", note: "", rows: 1, securities: 1 },
    ...{ revision: 1, sizeBytes: 1, publishedAt: "now" },
  };
  const FILE = {
    ...{ dataType: "auction_tick", tradedate: "20260311", origin: "builder", state: "published" },
    ...{ publishedAt: "now", uploadedAt: "now", sha256: "0".repeat(64) },
    ...{ revision: 1, stateNote: "", sizeBytes: 1 },
  };

  it("is not loaded again, and later revisions and withdrawals are reported", async () => {
    expect(await changes({}, {})).toEqual([]);
    expect(await changes({ revision: 2 }, { revision: 3 })).toEqual([
      "20260311 (quotes) is now served as revision 2.",
      `${name} is now offered as revision 3.`,
    ]);
    expect(await changes({}, { state: "withdrawn" })).toEqual([`${name} is no longer offered.`]);
  });

  it("is loaded again when a dataset is no longer served", async () => {
    expect(await changes({ state: "withdrawn" }, {})).toBeNull();
  });
});
