import { afterAll, describe, expect, it } from "vitest";
import { askShare, ownFile, publishFiles, shareIn } from "../support/files.ts";
import { account } from "../support/operator.ts";
import { startService } from "../support/service.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { sharedShareWorld, summary } from "./share-world.ts";
import { DAY_MS } from "./world.ts";

const world = await sharedShareWorld();
afterAll(() => world.stop());

const ask = (apikey: string, data_type = "level2", year = 2026) =>
  askShare(world.service, apikey, { data_type, year });
const inYear = (year: number) => (date: string) => date.startsWith(String(year));

describe("the plan rules for shares (contract 7.1, 7.5)", () => {
  it.each(["free", "standard", "trial"] as const)(
    "refuse the plan %s with 403 for both types and any year",
    async (plan) => {
      for (const [type, year] of [
        ["auction_tick", 2026],
        ["auction_tick", 2022],
        ["level2", 2026],
        ["level2", 2017],
      ] as const) {
        const says = ["file_download", /flagship/];
        expectRefusal(await ask(world.keys[plan], type, year), { reason: "plan_missing", says });
      }
    },
  );

  it("refuse with 403 an account without a plan, with a future plan or with an expired plan", async () => {
    const now = world.service.nowMs();
    const bare = await account(world.service, {});
    expectRefusal(await ask(bare.key), { reason: "plan_missing" });
    const later = await account(world.service, { plan: "flagship", startMs: now + DAY_MS });
    expectRefusal(await ask(later.key), { reason: "plan_missing" });
    const over = await account(world.service, { plan: "flagship", endMs: now - 1 });
    expectRefusal(await ask(over.key), { reason: "plan_expired", says: ["2026-03-12"] });
  });

  it("follow the best of overlapping plans", async () => {
    const now = world.service.nowMs();
    const span = { startMs: now - DAY_MS, endMs: now + DAY_MS };
    const { key } = await account(world.service, {
      subscriptions: [
        { plan: "professional", ...span },
        { plan: "flagship", ...span },
        { plan: "free", ...span },
      ],
    });
    expect(shareIn(await ask(key, "level2", 2017)).file_count).toBe(1);
  });
});

describe.each(["professional", "weekly"] as const)("the window of plan %s (contract 7.1, 7.2)", (plan) => {
  it("is the latest 365 calendar days for auction_tick, including today", async () => {
    const covers = (date: string) => date >= "20250313" && date <= "20260312";
    for (const year of [2025, 2026]) {
      const share = shareIn(await ask(world.keys[plan], "auction_tick", year));
      expect(share).toMatchObject(
        summary(world, "auction_tick", (date) => covers(date) && inYear(year)(date)),
      );
    }
    expect(shareIn(await ask(world.keys[plan], "auction_tick", 2025)).start_date).toBe("20250313");
    expect(shareIn(await ask(world.keys[plan], "auction_tick", 2026)).end_date).toBe("20260312");
  });

  it("is the latest 30 calendar days for level2, limited to the year", async () => {
    const share = shareIn(await ask(world.keys[plan], "level2", 2026));
    const covers = (date: string) => date >= "20260211" && date <= "20260312";
    expect(share).toMatchObject(summary(world, "level2", covers));
    expect(share).toMatchObject({ start_date: "20260211", end_date: "20260311", file_count: 5 });
  });

  it("excludes a year that lies entirely before it, and the refusal names the window's first day", async () => {
    for (const [type, year, from] of [
      ["auction_tick", 2024, "20250313"],
      ["auction_tick", 2022, "20250313"],
      ["level2", 2025, "20260211"],
      ["level2", 2017, "20260211"],
    ] as const) {
      expectRefusal(await ask(world.keys[plan], type, year), { reason: "outside_window", says: [from] });
    }
  });
});

describe("a share whose window spans two years (contract 3.11, 7.2, 8.2)", () => {
  it("is requested year by year, and each year is accepted from its first second in Beijing", async () => {
    await using service = await startService({ nowAt: "2026-01-01T00:00:00+08:00" });
    const { key } = await account(service, { plan: "professional" });
    const asked = (year: number) => askShare(service, key, { data_type: "level2", year });
    // The 30 days that end with 1 January begin on 3 December.
    expectRefusal(await asked(2025), { reason: "nothing_published", says: ["2025"] });
    expectRefusal(await asked(2026), { reason: "nothing_published", says: ["2026"] });
    expectRefusal(await asked(2024), { reason: "outside_window", says: ["20251203"] });
    expectRefusal(await asked(2027), { reason: "param_invalid", says: ["-2026"] });
    const dates = ["20251202", "20251203", "20251231", "20260101"];
    await publishFiles(service, ...dates.map((date) => ownFile(date, date)));
    const spans = { start_date: "20251203", end_date: "20251231", file_count: 2 };
    expect(shareIn(await asked(2025))).toMatchObject(spans);
    const begun = { start_date: "20260101", end_date: "20260101", file_count: 1 };
    expect(shareIn(await asked(2026))).toMatchObject(begun);
  });
});

describe("requests for shares (contract 2.1), which need no slot and no quota,", () => {
  it("are all served when ten of them are concurrent", async () => {
    const { key } = await account(world.service, { plan: "professional" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(key)));
    expect(answers.map(({ envelope }) => envelope.code)).toEqual(Array(10).fill(200));
  });

  it("are served when the account's daily requests and files are used up", async () => {
    const { key } = await account(world.service, { plan: "flagship", limits: { requests: 0, files: 0 } });
    const answer = await ask(key);
    expect(answer.envelope.code).toBe(200);
    expect(answer.headers["ratelimit-policy"]).toBeUndefined();
  });
});

describe("the order of checks for shares (contract 2.1)", () => {
  it("is key, parameters, plan, window, published files", async () => {
    const wrongYear = { data_type: "level2", year: 1999 };
    expectRefusal(await askShare(world.service, "no such key", wrongYear), { reason: "key_unknown" });
    expectRefusal(await askShare(world.service, world.keys.free, wrongYear), { reason: "param_invalid" });
    expectRefusal(await ask(world.keys.free, "level2", 2019), { reason: "plan_missing" });
    expectRefusal(await ask(world.keys.professional, "level2", 2019), { reason: "outside_window" });
    expectRefusal(await ask(world.keys.flagship, "level2", 2019), { reason: "nothing_published" });
  });
});
