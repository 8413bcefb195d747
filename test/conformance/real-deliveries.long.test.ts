/** The real trades, from the vendor's archives to pages and Parquet files: every cell is that of the CSV. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
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
import { readVendorTrades } from "../support/vendor-zip.ts";

const DATA = "../shared/data";
const REAL = [
  { archive: "trades-20230711-vendor.zip", tradedate: "20230711", rows: 109_616 },
  { archive: "trades-20230201-szse-vendor.zip", tradedate: "20230201", rows: 30_000 },
  { archive: "full-20230201-600519-vendor.zip", tradedate: "20230201", rows: 27_135 },
];
const ALL = fieldNames(DATASETS.trades, "all");
const STANDARD = fieldNames(DATASETS.trades).length;

if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent, no real trades were served !!!\n`);

describe.skipIf(!existsSync(DATA))("real trades over HTTP (contract 4.5)", () => {
  let service: Service;
  let apikey: string;
  let folder: string;
  beforeAll(async () => {
    service = await startService();
    apikey = (await account(service, { plan: "flagship" })).key;
    folder = await mkdtemp(join(tmpdir(), "edgetape-real-trades-"));
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(REAL)(
    "equal their source in $archive: all $rows, as pages and as files",
    async ({ archive, tradedate, rows }) => {
      const path = join(DATA, archive);
      const out = join(folder, archive);
      const args = ["pack", "build", path, "--dataset", "trades", "--date", tradedate, "--out", out];
      const built = await edgetape(args);
      expect(built.status, built.stderr).toBe(0);
      const [pack = ""] = (await readdir(out)).filter((name) => name.endsWith("_trades.parquet"));
      await publishPack(service, tradedate, readFileSync(join(out, pack)), { dataset: "trades" });

      const source = await readVendorTrades(path);
      expect([...source.values()].reduce((sum, each) => sum + each.length, 0)).toBe(rows);
      for (const [symbol, cells] of source) {
        const standard = cells.map((row) => row.slice(0, STANDARD));
        await checkPaging(service, apikey, { symbol, tradedate, page_size: 9_999 }, standard, {
          dataset: "trades",
        });
        const request = { dataset: "trades", apikey, params: { symbol, tradedate } } as const;
        expectRows((await readAllPages(service, { ...request, fields: ALL })).rows, cells, symbol);
        const params = { ...request.params, format: "parquet" };
        for (const [fields, expected] of [
          [null, standard],
          [ALL, cells],
        ] as const) {
          const answer = await service.post(orderHistory({ ...request, params, fields }));
          expect(answer.status).toBe(200);
          expectRows((await readParquet(answer.bytes)).rows, expected, `${symbol} as a file`);
        }
      }
    },
  );
});
