/** Tests the operations `data_status`, `data_changes`, `data_symbols` and `order_history_estimate` (contract 9). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DayChanged, OwnLimits } from "../../src/admin/wire.ts";
import type { DataChanges, DataStatus, DataSymbols, Estimate } from "../../src/operations/wire.ts";
import { day, order, security } from "../support/builders.ts";
import { account, asOperator, publish } from "../support/operator.ts";
import { pageOf } from "../support/paging.ts";
import { left } from "../support/quota.ts";
import { expectEnvelope, expectRefusal } from "./expect-refusal.ts";
import {
  BEFORE_WINDOW,
  FIRST_OF_WINDOW,
  HOLIDAY,
  MAIN,
  OLDEST,
  SATURDAY,
  startWorld,
  TODAY,
} from "./world.ts";

const world = await startWorld();
afterAll(() => world.stop());

const ask = (apiname: string, params: object, apikey = world.keys.flagship) =>
  world.service.post({ apiname, apikey, params });

async function dataOf<T>(apiname: string, params: object, apikey = world.keys.flagship): Promise<T> {
  const answer = await ask(apiname, params, apikey);
  expectEnvelope(answer);
  expect(answer.envelope.code, answer.text).toBe(200);
  return answer.envelope.data as T;
}

/** Returns the build id in the `X-Build` header of a response for `tradedate`. */
const buildOf = async (tradedate: string): Promise<string> => {
  const build = (await world.ask({ symbol: "600519", tradedate })).headers["x-build"];
  expect(build).toMatch(/^[0-9a-f]{32}$/);
  return String(build);
};

const WITH_DATA = ["data_status", "data_changes", "data_symbols", "order_history_estimate"] as const;

describe("the data operations", () => {
  it.each(WITH_DATA)(
    "include %s, which needs a plan with order history and refuses unknown parameters",
    async (apiname) => {
      const params = apiname === "order_history_estimate" ? { symbol: "600519" } : {};
      for (const plan of ["free", "standard"] as const) {
        expectRefusal(await ask(apiname, params, world.keys[plan]), { reason: "plan_missing" });
      }
      expectRefusal(await ask(apiname, { ...params, nonsense: 1 }), { reason: "param_unknown" });
    },
  );

  it("suggest the nearest name for an unknown parameter or operation", async () => {
    expectRefusal(await ask("data_symbols", { tradedte: MAIN }), {
      reason: "param_unknown",
      says: ["tradedate"],
    });
    expectRefusal(await ask("data_statsu", {}), { reason: "apiname_unknown", says: ["data_status"] });
  });

  it("charge nothing and take no slot", async () => {
    const { key } = await account(world.service, { plan: "trial" });
    const asks = Array.from({ length: 40 }, (_, n) =>
      ask(WITH_DATA[n % 4] ?? "", n % 4 === 3 ? { symbol: "600519", tradedate: MAIN } : {}, key),
    );
    const reasons = (await Promise.all(asks)).map(({ reason }) => reason);
    expect(reasons).not.toContain("slot_busy");
    const page = await world.ask({ symbol: "600519", tradedate: MAIN }, { apikey: key });
    expect(left(page).remaining).toBe(99);
  });
});

