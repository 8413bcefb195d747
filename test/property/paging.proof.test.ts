import { afterAll, describe, expect, it } from "vitest";
import { addDays, type BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import {
  answerRows,
  crowdedSection,
  type DatasetSection,
  fieldNames,
  publishSections,
  randomSection,
} from "../support/dataset-days.ts";
import { account } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { startService } from "../support/service.ts";
import { isLong, proofSize } from "../support/tier.ts";
import { checkPaging, rowsWithin, windowBesideRows } from "./check-paging.ts";

/** The number of random days of each dataset. */
const DAYS = proofSize(10);
/**
 * The fields of a dataset's large requests; all fields when absent. All fifty fields of quotes would be ten times as
 * many bytes as all fields of orders.
 */
const ASKED: Partial<Record<DatasetName, string[]>> = {
  quotes: ["symbol", "tradedate", "time", "amount", "bid1", "ask_vol10"],
};
const ONE_MILLISECOND = isLong ? 25_500 : 12_750;
const MIXED = isLong ? 31_000 : 15_500;
/**
 * The fraction of `ONE_MILLISECOND` and `MIXED` that each dataset uses. A quarter of the rows of quotes takes as long
 * to build as all rows of orders.
 */
const PART: Record<DatasetName, number> = { orders: 1, trades: 1, quotes: 1 / 4 };

const service = await startService();
const key = (await account(service, { plan: "flagship" })).key;
afterAll(() => service.stop());

describe.each(DATASET_NAMES)("paging by cursor through %s (contract 5)", (dataset) => {
  const place = DATASET_NAMES.indexOf(dataset);
  /** Returns all of `cases` in the long tier; in the quick tier each dataset gets a different part of them. */
  const partOf = <T>(cases: T[]): T[] =>
    isLong ? cases : cases.filter((_, n) => n % DATASET_NAMES.length === place);

  /**
   * Publishes the sections as a day. Returns two functions: `rowsOf` returns the expected rows of a security with the
   * columns in `fields`, and `check` checks a query.
   */
  async function published(tradedate: string, sections: DatasetSection[], fields = ASKED[dataset]) {
    await publishSections(service, dataset, tradedate, sections);
    const rows = new Map(
      sections.map((each) => [each.symbol, answerRows(DATASETS[dataset], each, tradedate, fields)]),
    );
    return {
      rowsOf: (symbol: string) => rows.get(symbol) ?? [],
      check: (symbol: string, query: { page_size: number; start_time?: string; end_time?: string }) =>
        checkPaging(
          service,
          key,
          { symbol, tradedate, ...query },
          rowsWithin(rows.get(symbol) ?? [], query),
          { dataset, ...(fields && { fields }) },
        ),
    };
  }

  it(`returns all rows of ${DAYS} random small days and 6 windows of each day, in pages of 1, 2 and 7 rows`, async () => {
    const random = printedRandom(`small days of ${dataset}`);
    for (let round = 0; round < DAYS; round++) {
      const said = { rows: random.integer(1, 60), crowd: random.pick([1.01, 2, 5, 1_000]) };
      const section = randomSection(random, dataset, { symbol: "600519", ...said });
      const { rowsOf, check } = await published(
        addDays("20260101" as BeijingDate, round),
        [section],
        fieldNames(DATASETS[dataset]),
      );
      for (const page_size of [1, 2, 7]) await check("600519", { page_size });
      for (let windows = 0; windows < 6; windows++) {
        const window = windowBesideRows(random, rowsOf("600519"));
        await check("600519", { ...window, page_size: random.pick([1, 2, 7, 10_000]) });
      }
    }
  });

  it("returns all rows of bursts that exceed one page or span several row groups, at page sizes 9,999, 10,000 and 20,000", async () => {
    const crowded = (symbol: string, rows: number) =>
      crowdedSection(dataset, { symbol, time: "093000000", rows, around: 3 });
    const sections = [crowded("600001", 12_345), crowded("600002", 25_500), crowded("600003", 9_997)];
    const { check } = await published("20260201", sections);
    const windows = [
      {},
      { start_time: "093000000" },
      { end_time: "093000000" },
      { start_time: "093000000", end_time: "093000001" },
      { start_time: "093000001" },
      { end_time: "093000001" },
    ];
    for (const { symbol } of sections) {
      for (const page_size of [9_999, 10_000, 20_000]) {
        for (const window of partOf(windows)) await check(symbol, { ...window, page_size });
      }
    }
  });

  const oneMillisecond = Math.ceil(PART[dataset] * ONE_MILLISECOND);
  it(`returns all ${oneMillisecond} rows of one millisecond in pages of 211`, async () => {
    const rows = oneMillisecond;
    const section = crowdedSection(dataset, { symbol: "300750", time: "150000000", rows });
    const { check } = await published("20260202", [section]);
    await check("300750", { page_size: 211 });
  });

  it("returns all rows of securities that fill one or two pages exactly, or have one row more or fewer", async () => {
    const random = printedRandom(`exact sizes of ${dataset}`);
    const sections = partOf([9_999, 10_000, 10_001, 19_999, 20_000, 20_001]).map((rows, n) =>
      randomSection(random, dataset, { symbol: `60100${n}`, rows, crowd: random.pick([1.2, 40, 3_000]) }),
    );
    const { rowsOf, check } = await published("20260203", sections);
    for (const { symbol } of sections) {
      for (const page_size of [9_999, 10_000]) await check(symbol, { page_size });
      for (let windows = 0; windows < 3; windows++) {
        const window = windowBesideRows(random, rowsOf(symbol));
        await check(symbol, { ...window, page_size: random.pick([997, 9_999, 10_000, 20_000]) });
      }
    }
  });

  it("returns the same rows when the page size differs from page to page", async () => {
    const random = printedRandom(`mixed page sizes of ${dataset}`);
    const tradedate = "20260204";
    const mixed = Math.ceil(PART[dataset] * MIXED);
    const section = randomSection(random, dataset, { symbol: "688001", rows: mixed, crowd: 90 });
    const { rowsOf } = await published(tradedate, [section]);
    const rows = [];
    let cursor: string | null = null;
    do {
      const page_size = random.pick([1, 2, 7, 500, 9_999, 10_000]);
      const params = { symbol: "688001", tradedate, page_size, cursor };
      const fields = ASKED[dataset];
      const page = pageOf(await service.post(orderHistory({ dataset, apikey: key, params, fields })));
      rows.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(rows).toEqual(rowsOf("688001"));
  });
});
