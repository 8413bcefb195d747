import { afterAll, describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import { publish } from "../support/operator.ts";
import { type Page, pageOf, readAllPages } from "../support/paging.ts";
import { TEST_CURSOR_SECRET } from "../support/service.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { BEFORE_WINDOW, MAIN, MAOTAI, OLDEST, sharedWorld, startWorld } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const base = { symbol: "600519", tradedate: MAIN };
const windowed = { ...base, start_time: "09:30", end_time: "13:00" };
const rows = () => world.main.rowsOf("600519");
const cursorOf = async (params: Record<string, unknown>) =>
  pageOf(await world.ask({ page_size: 3, ...params })).next_cursor ?? "";
/** Requests the page at `cursor` with these parameters. Undefined parameters are omitted. */
const at = (cursor: unknown, params: Record<string, unknown>) =>
  world.ask({ page_size: 3, ...params, cursor });

describe("paging (contract 5)", () => {
  it("returns an exact has_more when further rows lie only after end_time", async () => {
    const page = pageOf(await world.ask({ ...base, end_time: "093000001", page_size: 6 }));
    expect(page.items).toHaveLength(6);
    expect(page).toMatchObject({ has_more: false, next_cursor: null });
  });

  it("allows different fields on each page", async () => {
    const params = { ...base, cursor: await cursorOf(base) };
    const page = pageOf(await world.ask(params, { fields: "volume,side" }));
    expect(page.fields).toEqual(["volume", "side"]);
    const rest = rows().slice(3);
    expect(page.items).toEqual(rest.map((row) => [row[8], row[6]]));
  });

  it("returns the same page again for the same cursor", async () => {
    const cursor = await cursorOf(base);
    for (let round = 0; round < 3; round++)
      expect(pageOf(await at(cursor, base)).items).toEqual(rows().slice(3, 6));
  });
});

describe("cursors (contract 5)", () => {
  it("are URL-safe strings that do not show the order numbers", async () => {
    expect(await cursorOf(base)).toMatch(/^[A-Za-z0-9._~-]{16,512}$/);
  });

  it("keep the first page's date when later requests omit `tradedate`", async () => {
    const page = pageOf(await at(await cursorOf(base), { symbol: "600519" }));
    expect(page.tradedate).toBe(MAIN);
    expect(page.items).toEqual(rows().slice(3, 6));
    const oldest = { ...base, tradedate: OLDEST };
    expect(pageOf(await at(await cursorOf(oldest), { symbol: "600519" })).tradedate).toBe(OLDEST);
  });

  it("continue the same query when its parameters are spelt differently", async () => {
    const cursor = await cursorOf(windowed);
    for (const same of [
      { start_time: "093000000", end_time: "130000" },
      { start_time: "09:30:00", end_time: "13:00:00" },
      { symbol: "600519.SH" },
      { symbol: "sh600519" },
      { tradedate: undefined },
    ]) {
      expect(pageOf(await at(cursor, { ...windowed, ...same })).items).toEqual(rows().slice(5, 8));
    }
    const bare = await cursorOf({ symbol: "000001", tradedate: MAIN, page_size: 1 });
    const named = pageOf(await at(bare, { symbol: "000001.SZ", tradedate: MAIN }));
    expect(named.items).toEqual(world.main.rowsOf("000001").slice(1));
  });

  it("are refused with cursor_mismatch for another symbol, date or window, and the message names the parameter", async () => {
    const cursor = await cursorOf(windowed);
    const others: [Record<string, unknown>, string | RegExp][] = [
      [{ symbol: "300750" }, "symbol"],
      [{ tradedate: OLDEST }, "tradedate"],
      [{ start_time: "09:31" }, "start_time"],
      [{ start_time: "093000001" }, "start_time"],
      [{ start_time: undefined }, "start_time"],
      [{ end_time: "14:00" }, "end_time"],
      [{ end_time: null }, "end_time"],
    ];
    for (const [over, name] of others) {
      expectRefusal(await at(cursor, { ...windowed, ...over }), { reason: "cursor_mismatch", says: [name] });
    }
    const without = await cursorOf(base);
    expectRefusal(await at(without, { ...base, start_time: "09:15" }), { reason: "cursor_mismatch" });
    expectRefusal(await at(without, { ...base, end_time: "15:00" }), { reason: "cursor_mismatch" });
  });

  it("are refused for a symbol with the same code on the other exchange", async () => {
    const cursor = await cursorOf({ symbol: "000001.SZ", tradedate: MAIN, page_size: 1 });
    expectRefusal(await at(cursor, { symbol: "000001.SH", tradedate: MAIN }), { reason: "cursor_mismatch" });
  });

  it("of the first format are refused with cursor_old_format, and the message says to start without a cursor", async () => {
    for (const cursor of ["v1.", "v1.12345", "v1.600519-20260311-77", `v1.${"x".repeat(300)}`]) {
      expectRefusal(await at(cursor, base), { reason: "cursor_old_format", says: [/cursor/] });
    }
  });

  it("in any other form are refused with cursor_invalid, and never cause a fault", async () => {
    const cursor = await cursorOf(base);
    const wrong = ["x", "v3", "v3.", "v2.", "v2.0930-5", "v2.093000000", "v2.093000000-", "v2.093000000--1"];
    wrong.push("v9.abc", `${cursor}A`, cursor.slice(0, -1), cursor.slice(1), cursor.toUpperCase(), "游标");
    wrong.push(`${cursor}${cursor}`, "null", "undefined", "0", "\u0000", "=".repeat(60), "x".repeat(10_000));
    for (const text of wrong) expectRefusal(await at(text, base), { reason: "cursor_invalid" });
  });

  it("with one changed character, at any position, are refused with cursor_invalid", async () => {
    const cursor = await cursorOf(base);
    for (let place = 0; place < cursor.length; place++) {
      const other = cursor[place] === "A" ? "B" : "A";
      const changed = cursor.slice(0, place) + other + cursor.slice(place + 1);
      expectRefusal(await at(changed, base), { reason: "cursor_invalid" });
    }
  });

  it.each([5, true, ["x"], {}, { time: 1 }])(
    "sent as the JSON value %j, which is not a string, are refused with 422",
    async (cursor) => {
      expect((await at(cursor, base)).envelope.code).toBe(422);
    },
  );

  it("grant no access: plan and window are checked again on every page", async () => {
    const early = { ...base, tradedate: BEFORE_WINDOW };
    const cursor = await cursorOf(early);
    const asked = { ...early, cursor };
    expectRefusal(await world.ask(asked, { apikey: world.keys.professional }), { reason: "outside_window" });
    const withoutDate = { symbol: "600519", cursor };
    expectRefusal(await world.ask(withoutDate, { apikey: world.keys.professional }), {
      reason: "outside_window",
    });
    expectRefusal(await world.ask(asked, { apikey: world.keys.free }), { reason: "plan_missing" });
  });

  it("of a day that was rebuilt are refused with data_rebuilt, and a new first page returns the new rows", async () => {
    const date = "20260303";
    const one = (volume: number) =>
      day({
        tradedate: date,
        securities: [
          security(
            "600519",
            [1, 2, 3].map(() => order("093000000", { volume })),
          ),
        ],
      });
    await publish(world.service, one(100));
    const params = { symbol: "600519", tradedate: date, page_size: 2 };
    const first = await world.ask(params);
    expect(first.headers["x-revision"]).toBe("1");
    const cursor = pageOf(first).next_cursor;
    expect(pageOf(await world.ask({ ...params, cursor })).items).toHaveLength(1);
    const second = one(200);
    await publish(world.service, second);
    expectRefusal(await world.ask({ ...params, cursor }), { reason: "data_rebuilt", says: [/cursor/] });
    expectRefusal(await world.ask({ symbol: "600519", cursor }), { reason: "data_rebuilt" });
    const paged = await readAllPages(world.service, { apikey: world.keys.flagship, params });
    expect(paged.rows).toEqual(second.rowsOf("600519"));
    expect((await world.ask(params)).headers["x-revision"]).toBe("2");
  });
});

describe("a cursor issued under the previous secret (contract 5.2)", () => {
  /** Starts a deployment that replaced the secret of the shared service `hours` ago, by its own clock. */
  const rotated = (hours: number) =>
    startWorld({
      settings: {
        CURSOR_SECRET: "the-secret-after-the-rotation-of-the-key!",
        CURSOR_SECRET_PREVIOUS: TEST_CURSOR_SECRET,
        CURSOR_SECRET_ROTATED_AT: new Date(
          Date.parse("2026-03-12T02:00:00Z") - hours * 3_600_000,
        ).toISOString(),
      },
    });

  it("is accepted within 24 hours of the rotation, and so is the next cursor that its page returns", async () => {
    const early = await rotated(23);
    const params = { ...base, page_size: 3 };
    const page = pageOf(await early.ask({ ...params, cursor: await cursorOf(base) }));
    expect(page.items).toEqual(rows().slice(3, 6));
    const next = pageOf(await early.ask({ ...params, cursor: page.next_cursor }));
    expect(next.items).toEqual(rows().slice(6, 9));
    // The next cursor is signed with the new secret, which other deployments do not have.
    expectRefusal(await at(page.next_cursor, base), { reason: "cursor_invalid" });
    await early.stop();
  });

  it("is refused more than 24 hours after the rotation", async () => {
    const late = await rotated(25);
    expectRefusal(await late.ask({ ...base, cursor: await cursorOf(base) }), { reason: "cursor_invalid" });
    await late.stop();
  });
});

describe("a time-offset cursor without a date (contract 5.5)", () => {
  it.each([
    ["v2.093000000-0", 2],
    ["v2.093000000-2", 4],
    ["v2.093000000-4", 6],
    ["v2.093000005-0", 7],
    ["v2.000000000-0", 0],
    ["v2.145959990-1", 13],
  ])("such as %s continues at row %i and returns a cursor of the current format", async (cursor, row) => {
    const page: Page = pageOf(await at(cursor, base));
    expect(page.items).toEqual(rows().slice(row, row + 3));
    expect(page.has_more).toBe(row + 3 < 13);
    if (!page.has_more) return expect(page.next_cursor).toBeNull();
    expect(page.next_cursor).not.toMatch(/^v2/);
    const rest = await readAllPages(world.service, {
      apikey: world.keys.flagship,
      params: { ...base, cursor: page.next_cursor },
    });
    expect(rest.rows).toEqual(rows().slice(row + 3));
  });

  it.each(["v2.093000000-5", "v2.093000005-1", "v2.145959990-2"])(
    "such as %s, whose offset exceeds the rows of its millisecond, is refused with 422",
    async (cursor) => {
      const says = [/beyond the rows of its millisecond/];
      expectRefusal(await at(cursor, base), { reason: "cursor_invalid", says });
    },
  );

  it.each(["v2.253000000-0", "v2.096000000-0", "v2.999999999-0", "v2.093000000-4000000000"])(
    "such as %s, which holds no valid time or offset, is refused with 422",
    async (cursor) => {
      expect((await at(cursor, base)).envelope.code).toBe(422);
    },
  );

  it("is refused with 422 when the request omits `tradedate`, and the message names that parameter", async () => {
    const answer = await at("v2.093000000-0", { symbol: "600519" });
    expect(answer.envelope.code).toBe(422);
    expect(answer.envelope.message).toContain("tradedate");
  });

  it("returns only rows inside the request's time window", async () => {
    const page = pageOf(await world.ask({ ...windowed, cursor: "v2.093001000-0" }));
    expect(page.items).toEqual(rows().slice(8, 11));
    expect(page.has_more).toBe(false);
    const before = await world.ask({ ...windowed, cursor: "v2.091500000-0" });
    if (before.envelope.code === 422) return;
    expect(pageOf(before).items).toEqual(rows().slice(2, 11));
  });

  it("counts only rows of the requested security", async () => {
    const asked = { symbol: MAOTAI.symbol, tradedate: OLDEST, cursor: "v2.130000000-1" };
    expect(pageOf(await world.ask(asked)).items.map((row) => row[2])).toEqual(["145959990"]);
  });
});