describe("data_status", () => {
  it("lists a month's trading days up to today as available, missing or pending", async () => {
    const status = await dataOf<DataStatus>("data_status", {});
    expect(status).toMatchObject({ month: "202603", window_from: null });
    const states = new Map(status.days.map(({ tradedate, state }) => [tradedate, state]));
    expect([...states.keys()]).toEqual(
      ["03", "04", "05", "06", "09", "10", "11", "12"].map((dayOfMonth) => `202603${dayOfMonth}`),
    );
    expect([states.get(MAIN), states.get("20260310"), states.get(TODAY)]).toEqual([
      "available",
      "missing",
      "pending",
    ]);
    expect([states.has(HOLIDAY), states.has(SATURDAY)]).toEqual([false, false]);
    const rows = world.main.securities.reduce((sum, { orders }) => sum + orders.length, 0);
    const absent = {
      ...{ revision: null, build_id: null, rows: null },
      ...{ securities: null, size_bytes: null, published_at: null, quality: null },
    };
    const orders = {
      state: "available",
      revision: 1,
      build_id: await buildOf(MAIN),
      rows,
      securities: world.main.securities.length,
      size_bytes: expect.any(Number),
      published_at: expect.stringMatching(/^2026-03-12T09:\d\d:\d\d\+08:00$/),
      quality: null,
    };
    const missing = { state: "missing", ...absent };
    expect(status.days.find(({ tradedate }) => tradedate === MAIN)).toEqual({
      ...{ tradedate: MAIN, ...orders },
      datasets: { orders, trades: missing, quotes: missing },
    });
    expect(status.days.find(({ tradedate }) => tradedate === "20260310")).toEqual({
      ...{ tradedate: "20260310", ...missing },
      datasets: { orders: missing, trades: missing, quotes: missing },
    });
  });

  it("lists only days inside the plan's window, and refuses a month before the window", async () => {
    const key = world.keys.professional;
    const status = await dataOf<DataStatus>("data_status", { month: "202602" }, key);
    expect(status.window_from).toBe(FIRST_OF_WINDOW);
    expect(status.days[0]).toMatchObject({ tradedate: FIRST_OF_WINDOW, state: "available" });
    expectRefusal(await ask("data_status", { month: "202601" }, key), {
      reason: "outside_window",
      says: [/month 202601/, FIRST_OF_WINDOW],
    });
    expect((await dataOf<DataStatus>("data_status", { month: "202601" })).days[0]?.tradedate).toBe(
      "20260101",
    );
  });

  it.each([202603, "2026-03", "202613", "03"])("refuses the value %j for month", async (month) => {
    expectRefusal(await ask("data_status", { month }), { reason: "param_invalid", says: ["month"] });
  });
});

describe("data_changes", () => {
  it("lists every publication in the plan's window exactly once across pages", async () => {
    const seen: string[] = [];
    let after = 0;
    for (;;) {
      const { changes, next_after, has_more } = await dataOf<DataChanges>("data_changes", {
        after,
        limit: 1,
      });
      seen.push(...changes.map(({ tradedate }) => tradedate));
      after = next_after;
      if (!has_more) break;
    }
    expect(seen).toEqual([OLDEST, BEFORE_WINDOW, FIRST_OF_WINDOW, MAIN]);
    expect(await dataOf<DataChanges>("data_changes", { after })).toEqual({
      changes: [],
      next_after: after,
      has_more: false,
    });
    const inWindow = await dataOf<DataChanges>("data_changes", {}, world.keys.professional);
    expect(inWindow.changes.map(({ tradedate }) => tradedate)).toEqual([FIRST_OF_WINDOW, MAIN]);
    expect(inWindow.changes[0]).toMatchObject({
      kind: "published",
      revision: 1,
      previous: null,
      securities: null,
    });
  });

  it("returns no changes and a usable `next_after` when `since` is later than every change", async () => {
    const { changes, next_after } = await dataOf<DataChanges>("data_changes", { since: "20990101" });
    expect(changes).toEqual([]);
    expect((await dataOf<DataChanges>("data_changes", { after: next_after })).changes).toEqual([]);
  });

  it("lists exactly the securities that a rebuild added, removed and changed", async () => {
    const tradedate = "20260309";
    const quiet = security("600000", [order("093000000")]);
    const gone = security("600001", [order("093000000")]);
    const before = security("600519", [order("093000000"), order("093000001")]);
    const after = security("600519", [order("093000000"), order("093000001", { priceE4: 123_500 })]);
    const come = security("300750", [order("093000000")]);
    await publish(world.service, day({ tradedate, securities: [quiet, gone, before] }));
    const since = (await dataOf<DataChanges>("data_changes", {})).next_after;
    await publish(world.service, day({ tradedate, securities: [quiet, after, come] }));
    expect((await dataOf<DataChanges>("data_changes", { after: String(since) })).changes).toEqual([
      {
        change: expect.any(Number),
        at: expect.stringMatching(/^2026-03-12T10:\d\d:\d\d\+08:00$/),
        dataset: "orders",
        tradedate,
        kind: "published",
        revision: 2,
        previous: 1,
        build_id: await buildOf(tradedate),
        securities: { added: ["300750.SZ"], removed: ["600001.SH"], changed: ["600519.SH"] },
      },
    ]);
  });

  it("accepts an instant or a day as `since`, and refuses invalid values of `since`, `limit` and `after`", async () => {
    const counts = await Promise.all(
      ["20260312", "2026-03-12T00:00:00+08:00", "2026-03-13"].map(
        async (since) => (await dataOf<DataChanges>("data_changes", { since })).changes.length > 0,
      ),
    );
    expect(counts).toEqual([true, true, false]);
    for (const params of [
      { since: "yesterday" },
      { since: 20260312 },
      { limit: 51 },
      { limit: 0 },
      { after: 1.5 },
    ]) {
      expectRefusal(await ask("data_changes", params), {
        reason: "param_invalid",
        says: [Object.keys(params)[0] ?? ""],
      });
    }
  });
});

