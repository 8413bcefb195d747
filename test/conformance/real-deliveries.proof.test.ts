/**
 * Tests real orders, trades and quotes, from the vendor's archives to pages and Parquet files. Every cell must equal the
 * CSV. The quick tier reads only the archive of orders.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import { checkPaging, expectRows, rowsWithin } from "../property/check-paging.ts";
import type { Row } from "../support/builders.ts";
import { fieldNames } from "../support/dataset-days.ts";
import { edgetape } from "../support/edgetape.ts";
import { account } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { type Service, startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";
import { isLong } from "../support/tier.ts";
import { readVendorSnapshots, readVendorTrades, readVendorZip } from "../support/vendor-zip.ts";

const DATA = "../shared/data";
const ORDERS = { dataset: "orders", archive: "orders-20230711-vendor.zip", rows: 149_359 } as const;
const OTHERS = [
  { dataset: "trades", archive: "trades-20230711-vendor.zip", rows: 109_616 },
  { dataset: "trades", archive: "trades-20230201-szse-vendor.zip", rows: 30_000 },
  { dataset: "trades", archive: "full-20230201-600519-vendor.zip", rows: 27_135 },
  { dataset: "quotes", archive: "quotes-20211201-sse-vendor.zip", rows: 4_652 },
  { dataset: "quotes", archive: "quotes-20220601-szse-vendor.zip", rows: 11_153 },
  { dataset: "quotes", archive: "full-20230201-600519-vendor.zip", rows: 5_109 },
] as const;
/** Readers of the archives that share no code with the builder. */
const READERS = { orders: readVendorZip, trades: readVendorTrades, quotes: readVendorSnapshots };
/** The page sizes in which the orders of each security are read, and those of the test with the most pages. */
const [PAGE_SIZES, SMALL_PAGE] = isLong ? [[10_000, 9_999, 1_000], 7] : [[9_999], 70];
const WINDOWS = [
  { start_time: "091500000", end_time: "092500000" },
  { start_time: "093000000", end_time: "093100000" },
  { start_time: "093000000", end_time: "113000000" },
  { start_time: "130000000", end_time: "150000000" },
  { start_time: "093000010", end_time: "093000020" },
  { start_time: "120000000", end_time: "123000000" },
];

const isAbsent = !existsSync(DATA);
if (isAbsent) console.error(`\n!!! SKIPPED: ${DATA} is absent; no real rows were served !!!\n`);

const folder = testFolder("edgetape-real-");
let service: Service;
let apikey: string;
beforeAll(async () => {
  service = await startService();
  apikey = (await account(service, { plan: "flagship" })).key;
});
afterAll(() => service.stop());

/** Builds the pack of an archive, verifies it and publishes it, with one command each. */
async function serve(dataset: DatasetName, archive: string, tradedate: string): Promise<void> {
  const out = join(folder, `${dataset} of ${archive}`);
  const delivery = [join(DATA, archive), "--dataset", dataset, "--date", tradedate];
  const pack = join(out, `${tradedate}${DATASETS[dataset].fileSuffix}.parquet`);
  for (const args of [
    ["pack", "build", ...delivery, "--out", out],
    ["pack", "verify", pack],
    // Two archives hold different securities of one day.
    ["publish", pack, "--force"],
  ]) {
    const done = await edgetape(args, service);
    expect(done.status, done.stderr).toBe(0);
  }
}

describe.skipIf(isAbsent).each(isLong ? [ORDERS, ...OTHERS] : [ORDERS])(
  "the $rows real $dataset of $archive (contract 4.2, 4.5, 4.6)",
  ({ dataset, archive, rows }) => {
    const [tradedate = ""] = /\d{8}/.exec(archive) ?? [];
    const all = fieldNames(DATASETS[dataset], "all");
    const standardCount = fieldNames(DATASETS[dataset]).length;
    /** The rows of each security with all fields, which begin with the standard ones. */
    let source: Map<string, Row[]>;
    const standardOf = (symbol: string) =>
      (source.get(symbol) ?? []).map((row) => row.slice(0, standardCount));

    beforeAll(async () => {
      await serve(dataset, archive, tradedate);
      source = await READERS[dataset](join(DATA, archive));
    });

    it("equal the vendor's CSV when each security is read in pages", async () => {
      expect([...source.values()].reduce((sum, each) => sum + each.length, 0)).toBe(rows);
      for (const [symbol, cells] of source) {
        for (const page_size of dataset === "orders" ? PAGE_SIZES : [9_999]) {
          const params = { symbol, tradedate, page_size };
          await checkPaging(service, apikey, params, standardOf(symbol), { dataset });
        }
        const params = { symbol, tradedate, page_size: 10_000 };
        if (all.length > standardCount)
          await checkPaging(service, apikey, params, cells, { dataset, fields: all });
      }
    });

    it("equal the vendor's CSV when each security is read as a Parquet file", async () => {
      for (const [symbol, cells] of source) {
        const params = { symbol, tradedate, format: "parquet" };
        for (const [fields, expected] of [
          [null, standardOf(symbol)],
          ...(all.length > standardCount ? [[all, cells] as const] : []),
        ] as const) {
          const answer = await service.post(orderHistory({ dataset, apikey, params, fields }));
          expect(answer.status).toBe(200);
          expectRows((await readParquet(answer.bytes)).rows, expected, `${symbol} as a file`);
        }
      }
    });

    it.runIf(dataset === "orders")(
      `equal the vendor's CSV in ${WINDOWS.length} time windows and in pages of ${SMALL_PAGE} rows`,
      async () => {
        const check = (params: { symbol: string; page_size: number }, window = {}) => {
          const expected = rowsWithin(source.get(params.symbol) ?? [], window);
          return checkPaging(service, apikey, { ...params, tradedate, ...window }, expected);
        };
        for (const symbol of source.keys()) {
          for (const window of WINDOWS) {
            for (const page_size of PAGE_SIZES) await check({ symbol, page_size }, window);
          }
        }
        const small = { symbol: "601825", page_size: SMALL_PAGE };
        await check(small);
        await check(small, { start_time: "093000000", end_time: "093500000" });
      },
    );
  },
);
