import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { AUCTION_COLUMNS } from "../../../src/auction/columns.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { type RowsOf, storedColumns } from "../../../src/datasets/dataset.ts";
import { quotes } from "../../../src/datasets/quotes.ts";
import type { Security } from "../../../src/orders/record.ts";
import { auctionFileAt, readAuction, writeAuctionPack } from "../../../src/pack-builder/auction-pack.ts";
import { openLocalFile } from "../../../src/pack-builder/local-file.ts";
import { writeSection } from "../../../src/pack-builder/section-writer.ts";
import { auctionProblem } from "../../../src/packs/auction-file.ts";
import { bare } from "../../support/result.ts";
import { testFolder } from "../../support/test-folder.ts";
import { call, quotesOf, type Snapshot } from "../auction/quotes.ts";

const DAY = "20230201" as BeijingDate;
const RESULT: Snapshot = { time: 92501000, close: 100_700, volume: 12_345, bid: [[100_700, 50]] };

/** Returns a pack of quotes in memory, from which an auction pack can be written. */
function packOf(
  securities: readonly (Security & { snapshots: readonly Snapshot[] })[],
  buildId = "ab".repeat(16),
) {
  let offset = 0;
  const sections = securities.map(({ snapshots, ...security }) => {
    const { rows, ...given } = quotesOf(snapshots);
    const all = storedColumns(quotes).map(({ key }) => [key, new Float64Array(rows)]);
    const columns: RowsOf<typeof quotes> = { rows, ...Object.fromEntries(all), ...given };
    const { entry, bytes } = writeSection(DAY, { ...security, columns }, quotes);
    offset += bytes.length;
    return { entry: { ...entry, offset: offset - bytes.length }, bytes };
  });
  const bytes = new Uint8Array(Buffer.concat(sections.map((section) => section.bytes)));
  const reads: number[] = [];
  const entries = sections.map(({ entry }) => entry);
  return {
    index: { dataset: "orders" as const, tradedate: DAY, buildId, entries, origin: null },
    reads,
    read: async (from: number, length: number) => {
      reads.push(length);
      return bytes.slice(from, from + length);
    },
  };
}

const pack = packOf([
  { symbol: "000001", market: "SH", snapshots: [{ time: 84518000 }, { time: 91500000 }] },
  { symbol: "000001", market: "SZ", snapshots: [call(91503000, 99_950, 1_234, -66), RESULT] },
  { symbol: "600519", market: "SH", snapshots: [{ ...RESULT, time: 93000000 }] },
]);

describe("an auction pack (contract 8.10)", () => {
  const folder = testFolder("edgetape-");
  const path = join(folder, "20230201_aucde.parquet");
  beforeAll(async () => {
    expect(await writeAuctionPack(pack, path)).toEqual({ path, securities: 2, rows: 3, defects: 0 });
  });
  const read = async (sql: string) => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    return (await connection.runAndReadAll(sql)).getRowObjects();
  };

  it("contains the rows of each security, with null where no price change can be computed", async () => {
    const row = (time: string, exchange: string, said: object) => ({
      ...{ tradedate: DAY, symbol: "000001", time, exchange, is_result: false },
      ...said,
    });
    expect(await read(`SELECT * FROM '${path}'`)).toEqual([
      row("091500000", "SH", {
        ...{ m_price: 0, auc_pct_chg: null, auc_vol: 0, auc_amt: 0, um_vol: 0, um_side: "" },
        ...{ auc_volume: 0n, um_volume: 0n },
      }),
      row("091503000", "SZ", {
        ...{ m_price: 9.995, auc_pct_chg: -0.05, auc_vol: 12.34, auc_amt: 12_333.83 },
        ...{ um_vol: 0.66, um_side: "s", auc_volume: 1_234n, um_volume: 66n },
      }),
      row("092501000", "SZ", {
        ...{ m_price: 10.07, auc_pct_chg: 0.7, auc_vol: 123.45, auc_amt: 124_314.15, is_result: true },
        ...{ um_vol: 0.5, um_side: "b", auc_volume: 12_345n, um_volume: 50n },
      }),
    ]);
  });

  it("has the contract's columns in the contract's order and types, each compressed with ZSTD", async () => {
    const schema = await read(
      `SELECT name, type, converted_type, repetition_type FROM parquet_schema('${path}') WHERE num_children IS NULL`,
    );
    expect(schema).toEqual(
      AUCTION_COLUMNS.map(({ name, type, nullable }) => ({
        name,
        type: type === "STRING" ? "BYTE_ARRAY" : type,
        converted_type: type === "STRING" ? "UTF8" : null,
        repetition_type: nullable ? "OPTIONAL" : "REQUIRED",
      })),
    );
    expect(schema.slice(0, 9).map(({ name }) => name)).toEqual(
      "tradedate symbol time m_price auc_pct_chg auc_vol auc_amt um_vol um_side".split(" "),
    );
    expect(await read(`SELECT DISTINCT compression FROM parquet_metadata('${path}')`)).toEqual([
      { compression: "ZSTD" },
    ]);
    const file = bare(await openLocalFile(path));
    if ("reason" in file) throw new Error("the pack cannot be opened");
    expect(await auctionProblem(file.sizeBytes, file.read, DAY)).toBeNull();
    await file.close();
  });

  it("is distinguished from the auction pack of other quotes, a foreign file and an absent file", async () => {
    expect(await auctionFileAt(path, pack)).toBe("current");
    expect(await auctionFileAt(path, packOf([], "cd".repeat(16)))).toBe("older");
    expect(await auctionFileAt(join(folder, "absent"), pack)).toBe("absent");
    const foreign = join(folder, "foreign");
    writeFileSync(foreign, "tradedate,symbol\n");
    expect(await auctionFileAt(foreign, pack)).toBe("foreign");
    expect(await auctionFileAt(folder, pack)).toBe("foreign");
  });

  it("is not written for a day without an auction, and an older auction pack of that day is removed", async () => {
    const older = join(folder, "older.parquet");
    writeFileSync(older, "");
    const closed = packOf([{ symbol: "600519", market: "SH", snapshots: [{ ...RESULT, time: 93000000 }] }]);
    expect(await writeAuctionPack(closed, older)).toBeNull();
    expect(existsSync(older)).toBe(false);
    expect(existsSync(`${older}.partial`)).toBe(false);
  });
});

describe("the auction of a section", () => {
  it("is read only from the blocks that begin before 09:30", async () => {
    const later = Array.from({ length: 20_000 }, (): Snapshot => ({ ...RESULT, time: 93000000 }));
    const long = packOf([
      { symbol: "600519", market: "SH", snapshots: [call(91500000, 100_000, 100), RESULT, ...later] },
    ]);
    const [entry] = long.index.entries;
    if (entry === undefined) throw new Error("the pack has no section");
    const { rows } = await readAuction(long, entry);
    expect(rows.map(({ time }) => time)).toEqual([91500000, 92501000]);
    expect(long.reads).toEqual([entry.blocks[1]?.offset]);
  });
});
