import { describe, expect, it } from "vitest";
import type { Calendar, CalendarChanged, DayList } from "../../../src/admin/wire.ts";
import { admin, publish, testPack } from "./operator.ts";

const days = [
  { day: "20261230", open: true },
  { day: "20261231", open: true },
  { day: "20270101", open: false },
];

describe("the calendar", () => {
  it("takes open and closed days, counts what changed, and shows a year with its sources", async () => {
    const empty = await admin<Calendar>("GET", "/calendar?year=2026");
    expect(empty.body).toEqual({ year: 2026, days: [], knownUntil: null });
    const put = (body: unknown) => admin<CalendarChanged>("PUT", "/calendar", body);
    expect((await put({ days, source: "first" })).body).toEqual({ changed: 3, knownUntil: "20270101" });
    expect((await put({ days, source: "again" })).body.changed).toBe(0);
    const closed = { days: [{ day: "20261231", open: false }], source: "by hand" };
    expect((await put(closed)).body.changed).toBe(1);
    expect((await admin<Calendar>("GET", "/calendar?year=2026")).body).toEqual({
      year: 2026,
      days: [
        { day: "20261230", open: true, source: "again" },
        { day: "20261231", open: false, source: "by hand" },
      ],
      knownUntil: "20270101",
    });
  });
});

describe("the list of days", () => {
  it("shows the loaded days of a month in order, and no others", async () => {
    for (const date of ["20250228", "20250331", "20250303", "20250401"]) await publish(await testPack(date));
    const list = await admin<DayList>("GET", "/days?month=202503");
    const loaded = list.body.days.filter(({ revision }) => revision !== null);
    expect(loaded.map(({ tradedate }) => tradedate)).toEqual(["20250303", "20250331"]);
    expect(loaded[0]).toMatchObject({
      revision: 1,
      state: "available",
      rows: 3,
      securities: 2,
      publishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+08:00$/),
    });
  });
});
