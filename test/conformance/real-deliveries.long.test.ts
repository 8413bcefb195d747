/**
 * Tests real trades and quotes, from the vendor's archives to pages and Parquet files. Every cell must equal the CSV.
 */
import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATASETS } from "../../src/datasets/registry.ts";
import { checkPaging, expectRows } from "../property/check-paging.ts";
import { fieldNames } from "../support/dataset-days.ts";
import { edgetape } from "../support/edgetape.ts";
import { account, publishPack } from "../support/operator.ts";
import { orderHistory, readAllPages } from "../support/paging.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { type Service, startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";
import { readVendorSnapshots, readVendorTrades } from "../support/vendor-zip.ts";

const DATA = "../shared/data";
const REAL = [
  { dataset: "trades", archive: "trades-20230711-vendor.zip", rows: 109_616 },
  { dataset: "trades", archive: "trades-20230201-szse-vendor.zip", rows: 30_000 },
  { dataset: "trades", archive: "full-20230201-600519-vendor.zip", rows: 27_135 },
  { dataset: "quotes", archive: "quotes-20211201-sse-vendor.zip", rows: 4_652 },
  { dataset: "quotes", archive: "quotes-20220601-szse-vendor.zip", rows: 11_153 },
  { dataset: "quotes", archive: "full-20230201-600519-vendor.zip", rows: 5_109 },
] as const;
/** Readers of the archives that share no code with the builder. */
const READERS = { trades: readVendorTrades, quotes: readVendorSnapshots };

if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent; no real rows were served !!!\n`);

describe.skipIf(!existsSync(DATA))("real rows over HTTP (contract 4.5, 4.6)", () => {
  const folder = testFolder("edgetape-real-");
  let service: Service;
  let apikey: string;
  beforeAll(async () => {
    service = await startService();
    apikey = (await account(service, { plan: "flagship" })).key;
  });
  afterAll(() => service.stop());

  it.each(REAL)(
    "equal all $rows rows of $dataset in $archive, both as pages and as files",
    async ({ dataset, archive, rows }) => {
      const [tradedate = ""] = /\d{8}/.exec(archive) ?? [];
      const all = fieldNames(DATASETS[dataset], "all");
      const standardCount = fieldNames(DATASETS[dataset]).length;
      const path = join(DATA, archive);
      const out = join(folder, `${dataset} of ${archive}`);
      const args = ["pack", "build", path, "--dataset", dataset, "--date", tradedate, "--out", out];
      const built = await edgetape(args);
      expect(built.status, built.stderr).toBe(0);
      const [pack = ""] = (await readdir(out)).filter((name) => name.endsWith(`_${dataset}.parquet`));
      await publishPack(service, tradedate, readFileSync(join(out, pack)), { dataset });

      const source = await READERS[dataset](path);
      expect([...source.values()].reduce((sum, each) => sum + each.length, 0)).toBe(rows);
      for (const [symbol, cells] of source) {
        const standard = cells.map((row) => row.slice(0, standardCount));
        await checkPaging(service, apikey, { symbol, tradedate, page_size: 9_999 }, standard, { dataset });
        const request = { dataset, apikey, params: { symbol, tradedate } };
        expectRows((await readAllPages(service, { ...request, fields: all })).rows, cells, symbol);
        const params = { ...request.params, format: "parquet" };
        for (const [fields, expected] of [
          [null, standard],
          [all, cells],
        ] as const) {
          const answer = await service.post(orderHistory({ ...request, params, fields }));
          expect(answer.status).toBe(200);
          expectRows((await readParquet(answer.bytes)).rows, expected, `${symbol} as a file`);
        }
      }
    },
  );
});
