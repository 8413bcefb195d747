import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { isPythonMissing, PYTHON } from "../../support/python.ts";
import { type Built, built, contentOf, DAY, temporaryFolder } from "./deliveries.ts";

const DATA = "../shared/data";
const VENDOR = join(DATA, `orders-${DAY}-vendor.zip`);
const INSIGHT = join(DATA, `orders-${DAY}-insight.zip`);
const present = existsSync(VENDOR) && !isPythonMissing("the real day");
if (!existsSync(VENDOR))
  console.error(`\n!!! SKIPPED: ${VENDOR} is absent, the real day was not built !!!\n`);

/** Returns a pack's bytes with a fixed origin, so that packs of the same rows from different sources are equal. */
const bytesOf = ({ pack }: Built) => contentOf(readFileSync(pack));

/** Unpacks an archive with Python's own reader, which shares no code with the builder. */
function unpacked(archive: string): string {
  const folder = temporaryFolder();
  execFileSync(PYTHON, ["-m", "zipfile", "-e", archive, folder]);
  return folder;
}

/** `conformance/real-deliveries.proof.test.ts` compares the served pack with the CSV value by value. */
describe.skipIf(!present)("the pack of the real day 2023-07-11", () => {
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
});
