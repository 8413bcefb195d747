import { afterAll, describe, expect, it } from "vitest";
import { day } from "../support/builders.ts";
import { asOperator, publish } from "../support/operator.ts";
import { pageOf } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import {
  FIRST_OF_WINDOW,
  HOLIDAY,
  MAIN,
  MAOTAI,
  OLDEST,
  SATURDAY,
  sharedWorld,
  startWorld,
  TODAY,
  type World,
} from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const ask = (tradedate: unknown) => world.ask({ symbol: "600519", tradedate });

describe("tradedate (contract 3.5, 3.13)", () => {
  it("selects the day, and the response contains the same `tradedate`", async () => {
    const page = pageOf(await ask(MAIN));
    expect(page.tradedate).toBe(MAIN);
    expect(page.items).toEqual(world.main.rowsOf("600519"));
    expect(pageOf(await ask(OLDEST)).tradedate).toBe(OLDEST);
  });

  it.each([
    ...["2026-03-11", "20260229", "20260230", "20261301", "20260011", "20260300", "2026311", "202603110"],
    ...["2026031a", "today", "２０２６０３１１", "20260311,20260310", "20260310-20260311"],
    ...[["20260311"], true, {}],
  ])("with the value %j is refused with 422", async (tradedate) => {
    expectRefusal(await ask(tradedate), { reason: "param_invalid", says: ["tradedate"] });
  });

  it("sent as a JSON number is refused with 422, and the message says to send a string", async () => {
    const answer = await world.ask(
      { symbol: "600519", tradedate: 20_260_311 },
      { headers: { "accept-language": "en" } },
    );
    expectRefusal(answer, { reason: "param_invalid", says: ["tradedate", /string/] });
  });

  it.each([SATURDAY, HOLIDAY])(
    "is refused with 1002 not_trading_day for %s, which is not a trading day",
    async (tradedate) => {
      expectRefusal(await ask(tradedate), { reason: "not_trading_day", says: [tradedate] });
    },
  );

  it("selects a loaded day even if the calendar says that it is not a trading day", async () => {
    const built = day({ tradedate: "20260228", securities: [MAOTAI] });
    await publish(world.service, built);
    const page = pageOf(await ask("20260228"));
    expect(page.items).toEqual(built.rowsOf("600519"));
  });

  it("is refused with 1002 not_loaded for a trading day that is not loaded, and no other day is served", async () => {
    expectRefusal(await ask(TODAY), { reason: "not_loaded", says: [TODAY, MAIN] });
    expectRefusal(await ask("20260309"), { reason: "not_loaded", says: ["20260309"] });
  });

  it("is refused for a missing day, and the message suggests a retry only for the last seven days", async () => {
    const later = /稍后重试|try again later/;
    for (const tradedate of ["20250107", "20260305"]) {
      const answer = await ask(tradedate);
      expectRefusal(answer, { reason: "not_loaded", says: [tradedate, MAIN, "data_status"] });
      expect(answer.text).not.toMatch(later);
    }
    expectRefusal(await ask("20260306"), { reason: "not_loaded", says: [later] });
  });
});

describe("an omitted or blank tradedate (contract 3.5)", () => {
  it.each([undefined, null, "", "  "])(
    "such as %j means the latest trading day, whether it is loaded or not",
    async (tradedate) => {
      expectRefusal(await ask(tradedate), { reason: "not_loaded", says: [TODAY, MAIN] });
    },
  );

  it("means the preceding trading day on a Sunday or a holiday", async () => {
    await using sunday = await startWorld({ nowAt: "2026-03-15T12:00:00+08:00" }).then(disposable);
    expectRefusal(await sunday.ask({ symbol: "600519" }), { reason: "not_loaded", says: ["20260313"] });
    const days = [{ day: "20260313", open: false }];
    await asOperator(sunday.service, "PUT", "/admin/calendar", { days, source: "test" });
    expectRefusal(await sunday.ask({ symbol: "600519" }), { reason: "not_loaded", says: ["20260312"] });
  });

  it("means the next day from midnight in Beijing, when a plan's window moves too; a cursor keeps its day (contract 5.3, 7.2)", async () => {
    const first = { symbol: "600519", tradedate: FIRST_OF_WINDOW };
    const today = day({ tradedate: TODAY, securities: [MAOTAI] });
    await using before = await startWorld({ nowAt: "2026-03-12T23:55:00+08:00" }).then(disposable);
    expectRefusal(await before.ask({ symbol: "600519" }), { reason: "not_loaded", says: [TODAY] });
    await publish(before.service, today);
    const page = pageOf(await before.ask({ symbol: "600519", page_size: 3 }));
    expect([page.tradedate, page.items]).toEqual([TODAY, today.rowsOf("600519").slice(0, 3)]);
    const within = await before.ask(first, { apikey: before.keys.professional });
    expect(within.envelope.code).toBe(200);

    await using after = await startWorld({ nowAt: "2026-03-12T16:00:01Z" }).then(disposable);
    await publish(after.service, today);
    expectRefusal(await after.ask({ symbol: "600519" }), { reason: "not_loaded", says: ["20260313"] });
    const next = pageOf(await after.ask({ symbol: "600519", page_size: 3, cursor: page.next_cursor }));
    expect([next.tradedate, next.items]).toEqual([TODAY, today.rowsOf("600519").slice(3, 6)]);
    const outside = await after.ask(first, { apikey: after.keys.professional });
    expectRefusal(outside, { reason: "outside_window", says: ["20260212"] });
  });

  it("is refused with 503 when the calendar does not reach today, and selects no older day", async () => {
    await using late = await startWorld({ nowAt: "2027-01-04T10:00:00+08:00" }).then(disposable);
    expectRefusal(await late.ask({ symbol: "600519" }), { reason: "unavailable" });
    const named = pageOf(await late.ask({ symbol: "600519", tradedate: MAIN, page_size: 3 }));
    expect(named.tradedate).toBe(MAIN);
    // A request with a cursor does not need the calendar.
    const next = pageOf(await late.ask({ symbol: "600519", cursor: named.next_cursor }));
    expect(next.tradedate).toBe(MAIN);
  });
});

const disposable = (each: World) => ({ ...each, [Symbol.asyncDispose]: each.stop });
