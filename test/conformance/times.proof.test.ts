import { afterAll, describe, expect, it } from "vitest";
import type { Row } from "../support/builders.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { proofSize } from "../support/tier.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld } from "./world.ts";

const WINDOWS = proofSize(500);

const world = await sharedWorld();
afterAll(() => world.stop());

const ask = (over: Record<string, unknown>) => world.ask({ symbol: "600519", tradedate: MAIN, ...over });

/** Returns the rows of the main day from `start` (inclusive) to `end` (exclusive), both written as HHMMSSmmm. */
const within = (start: string, end: string): Row[] =>
  world.main.rowsOf("600519").filter((row) => String(row[2]) >= start && String(row[2]) < end);

describe("the time window (contract 3.7)", () => {
  it.each(["09:30", "09:30:00", "093000", "093000000"])(
    "includes rows at start_time %s, and excludes rows at the same end_time",
    async (time) => {
      const [from, until] = [await ask({ start_time: time }), await ask({ end_time: time })].map(pageOf);
      expect(from?.items).toEqual(within("093000000", "999999999"));
      expect(from?.items[0]?.[2]).toBe("093000000");
      expect(until?.items).toEqual(within("000000000", "093000000"));
    },
  );

  it("treats a bound without milliseconds as the first millisecond of its minute or second", async () => {
    const minute = await ask({ start_time: "09:30", end_time: "09:31" });
    expect(pageOf(minute).items).toEqual(within("093000000", "093100000"));
    const second = await ask({ start_time: "093000", end_time: "09:30:01" });
    expect(pageOf(second).items).toEqual(within("093000000", "093001000"));
  });

  it("without rows, or outside the session, returns 200 with no items", async () => {
    for (const [start_time, end_time] of [
      ["10:00", "10:01"],
      ["00:00", "00:01"],
      ["20:00", "23:59:59"],
    ]) {
      const page = pageOf(await ask({ start_time, end_time }));
      expect(page).toMatchObject({ items: [], has_more: false, next_cursor: null, page_size: 10_000 });
      expect(page.fields).toHaveLength(10);
    }
  });

  it("accepts the first and the last instant of the day", async () => {
    expect(pageOf(await ask({ start_time: "00:00", end_time: "235959999" })).items).toHaveLength(13);
    expect(pageOf(await ask({ start_time: "000000000" })).items).toHaveLength(13);
  });

  it.each([
    ["09:30", "09:30"],
    ["09:31", "09:30"],
    ["093000001", "093000000"],
    ["09:30:00", "093000000"],
  ])("from %s to %s is refused with 422, because it is empty or reversed", async (start_time, end_time) => {
    expectRefusal(await ask({ start_time, end_time }), {
      reason: "param_invalid",
      says: [/start_time|end_time/, `（收到 ${start_time}）`, `end_time ${end_time}`],
    });
  });

  it.each(["start_time", "end_time"])(
    "is refused with 422 when %s has a form that the contract does not list",
    async (name) => {
      const wrong: unknown[] = ["9:30", "0930", "09300", "24:00", "09:60", "09:30:60", "093060", "240000"];
      wrong.push(
        "09:30:00.000",
        "09:30:00:000",
        "09-30",
        "T0930",
        "093000.5",
        "0930000000",
        "９:３０",
        "morning",
      );
      wrong.push("1773192600", "-93000", "+93000", "09:30Z", "09.30", " : ", "09:", ":30", "::", "235960000");
      wrong.push(930, 93_000, 93_000_000, true, ["09:30"], {});
      for (const value of wrong) {
        expectRefusal(await ask({ [name]: value }), { reason: "param_invalid", says: [name] });
      }
    },
  );

  it.each([
    ["09:30:00.123", "093000123"],
    ["15:00:00.5", "150000500"],
  ])("with start %s is refused with 422, and the message suggests %s", async (start_time, right) => {
    expectRefusal(await ask({ start_time }), { reason: "param_invalid", says: ["HHMMSSmmm", right] });
  });

  it(`is returned in the X-Window header as requested, for ${WINDOWS} windows`, async () => {
    const apikey = world.keys.flagship;
    for (let at = 0; at < 86_399; at += Math.floor(86_399 / WINDOWS)) {
      const hms = new Date(at * 1000).toISOString().slice(11, 19);
      const forms = [hms, hms.replaceAll(":", ""), `${hms.replaceAll(":", "")}000`];
      const start_time = hms.endsWith(":00") ? hms.slice(0, 5) : forms[at % 3];
      const params = { symbol: "600519", tradedate: MAIN, start_time, end_time: "235959999" };
      const answer = await world.service.post(orderHistory({ apikey, params }));
      expect(answer.headers["x-window"]).toBe(`${forms[2]}-235959999`);
    }
  });
});
