/**
 * Tests that packs of real orders, trades and quotes do not depend on the delivered layout.
 * `conformance/real-deliveries.proof.test.ts` compares the same archives with the served rows cell by cell.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { quotes } from "../../../src/datasets/quotes.ts";
import { fieldNames } from "../../support/dataset-days.ts";
import { readParquet } from "../../support/parquet-reader.ts";
import { isPythonMissing, PYTHON } from "../../support/python.ts";
import { type Built, built, contentOf, DAY, delivery, temporaryFolder } from "./deliveries.ts";

const DATA = "../shared/data";
if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent, no real pack was built !!!\n`);

const VENDOR = join(DATA, `orders-${DAY}-vendor.zip`);
const INSIGHT = join(DATA, `orders-${DAY}-insight.zip`);

/** The vendor's archives of trades with an archive of the same trades in another layout. */
const TRADES = [
  ["trades-20230711-vendor.zip", "trades-20230711-insight.zip"],
  ["trades-20230201-szse-vendor.zip", "trades-20230201-szse-datayes.zip"],
] as const;

const QUOTES = [
  { vendor: "full-20230201-600519-vendor.zip", market: "SH" },
  { vendor: "quotes-20220601-szse-vendor.zip", market: "SZ" },
  { vendor: "quotes-20211201-sse-vendor.zip", market: "SH" },
] as const;

const ALL = fieldNames(quotes, "all");
const MOST_BYTES_A_ROW = 50;
const dayOf = (archive: string) => (/\d{8}/.exec(archive)?.[0] ?? "") as BeijingDate;

/** Builds the pack of a real archive. Returns it, and a function that expects the same rows from other sources. */
async function realPack(archive: string, dataset: "trades" | "quotes") {
  const said = { dataset, tradedate: dayOf(archive), verify: true };
  const { pack, report } = await built(join(DATA, archive), said);
  expect(report).toMatchObject({ result: "whole", verified: true });
  const bytes = readFileSync(pack);
  const expectSame = async (sources: string, chunkBytes: number) => {
    const again = await built(sources, { ...said, threads: 2, chunkBytes });
    expect(again.report).toMatchObject({ result: "whole", rows: report.rows });
    expect((await contentOf(readFileSync(again.pack))).equals(await contentOf(bytes))).toBe(true);
  };
  return { bytes, rows: report.rows, expectSame };
}

describe.skipIf(!existsSync(DATA))("the pack of real trades", () => {
  it.each(TRADES)("in %s is the same as from %s", async (vendor, other) => {
    const { expectSame } = await realPack(vendor, "trades");
    await expectSame(join(DATA, other), 1_000_000);
  });
});

describe.skipIf(!existsSync(DATA))("the pack of real quotes", () => {
  it.each(QUOTES)(
    "in $vendor has at most 50 bytes per row, and is the same from plain rows sorted by time",
    async ({ vendor, market }) => {
      const { bytes, rows, expectSame } = await realPack(vendor, "quotes");
      expect(bytes.length / rows).toBeLessThanOrEqual(MOST_BYTES_A_ROW);
      const file = await readParquet(bytes);
      expect(file.names).toEqual(ALL);
      // The second build must group the rows by security.
      const mixed = file.rows.toSorted((a, b) => Number(a[2]) - Number(b[2]));
      const lines = mixed.map(([symbol, ...cells]) => [`${symbol}.${market}`, ...cells].join(","));
      const path = `${dayOf(vendor)}/quotes.csv`;
      await expectSame(delivery({ [path]: [ALL.join(","), ...lines, ""].join("\n") }), 300_000);
    },
  );
});

/** Returns a pack's bytes with a fixed origin, so that packs of the same rows from different sources are equal. */
const bytesOf = ({ pack }: Built) => contentOf(readFileSync(pack));

/** Unpacks an archive with Python's own reader, which shares no code with the builder. */
function unpacked(archive: string): string {
  const folder = temporaryFolder();
  execFileSync(PYTHON, ["-m", "zipfile", "-e", archive, folder]);
  return folder;
}

describe.skipIf(!existsSync(DATA) || isPythonMissing("the real orders"))(
  "the pack of the real orders of 2023-07-11",
  () => {
    it("is the same from the vendor's archive, from its folders and from the Insight layout", async () => {
      const vendor = await built(VENDOR);
      const folder = unpacked(VENDOR);
      const nested = temporaryFolder();
      mkdirSync(join(nested, "delivered"));
      cpSync(folder, join(nested, "delivered", "evening"), { recursive: true });
      const each = [
        await built(INSIGHT, { threads: 2 }),
        await built(unpacked(INSIGHT)),
        await built(folder, { threads: 2 }),
        await built(join(folder, DAY)),
        await built(nested),
        // Each security's folder is a separate source, and the sources are in reverse order.
        await built(
          readdirSync(join(folder, DAY))
            .reverse()
            .map((code) => join(folder, DAY, code)),
        ),
      ];
      const expected = await bytesOf(vendor);
      for (const other of each) expect((await bytesOf(other)).equals(expected)).toBe(true);
      expect(each[0]?.report).toMatchObject({ layouts: { insight: 1 }, buildId: vendor.report.buildId });
    });

    it("is the same from plain CSV and plain Parquet with the API's field names", async () => {
      const vendor = await built(VENDOR);
      const folder = temporaryFolder();
      const connection = await (await DuckDBInstance.create()).connect();
      const orders = `(select * exclude amount from '${vendor.pack}')`;
      await connection.run(`copy ${orders} to '${folder}/orders.csv' (header, quote '', escape '')`);
      await connection.run(`copy ${orders} to '${folder}/orders.parquet' (compression snappy)`);
      for (const file of ["orders.csv", "orders.parquet"]) {
        const plain = await built(join(folder, file), { threads: 2 });
        expect(plain.report.layouts).toEqual({ plain: 1 });
        expect((await bytesOf(plain)).equals(await bytesOf(vendor))).toBe(true);
      }
    });
  },
);
