import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { readVendorTrades } from "../../support/vendor-zip.ts";
import { built, contentOf, rowsOf } from "./deliveries.ts";

const DATA = "../shared/data";
const FEBRUARY = "20230201" as BeijingDate;
const JULY = "20230711" as BeijingDate;
if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent, no real trades were built !!!\n`);

/** The vendor's archives, with their day, number of rows, and the same trades in another layout. */
const REAL = [
  {
    vendor: "trades-20230711-vendor.zip",
    tradedate: JULY,
    rows: 109_616,
    other: "trades-20230711-insight.zip",
  },
  {
    vendor: "trades-20230201-szse-vendor.zip",
    tradedate: FEBRUARY,
    rows: 30_000,
    other: "trades-20230201-szse-datayes.zip",
  },
  { vendor: "full-20230201-600519-vendor.zip", tradedate: FEBRUARY, rows: 27_135, other: null },
] as const;

describe.skipIf(!existsSync(DATA))("packs of real trades", () => {
  it.each(REAL)(
    "contain all $rows trades of $vendor cell by cell, and do not depend on the layout",
    async (real) => {
      const { tradedate, other } = real;
      const said = { dataset: "trades", tradedate, verify: true } as const;
      const { pack, report } = await built(join(DATA, real.vendor), said);
      expect(report).toMatchObject({ result: "whole", rows: real.rows, verified: true });
      const source = await readVendorTrades(join(DATA, real.vendor));
      const expected = [...source.keys()].sort().flatMap((symbol) => source.get(symbol) ?? []);
      const rows = (await rowsOf(pack)).map((row) => Object.values(row));
      expect(rows).toHaveLength(real.rows);
      expect(rows).toEqual(expected);
      if (other === null) return;
      const again = await built(join(DATA, other), { ...said, threads: 2, chunkBytes: 1_000_000 });
      const content = await contentOf(readFileSync(pack));
      expect((await contentOf(readFileSync(again.pack))).equals(content)).toBe(true);
    },
  );
});
