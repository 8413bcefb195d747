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

  it("selects only the named fields, in the requested order", async () => {
    const page = pageOf(await ask("volume,time,price"));
    expect(page.fields).toEqual(["volume", "time", "price"]);
    expect(page.items).toEqual(columns(8, 2, 7));
  });

  it.each(STANDARD.map((name, place) => [name, place] as const))("accepts %s alone", async (name, place) => {
    const page = pageOf(await ask(name));
    expect(page.fields).toEqual([name]);
    expect(page.items).toEqual(columns(place));
  });

  it("accepts all ten fields in reverse order", async () => {
    const page = pageOf(await ask(STANDARD.toReversed().join(",")));
    expect(page.items).toEqual(columns(9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  });

  it("accepts an array of strings", async () => {
    const page = pageOf(await ask(["amount", "symbol"]));
    expect(page.fields).toEqual(["amount", "symbol"]);
    expect(page.items).toEqual(columns(9, 0));
  });

  it("trims blanks and drops empty and repeated names", async () => {
    const page = pageOf(await ask(" time , ,price,, time,"));
    expect(page.fields).toEqual(["time", "price"]);
    expect(page.items).toEqual(columns(2, 7));
    expect(pageOf(await ask([" time ", "time", ""])).fields).toEqual(["time"]);
  });

  it("returns a field under its legacy name when that name is requested", async () => {
    const page = pageOf(await ask("order_no,side"));
    expect(page.fields).toEqual(["order_no", "side"]);
    expect(page.items).toEqual(columns(4, 6));
  });

  it("accepts legacy names alongside new ones", async () => {
    const page = pageOf(await ask("side,order_code,exchange_order_id,order_no,order_id"));
    expect(page.fields).toEqual(["side", "order_code", "exchange_order_id", "order_no", "order_id"]);
    expect(page.items).toEqual(columns(6, 6, 4, 4, 3));
  });

  it.each([
    "nonsense",
    "Time",
    "PRICE",
    "time;price",
    "time price",
    "time,nonsense",
    "constructor",
    "*",
    "order_no ",
  ])("refuses %j with 422 field_unknown unless its only fault is a trailing blank", async (fields) => {
    if (fields.trim() === "order_no") return expect(pageOf(await ask(fields)).fields).toEqual(["order_no"]);
    const unknown = fields.split(",").at(-1) ?? "";
    expectRefusal(await ask(fields), { reason: "field_unknown" });
    expect((await ask(fields)).envelope.message).toContain(unknown);
  });

  it.each([7, true, {}, [7], [null], [["time"]]])("with the value %j is refused with 422", async (fields) => {
    expect((await ask(fields)).envelope.code).toBe(422);
  });
});
