import { afterAll, describe, expect, it } from "vitest";
import { FIELDS } from "../../src/orders/record.ts";
import { day, order, security } from "../support/builders.ts";
import { publish } from "../support/operator.ts";
import { pageOf } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld } from "./world.ts";

const DATE = "20260304";

/** Records with values at the limits of their fields. */
const EDGES = security("601398", [
  order("091500000", { priceE4: 123_400, volume: 300 }),
  order("091500001", { priceE4: 1, volume: 1 }),
  order("091500002", { priceE4: 159_300, volume: 100 }),
  order("091500002", { priceE4: 11_000, volume: 3 }),
  order("091500002", { priceE4: 700, volume: 700 }),
  order("091500003", { priceE4: 99_999_999, volume: 1_000_000 }),
  order("091500004", { priceE4: 2 ** 31 + 1, volume: 2 ** 40 + 1 }),
  order("091500005", { priceE4: 3, volume: 9_007_199_254_740_991 }),
  order("091500006", { priceE4: 7_777_777, volume: 7_777_777_777 }),
  order("091500007", { orderId: 9_007_199_254_740_991, exchangeOrderId: 9_007_199_254_740_990 }),
  order("091500008", { orderId: 2 ** 31, exchangeOrderId: 2 ** 32 + 1 }),
  order("091500009", { orderId: 0, exchangeOrderId: 0, priceE4: 0, volume: 0, orderType: "S" }),
  order("235959999", { orderType: "", orderCode: "" }),
  order("000000000", { orderType: "NEW", orderCode: 'q"\\u00e9\u00e9中' }),
]);

const world = await sharedWorld();
await publish(world.service, day({ tradedate: DATE, securities: [EDGES] }));
afterAll(() => world.stop());

const edges = async () => pageOf(await world.ask({ symbol: "601398", tradedate: DATE })).items;

describe("records (contract 4)", () => {
  it("hold every time, id, type and code of the source, the raw price divided by 10000, and the exact product of price and volume, rounded once", async () => {
    const rows = await edges();
    const by = (time: string) => rows.find((row) => row[2] === time)?.slice(7);
    expect(by("091500000")).toEqual([12.34, 300, 3702]);
    expect(by("091500001")).toEqual([0.0001, 1, 0.0001]);
    // Products of doubles would be 3.3000000000000003 and 49.00000000000001.
    const amounts = rows.filter((row) => row[2] === "091500002").map((row) => row[9]);
    expect([1.1 * 3, 0.07 * 700]).not.toEqual([3.3, 49]);
    expect(amounts).toEqual([1593, 3.3, 49]);
    expect(rows).toEqual(day({ tradedate: DATE, securities: [EDGES] }).rowsOf("601398"));
  });

  it("print numbers as the shortest decimals that read back as the same numbers", async () => {
    const { text } = await world.ask({ symbol: "601398", tradedate: DATE });
    expect(text).toContain(",12.34,300,3702]");
    for (const number of text.match(/(?<=[,[])-?\d[\d.e+-]*(?=[,\]])/g) ?? []) {
      expect(String(Number(number))).toBe(number);
    }
  });

  it("pass order types and codes through as strings, even if they are unknown or empty", async () => {
    const rows = await edges();
    expect(rows.find((row) => row[2] === "000000000")?.slice(5, 7)).toEqual(["NEW", 'q"\\u00e9\u00e9中']);
    expect(rows.find((row) => row[2] === "235959999")?.slice(5, 7)).toEqual(["", ""]);
    const shenzhen = pageOf(await world.ask({ symbol: "300750", tradedate: MAIN })).items;
    expect(shenzhen.map((row) => row[5])).toEqual(["0", "1", "U"]);
    const shanghai = pageOf(await world.ask({ symbol: "600519", tradedate: MAIN })).items;
    expect(new Set(shanghai.map((row) => row[5]))).toEqual(new Set(["A", "D", "S", "C"]));
  });
});

describe("an answer's data (contract 5.1)", () => {
  it("has exactly the six members that the contract lists", async () => {
    const answer = await world.ask({ symbol: "600519", tradedate: MAIN });
    expect(Object.keys(answer.envelope.data ?? {})).toEqual([
      "fields",
      "items",
      "tradedate",
      "page_size",
      "next_cursor",
      "has_more",
    ]);
  });
});

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
