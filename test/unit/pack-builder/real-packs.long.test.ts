/**
 * Tests that packs of real trades and quotes do not depend on the delivered layout.
 * `conformance/real-deliveries.long.test.ts` compares the same archives with the served rows cell by cell.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { quotes } from "../../../src/datasets/quotes.ts";
import { fieldNames } from "../../support/dataset-days.ts";
import { readParquet } from "../../support/parquet-reader.ts";
import { built, contentOf, delivery } from "./deliveries.ts";

const DATA = "../shared/data";
if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent, no real pack was built !!!\n`);

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
