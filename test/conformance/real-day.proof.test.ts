import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkPaging, expectRows, rowsWithin } from "../property/check-paging.ts";
import type { Row } from "../support/builders.ts";
import { edgetape } from "../support/edgetape.ts";
import { account } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { type Service, startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";
import { isLong } from "../support/tier.ts";
import { readVendorZip } from "../support/vendor-zip.ts";

const DATA = "../shared/data";
const VENDOR = join(DATA, "orders-20230711-vendor.zip");
const TRADEDATE = "20230711";
/** The page sizes with which each security is read. The quick tier uses only one page size. */
const PAGE_SIZES = isLong ? [10_000, 9_999, 1_000] : [9_999];
/** The page size of the test with the most pages. */
const SMALL_PAGE = isLong ? 7 : 70;
const SYMBOLS = ["600536", "600761", "600961", "601825", "605580"];

if (!existsSync(VENDOR)) console.error(`\n!!! SKIPPED: ${VENDOR} is absent; the real day was not read !!!\n`);

describe.skipIf(!existsSync(VENDOR))("the real day 2023-07-11 of the vendor's zip", () => {
  const folder = testFolder("edgetape-real-day-");
  let service: Service;
  let apikey: string;
  let packPath: string;
  let source: Map<string, Row[]>;

  beforeAll(async () => {
    service = await startService();
    apikey = (await account(service, { plan: "flagship" })).key;
    source = await readVendorZip(VENDOR);
    packPath = await build(VENDOR, join(folder, "vendor"));
    const published = await edgetape(["publish", packPath], service);
    expect(published.status, published.stderr).toBe(0);
  });
  afterAll(() => service.stop());

  /** Builds a pack with `edgetape pack build` and returns its path. */
  async function build(delivery: string, out: string): Promise<string> {
    const built = await edgetape(["pack", "build", delivery, "--date", TRADEDATE, "--out", out]);
    expect(built.status, built.stderr).toBe(0);
    const packs = (await readdir(out)).filter((name) => name.endsWith(".parquet"));
    expect(packs).toHaveLength(1);
    return join(out, packs[0] ?? "");
  }

  const rowsOf = (symbol: string) => source.get(symbol) ?? [];

  it("holds 149,359 orders of five securities", () => {
    expect([...source.keys()].sort()).toEqual(SYMBOLS);
    expect([...source.values()].reduce((sum, rows) => sum + rows.length, 0)).toBe(149_359);
  });

  it("passes edgetape pack verify without a finding", async () => {
    const verified = await edgetape(["pack", "verify", packPath]);
    expect(verified.status, verified.stderr).toBe(0);
  });

  it.each(SYMBOLS)(
    `equals the vendor's CSV when %s is read in pages of ${PAGE_SIZES.join(", ")} rows`,
    async (symbol) => {
      for (const page_size of PAGE_SIZES) {
        await checkPaging(service, apikey, { symbol, tradedate: TRADEDATE, page_size }, rowsOf(symbol));
      }
    },
  );

  it.each(SYMBOLS)("equals the vendor's CSV when time windows of %s are read in pages", async (symbol) => {
    for (const [start_time, end_time] of [
      ["091500000", "092500000"],
      ["093000000", "093100000"],
      ["093000000", "113000000"],
      ["130000000", "150000000"],
      ["093000010", "093000020"],
      ["120000000", "123000000"],
    ] as const) {
      const window = { start_time, end_time };
      const expected = rowsWithin(rowsOf(symbol), window);
      for (const page_size of PAGE_SIZES) {
        await checkPaging(service, apikey, { symbol, tradedate: TRADEDATE, ...window, page_size }, expected);
      }
    }
  });

  it(`equals the vendor's CSV when the whole day or a time window of 601825 is read in pages of ${SMALL_PAGE} rows`, async () => {
    const params = { symbol: "601825", tradedate: TRADEDATE, page_size: SMALL_PAGE };
    await checkPaging(service, apikey, params, rowsOf("601825"));
    const window = { start_time: "093000000", end_time: "093500000" };
    await checkPaging(service, apikey, { ...params, ...window }, rowsWithin(rowsOf("601825"), window));
  });

  it.each(SYMBOLS)("equals the vendor's CSV when %s is read as a Parquet file", async (symbol) => {
    const params = { symbol, tradedate: TRADEDATE, format: "parquet" };
    const answer = await service.post(orderHistory({ apikey, params }));
    expect(answer.status).toBe(200);
    expectRows((await readParquet(answer.bytes)).rows, rowsOf(symbol), symbol);
  });
});
