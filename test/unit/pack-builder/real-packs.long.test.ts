import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { quotes } from "../../../src/datasets/quotes.ts";
import { fieldNames } from "../../support/dataset-days.ts";
import { readParquet } from "../../support/parquet-reader.ts";
import { readVendorSnapshots, readVendorTrades } from "../../support/vendor-zip.ts";
import { built, contentOf, delivery } from "./deliveries.ts";

const DATA = "../shared/data";
if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent, no real pack was built !!!\n`);

/** The vendor's archives of trades: day, number of rows, and an archive of the same trades in another layout. */
const TRADES = [
  {
    vendor: "trades-20230711-vendor.zip",
    day: "20230711",
    count: 109_616,
    other: "trades-20230711-insight.zip",
  },
  {
    ...{ vendor: "trades-20230201-szse-vendor.zip", day: "20230201", count: 30_000 },
    other: "trades-20230201-szse-datayes.zip",
  },
  { vendor: "full-20230201-600519-vendor.zip", day: "20230201", count: 27_135, other: null },
] as const;

const QUOTES = [
  { vendor: "full-20230201-600519-vendor.zip", day: "20230201", count: 5_109, market: "SH" },
  { vendor: "quotes-20220601-szse-vendor.zip", day: "20220601", count: 11_153, market: "SZ" },
  { vendor: "quotes-20211201-sse-vendor.zip", day: "20211201", count: 4_652, market: "SH" },
] as const;

const ALL = fieldNames(quotes, "all");
const MOST_BYTES_A_ROW = 50;

type Source = Map<string, unknown[][]>;

/** Builds the pack of a real archive and compares it cell by cell with the rows of a separate reader. */
async function comparedPack(
  { vendor, day, count }: { vendor: string; day: string; count: number },
  dataset: "trades" | "quotes",
  read: (archive: string) => Promise<Source>,
) {
  const said = { dataset, tradedate: day as BeijingDate, verify: true };
  const { pack, report } = await built(join(DATA, vendor), said);
  expect(report).toMatchObject({ result: "whole", rows: count, verified: true });
  const source = await read(join(DATA, vendor));
  const expected = [...source.keys()].sort().flatMap((symbol) => source.get(symbol) ?? []);
  const { names, rows } = await readParquet(readFileSync(pack));
  expect(rows).toHaveLength(count);
  expect(rows).toEqual(expected);
  const expectSame = async (sources: string, chunkBytes: number) => {
    const again = await built(sources, { ...said, threads: 2, chunkBytes });
    expect(again.report).toMatchObject({ result: "whole", rows: count });
    const content = await contentOf(readFileSync(pack));
    expect((await contentOf(readFileSync(again.pack))).equals(content)).toBe(true);
  };
  return { pack, names, expected, expectSame };
}

describe.skipIf(!existsSync(DATA))("packs of real trades", () => {
  it.each(TRADES)(
    "contain all $count trades of $vendor cell by cell, and do not depend on the layout",
    async (real) => {
      const { expectSame } = await comparedPack(real, "trades", readVendorTrades);
      if (real.other !== null) await expectSame(join(DATA, real.other), 1_000_000);
    },
  );
});

describe.skipIf(!existsSync(DATA))("packs of real quotes", () => {
  it.each(QUOTES)("from $vendor contain all $count snapshots, in at most 50 bytes per row", async (real) => {
    const { pack, names, expected, expectSame } = await comparedPack(real, "quotes", readVendorSnapshots);
    expect(names).toEqual(ALL);
    expect(statSync(pack).size / real.count).toBeLessThanOrEqual(MOST_BYTES_A_ROW);

    // A second build reads the same snapshots in the plain layout, sorted by time. It must group them by security.
    const mixed = expected.toSorted((a, b) => Number(a[2]) - Number(b[2]));
    const lines = mixed.map(([symbol, ...cells]) => [`${symbol}.${real.market}`, ...cells].join(","));
    const folder = delivery({ [`${real.day}/quotes.csv`]: [ALL.join(","), ...lines, ""].join("\n") });
    await expectSame(folder, 300_000);
  });
});
