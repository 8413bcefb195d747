import { afterAll, describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import { publish } from "../support/operator.ts";
import { pageOf } from "../support/paging.ts";
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
  it("hold the raw price divided by 10000 as price, and the exact product of price and volume, rounded once, as amount", async () => {
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

  it("keep ids below 2^53 exactly, and never fill order_id from exchange_order_id", async () => {
    const rows = await edges();
    expect(rows.find((row) => row[2] === "091500007")?.slice(3, 5)).toEqual([2 ** 53 - 1, 2 ** 53 - 2]);
    expect(rows.find((row) => row[2] === "091500008")?.slice(3, 5)).toEqual([2 ** 31, 2 ** 32 + 1]);
    expect(rows.find((row) => row[2] === "091500000")?.slice(3, 5)).toEqual([0, 1]);
  });

  it("hold time and symbol as strings of nine and six digits", async () => {
    const rows = await edges();
    expect(rows[0]?.[2]).toBe("000000000");
    for (const row of rows) {
      expect(row[0]).toMatch(/^\d{6}$/);
      expect(row[1]).toBe(DATE);
      expect(row[2]).toMatch(/^\d{9}$/);
    }
    const small = pageOf(await world.ask({ symbol: "000001.SZ", tradedate: MAIN })).items;
    expect(small[0]?.[0]).toBe("000001");
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

  it("are sorted by time, then by their position in the source", async () => {
    const rows = pageOf(await world.ask({ symbol: "600519", tradedate: MAIN })).items;
    expect(rows).toEqual(world.main.rowsOf("600519"));
    expect(rows.filter((row) => row[2] === "093000000").map((row) => row[4])).toEqual([12, 13, 14, 13]);
  });

  it("keep the order within one millisecond in all answers of a revision, at any page size", async () => {
    const asked = { symbol: "600000", tradedate: MAIN };
    const whole = pageOf(await world.ask(asked)).items;
    expect(whole).toEqual(world.main.rowsOf("600000"));
    for (let round = 0; round < 5; round++) expect(pageOf(await world.ask(asked)).items).toEqual(whole);
    const first = pageOf(await world.ask({ ...asked, page_size: 7 })).items;
    expect(first).toEqual(whole.slice(0, 7));
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

  it("has rows with one cell for each name in fields", async () => {
    const page = pageOf(await world.ask({ symbol: "600519", tradedate: MAIN }, { fields: "side,time" }));
    for (const row of page.items) expect(row).toHaveLength(page.fields.length);
  });
});
