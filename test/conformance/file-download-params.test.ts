import { afterAll, describe, expect, it } from "vitest";
import { askShare, shareIn } from "../support/files.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { sharedShareWorld } from "./share-world.ts";

const world = await sharedShareWorld();
afterAll(() => world.stop());

const ask = (params: Record<string, unknown>) => askShare(world.service, world.keys.flagship, params);

describe("data_type (contract 3.12)", () => {
  it.each([undefined, null, "", "  ", "tick", "LEVEL2", "orders", 2, true, ["level2"], { a: 1 }])(
    "is refused with 422 for %j, and the message names both types",
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
    const [asNumber, asText] = [2026, "2026"].map(async (year) =>
      shareIn(await ask({ data_type: "level2", year })),
    );
    expect((await asText)?.year).toBe(2026);
    expect(await asText).toEqual(await asNumber);
  });

  it.each([
    ...[undefined, null, "", "  ", 1.5, true, "7a", "2026.0", "20 26", [2026], { year: 2026 }],
    ...["二〇二六", "-2026", 1e300],
  ])("is refused with 422 for %j, and the message names the range", async (year) => {
    const says = ["year", "2017-2026"];
    expectRefusal(await ask({ data_type: "level2", year }), { reason: "param_invalid", says });
  });

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
});

describe("parameters other than data_type and year (contract 3.1, 3.2, 3.3)", () => {
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
});
