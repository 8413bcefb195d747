import { describe, expect, it } from "vitest";
import { day, order, security } from "../../support/builders.ts";
import { packFrom, publish, refusal, servedState, testEnv } from "./operator.ts";

describe("a delivery published under a second date", () => {
  const orders = (count: number, volume: number) =>
    Array.from({ length: count }, (_, n) => order(`093000${String(n % 1000).padStart(3, "0")}`, { volume }));
  const delivery = (tradedate: string, counts: Record<string, number>, volume = 100) =>
    packFrom(
      day({
        tradedate,
        securities: Object.entries(counts).map(([symbol, count]) => security(symbol, orders(count, volume))),
      }),
    );

  it("is refused unless it is forced, and the refusal names the day that it repeats", async () => {
    const counts = { "600519": 700, "300750": 500, "688111": 0 };
    await publish(await delivery("20360102", counts), { force: true });
    const repeated = await delivery("20360103", counts, 200);
    expect(await publish(repeated)).toMatchObject(
      refusal(422, "day_repeated", /20360103 has exactly .* as 20360102, .*--force/),
    );
    expect(await servedState("20360103")).toEqual([]);
    expect((await publish(repeated, { force: true })).status).toBe(200);
    // The service accepts the same date again, a day that differs by one order, and a day with one more security.
    expect((await publish(await delivery("20360103", counts, 300), { force: true })).status).toBe(200);
    expect((await publish(await delivery("20360104", { "600519": 701, "300750": 499 }))).status).toBe(200);
    expect((await publish(await delivery("20360105", { ...counts, "000001": 1 }))).status).toBe(200);
  });

  it("is accepted if its last orders have different times, or if it has few orders", async () => {
    // With fewer than five loaded days, the plausibility check has nothing to compare.
    await testEnv.DB.exec("DELETE FROM order_days");
    const counts = { "600519": 700, "300750": 500 };
    await publish(await delivery("20360105", counts));
    const later = Object.entries(counts).map(([symbol, count]) =>
      security(symbol, [...orders(count - 1, 100), order("145900000")]),
    );
    expect((await publish(await packFrom(day({ tradedate: "20360106", securities: later })))).status).toBe(
      200,
    );
    for (const date of ["20360107", "20360108"]) {
      expect((await publish(await delivery(date, { "600519": 499, "300750": 500 }))).status).toBe(200);
    }
  });
});
