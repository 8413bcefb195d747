import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { quotes } from "../../../src/datasets/quotes.ts";
import { fieldNames } from "../../support/dataset-days.ts";
import { readParquet } from "../../support/parquet-reader.ts";
import { readVendorSnapshots } from "../../support/vendor-zip.ts";
import { built, contentOf, delivery } from "./deliveries.ts";

const DATA = "../shared/data";
if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent, no real quotes were built !!!\n`);

/** The vendor's archives, with their day and number of rows. */
const REAL = [
  { vendor: "full-20230201-600519-vendor.zip", tradedate: "20230201", rows: 5_109 },
  { vendor: "quotes-20220601-szse-vendor.zip", tradedate: "20220601", rows: 11_153 },
  { vendor: "quotes-20211201-sse-vendor.zip", tradedate: "20211201", rows: 4_652 },
] as const;

const ALL = fieldNames(quotes, "all");
const MOST_BYTES_A_ROW = 50;

describe.skipIf(!existsSync(DATA))("packs of real quotes", () => {
  it.each(REAL)("from $vendor contain all $rows snapshots, in at most 50 bytes per row", async (real) => {
    const tradedate = real.tradedate as BeijingDate;
    const said = { dataset: "quotes", tradedate, verify: true } as const;
    const { pack, report } = await built(join(DATA, real.vendor), said);
    expect(report).toMatchObject({ result: "whole", rows: real.rows, verified: true });
    const source = await readVendorSnapshots(join(DATA, real.vendor));
    const expected = [...source.keys()].sort().flatMap((symbol) => source.get(symbol) ?? []);
    const { names, rows } = await readParquet(readFileSync(pack));
    expect(names).toEqual(ALL);
    expect(rows).toHaveLength(real.rows);
    expect(rows).toEqual(expected);
    expect(statSync(pack).size / real.rows).toBeLessThanOrEqual(MOST_BYTES_A_ROW);

    // A second build reads the same snapshots in the plain layout, sorted by time. It must group them by security.
    const mixed = expected.toSorted((a, b) => Number(a[2]) - Number(b[2]));
    const market = real.vendor.includes("szse") ? "SZ" : "SH";
    const lines = mixed.map(([symbol, ...cells]) => [`${symbol}.${market}`, ...cells].join(","));
    const folder = delivery({ [`${tradedate}/quotes.csv`]: [ALL.join(","), ...lines, ""].join("\n") });
    const again = await built(folder, { ...said, threads: 2, chunkBytes: 300_000 });
    expect(again.report).toMatchObject({ result: "whole", rows: real.rows });
    const content = await contentOf(readFileSync(pack));
    expect((await contentOf(readFileSync(again.pack))).equals(content)).toBe(true);
  });
});
