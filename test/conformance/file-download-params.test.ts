import { afterAll, describe, expect, it } from "vitest";
import { askShare, auctionPack, ownFile, publishFiles, shareIn } from "../support/files.ts";
import { account } from "../support/operator.ts";
import { startService } from "../support/service.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { sharedShareWorld } from "./share-world.ts";

const world = await sharedShareWorld();
afterAll(() => world.stop());

const ask = (params: Record<string, unknown>) => askShare(world.service, world.keys.flagship, params);

describe("data_type (contract 3.12)", () => {
  it.each([undefined, null, "", "  "])(
    "counts as missing when it is %j, and the refusal with 422 names both types",
    async (data_type) => {
      const says = ["data_type", "auction_tick", "level2"];
      expectRefusal(await ask({ data_type, year: 2026 }), { reason: "param_invalid", says });
    },
  );

  it.each(["tick", "LEVEL2", "orders", 2, true, ["level2"], { a: 1 }])(
    "is refused with 422 for %j",
    async (data_type) => {
      const says = ["data_type", "auction_tick", "level2"];
      expectRefusal(await ask({ data_type, year: 2026 }), { reason: "param_invalid", says });
    },
  );

  it("is accepted with blanks around it", async () => {
    expect((await ask({ data_type: " level2 ", year: 2026 })).envelope.code).toBe(200);
  });
});

describe("year (contract 3.11)", () => {
  it("may be a JSON integer or a string of digits", async () => {
    expect(shareIn(await ask({ data_type: "level2", year: "2026" })).year).toBe(2026);
    const asNumber = await ask({ data_type: "level2", year: 2026 });
    const asText = await ask({ data_type: "level2", year: "2026" });
    expect(asText.envelope.data).toEqual(asNumber.envelope.data);
  });

  it.each([undefined, null, "", "  "])(
    "counts as missing when it is %j, and the refusal with 422 names the range",
    async (year) => {
      const says = ["year", "2017-2026"];
      expectRefusal(await ask({ data_type: "level2", year }), { reason: "param_invalid", says });
    },
  );

  it.each([1.5, true, "7a", "2026.0", "20 26", [2026], { year: 2026 }, "二〇二六", "-2026", 1e300])(
    "is refused with 422 for %j",
    async (year) => {
      const says = ["year", "2017-2026"];
      expectRefusal(await ask({ data_type: "level2", year }), { reason: "param_invalid", says });
    },
  );

  it.each([
    ["auction_tick", 2021, "2022-2026"],
    ["auction_tick", 2017, "2022-2026"],
    ["auction_tick", 2027, "2022-2026"],
    ["level2", 2016, "2017-2026"],
    ["level2", 2027, "2017-2026"],
    ["level2", 0, "2017-2026"],
    ["level2", "99999999999999999999", "2017-2026"],
  ])(
    "for %s is refused when it is %j, and the message names the accepted range %s",
    async (data_type, year, range) => {
      expectRefusal(await ask({ data_type, year }), { reason: "param_invalid", says: ["year", range] });
    },
  );

  it.each([
    ["auction_tick", 2022],
    ["level2", 2017],
  ])("for %s may be %i, the first year", async (data_type, year) => {
    expect((await ask({ data_type, year })).envelope.code).toBe(200);
  });

  it("is at most the current year in Beijing, not in UTC", async () => {
    const asked = async (nowAt: string) => {
      await using service = await startService({ nowAt });
      const { key } = await account(service, { plan: "flagship" });
      await publishFiles(service, ownFile("20260101", "x"), auctionPack("20260101"));
      const types = ["level2", "auction_tick"];
      return await Promise.all(types.map((data_type) => askShare(service, key, { data_type, year: 2026 })));
    };
    for (const answer of await asked("2025-12-31T23:58:00+08:00")) {
      expectRefusal(answer, { reason: "param_invalid", says: ["-2025"] });
    }
    for (const answer of await asked("2026-01-01T00:00:00+08:00")) {
      expect(answer.envelope.code).toBe(200);
    }
  });
});

describe("other parameters (contract 3.1, 3.2, 3.3)", () => {
  it("are refused with 422 when unknown, and the message names the nearest known name", async () => {
    const near = { data_typ: "level2", year: 2026 };
    expectRefusal(await ask(near), { reason: "param_unknown", says: ["data_typ", /data_type/] });
    const far = { data_type: "level2", year: 2026, month: 3 };
    expectRefusal(await ask(far), { reason: "param_unknown", says: ["month", "data_type, year"] });
    const envelope = { data_type: "level2", year: 2026, fields: "url" };
    expectRefusal(await ask(envelope), { reason: "param_unknown", says: ["fields"] });
  });

  it("are ignored when they have no value", async () => {
    const answer = await ask({ data_type: "level2", year: 2026, month: null, symbol: "", page_size: " " });
    expect(answer.envelope.code).toBe(200);
  });

  it("are accepted and named in a header with UNKNOWN_PARAMETERS=warn", async () => {
    await using service = await startService({ settings: { UNKNOWN_PARAMETERS: "warn" } });
    const { key } = await account(service, { plan: "flagship" });
    await publishFiles(service, ownFile("20260105", "x"));
    const params = { data_type: "level2", year: 2026, month: 3 };
    const served = await askShare(service, key, params);
    expect(served.envelope.code).toBe(200);
    expect(served.headers["x-warning"]).toContain("month");
    const refused = await askShare(service, key, { ...params, year: 2019 });
    expectRefusal(refused, { reason: "nothing_published" });
    expect(refused.headers["x-warning"]).toContain("month");
  });
});