describe("data_symbols", () => {
  it("lists every security of the day with its row count, file size, and first and last row times", async () => {
    const { fields, items, ...rest } = await dataOf<DataSymbols>("data_symbols", { tradedate: MAIN });
    expect(rest).toEqual({ tradedate: MAIN, revision: 1 });
    expect(fields).toEqual(["symbol", "market", "rows", "size_bytes", "first_time", "last_time"]);
    expect(items.map(([symbol, market, rows, , first, last]) => [symbol, market, rows, first, last])).toEqual(
      world.main.securities.map(({ symbol, market, orders }) => [
        symbol,
        market,
        orders.length,
        orders[0]?.time ?? null,
        orders.at(-1)?.time ?? null,
      ]),
    );
    const maotai = items.find(([symbol]) => symbol === "600519");
    const file = await world.ask({ symbol: "600519", tradedate: MAIN, format: "parquet" });
    expect(maotai?.[3]).toBe(file.bytes.length);
    expect(items.find(([symbol]) => symbol === "688111")).toEqual(["688111", "SH", 0, 0, null, null]);
  });

  it("lists one exchange's securities on request, and refuses an unknown exchange", async () => {
    const { items } = await dataOf<DataSymbols>("data_symbols", { tradedate: MAIN, market: "sz" });
    expect(new Set(items.map(([, market]) => market))).toEqual(new Set(["SZ"]));
    expectRefusal(await ask("data_symbols", { tradedate: MAIN, market: "BJ" }), { reason: "param_invalid" });
  });

  it("refuses the same days as order history", async () => {
    expectRefusal(await ask("data_symbols", {}), { reason: "not_loaded", says: [TODAY, MAIN] });
    expectRefusal(await ask("data_symbols", { tradedate: HOLIDAY }), { reason: "not_trading_day" });
    expectRefusal(await ask("data_symbols", { tradedate: BEFORE_WINDOW }, world.keys.professional), {
      reason: "outside_window",
    });
  });
});

describe("order_history_estimate", () => {
  it("returns the number of rows and pages, the Parquet file's size, the cost, and today's remaining quota", async () => {
    const { key } = await account(world.service, { plan: "trial" });
    await world.ask({ symbol: "600519", tradedate: MAIN }, { apikey: key });
    const params = { symbol: "600000", tradedate: MAIN, page_size: 7 };
    const file = await world.ask({ symbol: "600000", tradedate: MAIN, format: "parquet" });
    expect(await dataOf("order_history_estimate", params, key)).toEqual({
      symbol: "600000",
      market: "SH",
      tradedate: MAIN,
      revision: 1,
      start_time: "000000000",
      end_time: "240000000",
      rows: { at_least: 25, at_most: 25 },
      page_size: 7,
      pages: { at_least: 4, at_most: 4 },
      parquet_bytes: file.bytes.length,
      cost: { json: { requests: { at_least: 4, at_most: 4 } }, parquet: { requests: 1, files: 1 } },
      left_today: { requests: 99, files: null },
      resets_in: expect.any(Number),
      whole_day: { securities: world.main.securities.length, quota_days: 1, in_share: false },
    });
  });

  it("returns how many days of quota the files of all securities need, and whether a share contains the day", async () => {
    const params = { symbol: "600519", tradedate: MAIN };
    const { length: securities } = world.main.securities;
    const estimate = async (plan: "flagship" | "trial", limits: OwnLimits) => {
      const { key } = await account(world.service, { plan, limits });
      return (await dataOf<Estimate>("order_history_estimate", params, key)).whole_day;
    };
    expect(await estimate("flagship", { requests: null, files: 4 })).toEqual({
      securities,
      quota_days: Math.ceil(securities / 4),
      in_share: true,
    });
    expect(await estimate("trial", { requests: 3, files: 4 })).toEqual({
      securities,
      quota_days: Math.ceil(securities / 3),
      in_share: false,
    });
    for (const limits of [
      { requests: null, files: null },
      { requests: null, files: 0 },
    ]) {
      expect(await estimate("flagship", limits)).toMatchObject({ quota_days: null });
    }
  });

  it("returns a lower and an upper bound for the number of rows in a time window", async () => {
    const window = { symbol: "600519", tradedate: MAIN, start_time: "09:30", end_time: "09:31" };
    const { rows } = await dataOf<Estimate>("order_history_estimate", window);
    const page = await world.ask(window);
    const exact = (page.envelope.data as { items: unknown[] }).items.length;
    expect(rows.at_least).toBeLessThanOrEqual(exact);
    expect(rows.at_most).toBeGreaterThanOrEqual(exact);
  });

  it("refuses the same requests as order history", async () => {
    const asked = (params: object, key?: string) => ask("order_history_estimate", params, key);
    expectRefusal(await asked({ tradedate: MAIN }), { reason: "param_invalid", says: ["symbol"] });
    expectRefusal(await asked({ symbol: "999999", tradedate: MAIN }), { reason: "security_unknown" });
    expectRefusal(await asked({ symbol: "688111", tradedate: MAIN }), { reason: "no_orders" });
    expectRefusal(await asked({ symbol: "600519", tradedate: MAIN, cursor: "x" }), {
      reason: "param_unknown",
    });
    expectRefusal(await asked({ symbol: "600519", tradedate: OLDEST }, world.keys.professional), {
      reason: "outside_window",
    });
  });
});

