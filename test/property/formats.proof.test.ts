import { afterAll, describe, expect, it } from "vitest";
import { addDays, type BeijingDate } from "../../src/calendar/beijing.ts";
import { day, randomSecurity } from "../support/builders.ts";
import { account, publish } from "../support/operator.ts";
import { orderHistory, readAllPages } from "../support/paging.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { printedRandom } from "../support/random.ts";
import { startService } from "../support/service.ts";
import { proofSize } from "../support/tier.ts";

const FIELDS = ["symbol", "tradedate", "time", "order_id", "exchange_order_id"];
FIELDS.push("order_type", "order_code", "price", "volume", "amount", "order_no", "side");

const DAYS = proofSize(12);

const service = await startService();
const apikey = (await account(service, { plan: "flagship" })).key;
afterAll(() => service.stop());

describe("JSON pages and the Parquet answer (contract 4, 6)", () => {
  it(`have exactly the published rows of ${DAYS} random days, with all fields and with random fields`, async () => {
    const random = printedRandom("formats");
    for (let round = 0; round < DAYS; round++) {
      const tradedate = addDays("20250601" as BeijingDate, round);
      const symbols = ["000001", "300750", "600519"].slice(0, random.integer(1, 3));
      const securities = symbols.map((symbol) =>
        randomSecurity(random, {
          symbol,
          rows: random.pick([1, 50, 3_000, 12_000]),
          crowd: random.pick([1.2, 300]),
        }),
      );
      const built = day({ tradedate, securities });
      await publish(service, built);
      for (const symbol of symbols) {
        const source = built.rowsOf(symbol);
        const names = FIELDS.filter(() => random.chance(0.4)).sort(() => random.next() - 0.5);
        const places = names
          .map((name) => FIELDS.indexOf(name))
          .map((place) => (place > 9 ? [4, 6][place - 10] : place));
        for (const fields of names.length === 0 ? [undefined] : [undefined, names.join(",")]) {
          const expected =
            fields === undefined ? source : source.map((row) => places.map((place) => row[place ?? -1]));
          const params = { symbol, tradedate };
          const asked = { apikey, ...(fields === undefined ? {} : { fields }) };
          const paged = await readAllPages(service, { ...asked, params: { ...params, page_size: 7_001 } });
          expect(paged.rows, `JSON ${symbol} ${tradedate} ${fields}`).toEqual(expected);
          const answer = await service.post(
            orderHistory({ ...asked, params: { ...params, format: "parquet" } }),
          );
          expect(answer.status, answer.text.slice(0, 300)).toBe(200);
          const file = await readParquet(answer.bytes);
          expect(file.rows, `Parquet ${symbol} ${tradedate} ${fields}`).toEqual(expected);
        }
      }
    }
  });
});
