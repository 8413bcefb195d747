import { describe, expect, it } from "vitest";
import type { Calendar, CalendarChanged, DayList } from "../../../src/admin/wire.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { calendarReach } from "../../../src/catalog/calendar-days.ts";
import { admin, publish, query, testEnv, testPack } from "./operator.ts";

const days = [
  { day: "20261230", open: true },
  { day: "20261231", open: true },
  { day: "20270101", open: false },
];

describe("the trading calendar", () => {
  it("stores open and closed days, counts the changed days, and returns a year's days with their sources", async () => {
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

describe("weekend days", () => {
  const weekend = [
    { day: "20261226", open: true },
    { day: "20261227", open: true },
  ];
  const known = async () => (await admin<Calendar>("GET", "/calendar?year=2026")).body.days;

  it("are refused as trading days without force, and the calendar stays unchanged", async () => {
    const before = await known();
    for (const days of [weekend, weekend.slice(1), [{ day: "20261228", open: true }, ...weekend]]) {
      const { status, body } = await admin("PUT", "/calendar", { days, source: "list" });
      expect(status).toBe(422);
      expect(body.error).toMatch(/2026122[67]( is| and 1 more are) on a weekend.*--force/);
    }
    expect(await known()).toEqual(before);
    const closed = weekend.map(({ day }) => ({ day, open: false }));
    expect((await admin("PUT", "/calendar", { days: closed, source: "list" })).status).toBe(200);
    expect((await admin("PUT", "/calendar", { days: weekend, source: "list", force: true })).status).toBe(
      200,
    );
    expect((await known()).filter(({ open }) => open).map(({ day }) => day)).toContain("20261227");
    await admin("PUT", "/calendar", { days: closed, source: "list" });
  });
});

describe("the known range of the calendar", () => {
  it("ends at the first gap, even if a single later day is listed", async () => {
    await query`DELETE FROM trading_days`.run();
    const known = [...days, { day: "20270102", open: false }];
    await admin("PUT", "/calendar", { days: known, source: "test" });
    const marked = { days: [{ day: "20991231", open: true }], source: "mark" };
    expect((await admin<CalendarChanged>("PUT", "/calendar", marked)).body.knownUntil).toBe("20270102");
    const reach = (today: string) => calendarReach(testEnv.DB, today as BeijingDate);
    const lastDay = "20991231";
    expect(await reach("20261230")).toEqual({
      ...{ newestTradingDay: "20261230", missing: null, knownUntil: "20270102", lastDay },
    });
    expect(await reach("20270103")).toMatchObject({ missing: "20270103", knownUntil: "20270102" });
    expect(await reach("20251230")).toMatchObject({ newestTradingDay: null, missing: null });
    expect(await reach("20991231")).toMatchObject({ missing: null, knownUntil: "20991231" });
    await query`DELETE FROM trading_days WHERE day = '20261231'`.run();
    expect(await reach("20270101")).toMatchObject({ missing: "20261231", knownUntil: "20270102" });
  });
});

describe("the list of days", () => {
  it("shows exactly the loaded days of a month, in order", async () => {
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