describe("an operator's action on a day (contract 3.13, 5.4)", () => {
  const DATE = "20260306";
  beforeAll(async () => {
    for (const priceE4 of [1_000, 2_000]) {
      const orders = [order("093000000", { priceE4 }), order("093000001"), order("093000002")];
      await publish(world.service, day({ tradedate: DATE, securities: [security("600519", orders)] }));
    }
  });

  const act = (action: string, body: object) =>
    asOperator<DayChanged>(world.service, "POST", `/admin/days/${DATE}/${action}`, body);
  const page = (params: object = {}) => world.ask({ symbol: "600519", tradedate: DATE, ...params });
  const priceOf = async () => pageOf(await page({ page_size: 1 })).items[0]?.[7];

  it("that withdraws the day makes pages, files and lists return 1002 from the next request on", async () => {
    expect(await priceOf()).toBe(0.2);
    await act("withdraw", { revision: 2, note: "wrong prices" });
    expectRefusal(await page(), { reason: "withdrawn", says: [DATE] });
    expectRefusal(await page({ format: "parquet" }), { reason: "withdrawn", status: 404 });
    for (const apiname of ["data_symbols", "order_history_estimate"]) {
      const params = { tradedate: DATE, ...(apiname === "data_symbols" ? {} : { symbol: "600519" }) };
      expectRefusal(await ask(apiname, params), { reason: "withdrawn" });
    }
    const { days } = await dataOf<DataStatus>("data_status", { month: "202603" });
    expect(days.find(({ tradedate }) => tradedate === DATE)).toMatchObject({
      tradedate: DATE,
      state: "withdrawn",
      revision: null,
      build_id: null,
      rows: null,
      securities: null,
      size_bytes: null,
      published_at: null,
      datasets: { orders: { state: "withdrawn", revision: null, build_id: null } },
    });
  });

  it("that restores the day's previous content creates a new revision, for which older cursors are refused", async () => {
    await act("publish", { revision: 2 });
    const { next_cursor: cursor } = pageOf(await page({ page_size: 1 }));
    await act("restore", { revision: 3 });
    const answer = await page();
    expect(answer.headers["x-revision"]).toBe("4");
    expect(await priceOf()).toBe(0.1);
    expectRefusal(await page({ cursor }), { reason: "data_rebuilt" });
    const { changes } = await dataOf<DataChanges>("data_changes", {});
    expect(
      changes.filter(({ tradedate }) => tradedate === DATE).map(({ kind, revision }) => [kind, revision]),
    ).toEqual([
      ["published", 1],
      ["published", 2],
      ["withdrawn", 2],
      ["published", 3],
      ["restored", 4],
    ]);
  });

  it("does not interrupt the paging of other days", async () => {
    const asked = { symbol: "600519", tradedate: "20260311", page_size: 5 };
    const first = pageOf(await world.ask(asked));
    await act("withdraw", { revision: 4 });
    expect(pageOf(await world.ask({ ...asked, cursor: first.next_cursor })).items).toHaveLength(5);
  });
});
