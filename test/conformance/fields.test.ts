import { afterAll, describe, expect, it } from "vitest";
import { FIELDS } from "../../src/orders/record.ts";
import { pageOf } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const STANDARD = [
  "symbol",
  "tradedate",
  "time",
  "order_id",
  "exchange_order_id",
  "order_type",
  "order_code",
  "price",
  "volume",
  "amount",
];

const ask = (fields: unknown) => world.ask({ symbol: "600519", tradedate: MAIN }, { fields });
/** Returns the main day's rows with the columns at these positions of the standard order. */
const columns = (...places: number[]) =>
  world.main.rowsOf("600519").map((row) => places.map((place) => row[place]));

describe("the `fields` parameter (contract 3.10, 4.1)", () => {
  it("defaults to the ten standard fields in their order", async () => {
    expect(FIELDS).toEqual(STANDARD);
    for (const nothing of [undefined, null, "", "  "]) {
      const page = pageOf(await ask(nothing));
      expect(page.fields).toEqual(STANDARD);
      expect(page.items).toEqual(world.main.rowsOf("600519"));
    }
  });

  it.each<[fields: unknown, names: string[], places: number[]]>([
    ...STANDARD.map((name, place): [string, string[], number[]] => [name, [name], [place]]),
    ["volume,time,price", ["volume", "time", "price"], [8, 2, 7]],
    [STANDARD.toReversed().join(","), STANDARD.toReversed(), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
    [
      ["amount", "symbol"],
      ["amount", "symbol"],
      [9, 0],
    ],
    [" time , ,price,, time,", ["time", "price"], [2, 7]],
    [[" time ", "time", ""], ["time"], [2]],
    ["order_no,side", ["order_no", "side"], [4, 6]],
    ["side,order_code,order_no,order_id ", ["side", "order_code", "order_no", "order_id"], [6, 6, 4, 3]],
  ])(
    "with the value %j selects the fields %j, under these names and in this order",
    async (fields, names, places) => {
      const page = pageOf(await ask(fields));
      expect(page.fields).toEqual(names);
      expect(page.items).toEqual(columns(...places));
    },
  );

  it.each(["nonsense", "Time", "PRICE", "time;price", "time price", "time,nonsense", "constructor", "*"])(
    "with the value %j, which contains an unknown name, is refused with 422, and the message contains that name",
    async (fields) => {
      const answer = await ask(fields);
      expectRefusal(answer, { reason: "field_unknown" });
      expect(answer.envelope.message).toContain(fields.split(",").at(-1));
    },
  );

  it.each([7, true, {}, [7], [null], [["time"]]])("with the value %j is refused with 422", async (fields) => {
    expect((await ask(fields)).envelope.code).toBe(422);
  });
});
