import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addDays, type BeijingDate } from "../../src/calendar/beijing.ts";
import { burst, day, order, randomSecurity, security } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";
import { proofSize } from "../support/tier.ts";
import { checkPaging, rowsWithin, windowBesideRows } from "./check-paging.ts";

const DAYS = proofSize(10);

let service: Service;
let key: string;
beforeAll(async () => {
  service = await startService();
  key = (await account(service, { plan: "flagship" })).key;
});
afterAll(() => service.stop());

describe("cursor paging (contract 5)", () => {
  it(`over ${DAYS} random small days at page sizes 1, 2 and 7, whole and in 6 windows each`, async () => {
    const random = printedRandom("small days");
    for (let round = 0; round < DAYS; round++) {
      const tradedate = addDays("20260101" as BeijingDate, round);
      const rows = random.integer(1, 60);
      const crowd = random.pick([1.01, 2, 5, 1_000]);
      const built = day({
        tradedate,
        securities: [randomSecurity(random, { symbol: "600519", rows, crowd })],
      });
      await publish(service, built);
      const all = built.rowsOf("600519");
      const params = { symbol: "600519", tradedate };
      for (const page_size of [1, 2, 7]) await checkPaging(service, key, { ...params, page_size }, all);
      for (let windows = 0; windows < 6; windows++) {
        const window = windowBesideRows(random, all);
        const page_size = random.pick([1, 2, 7, 10_000]);
        await checkPaging(service, key, { ...params, ...window, page_size }, rowsWithin(all, window));
      }
    }
  });

  it("over bursts longer than a page and longer than two row groups at 9,999, 10,000 and 20,000", async () => {
    const tradedate = "20260201";
    const crowded = (symbol: string, rows: number) => {
      const middle = burst({ symbol, time: "093000000", rows }).orders;
      const [before, after] = ["092959999", "093000001"].map((time) => [1, 2, 3].map(() => order(time)));
      return security(symbol, [...(before ?? []), ...middle, ...(after ?? [])]);
    };
    const built = day({
      tradedate,
      securities: [crowded("600001", 12_345), crowded("600002", 25_500), crowded("600003", 9_997)],
    });
    await publish(service, built);
    const windows = [
      {},
      { start_time: "093000000" },
      { end_time: "093000000" },
      { start_time: "093000000", end_time: "093000001" },
      { start_time: "093000001" },
      { end_time: "093000001" },
    ];
    for (const { symbol } of built.securities) {
      const all = built.rowsOf(symbol);
      for (const page_size of [9_999, 10_000, 20_000]) {
        for (const window of windows) {
          const params = { symbol, tradedate, ...window, page_size };
          await checkPaging(service, key, params, rowsWithin(all, window));
        }
      }
    }
  });

  it("over 25,500 rows of one millisecond in pages of 211", async () => {
    const tradedate = "20260202";
    const built = day({
      tradedate,
      securities: [burst({ symbol: "300750", time: "150000000", rows: 25_500 })],
    });
    await publish(service, built);
    await checkPaging(service, key, { symbol: "300750", tradedate, page_size: 211 }, built.rowsOf("300750"));
  });

  it("over securities of exactly 9,999 to 20,001 rows", async () => {
    const random = printedRandom("exact sizes");
    const tradedate = "20260203";
    const sizes = [9_999, 10_000, 10_001, 19_999, 20_000, 20_001];
    const built = day({
      tradedate,
      securities: sizes.map((rows, place) =>
        randomSecurity(random, { symbol: `60100${place}`, rows, crowd: random.pick([1.2, 40, 3_000]) }),
      ),
    });
    await publish(service, built);
    for (const { symbol } of built.securities) {
      const all = built.rowsOf(symbol);
      for (const page_size of [9_999, 10_000]) {
        await checkPaging(service, key, { symbol, tradedate, page_size }, all);
      }
      for (let windows = 0; windows < 3; windows++) {
        const window = windowBesideRows(random, all);
        const page_size = random.pick([997, 9_999, 10_000, 20_000]);
        await checkPaging(service, key, { symbol, tradedate, ...window, page_size }, rowsWithin(all, window));
      }
    }
  });

  it("of different page sizes from page to page join to the same rows", async () => {
    const random = printedRandom("mixed page sizes");
    const tradedate = "20260204";
    const built = day({
      tradedate,
      securities: [randomSecurity(random, { symbol: "688001", rows: 31_000, crowd: 90 })],
    });
    await publish(service, built);
    const rows = [];
    let cursor: string | null = null;
    do {
      const page_size = random.pick([1, 2, 7, 500, 9_999, 10_000]);
      const params = { symbol: "688001", tradedate, page_size, cursor };
      const page = pageOf(await service.post(orderHistory({ apikey: key, params })));
      rows.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(rows).toEqual(built.rowsOf("688001"));
  });
});
