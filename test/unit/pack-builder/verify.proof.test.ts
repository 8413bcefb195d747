import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../../src/datasets/registry.ts";
import { inspectPack } from "../../../src/pack-builder/inspect-pack.ts";
import { openPackFile } from "../../../src/pack-builder/pack-file.ts";
import { FileSink } from "../../../src/pack-builder/pack-sink.ts";
import { PackWriter } from "../../../src/pack-builder/pack-writer.ts";
import { writeSection } from "../../../src/pack-builder/section-writer.ts";
import { verifyPack } from "../../../src/pack-builder/verify/verify-pack.ts";
import { encodeIndexRegion } from "../../../src/packs/index-region.ts";
import { locateIndex } from "../../../src/packs/locate.ts";
import { columnsOf, day, randomRows, randomSecurity, type TestDay } from "../../support/builders.ts";
import { buildPackBytes } from "../../support/pack-bytes.ts";
import { printedRandom } from "../../support/random.ts";
import { bare } from "../../support/result.ts";
import { proofSize } from "../../support/tier.ts";
import { temporaryFolder } from "./deliveries.ts";

const DAY = "20240102" as BeijingDate;
/** The number of flipped bytes. Trades and quotes need fewer, because they differ from orders only in their columns. */
const FLIPS = { orders: proofSize(500), trades: proofSize(80), quotes: proofSize(40) };
const CUTS = { orders: proofSize(100), trades: proofSize(15), quotes: proofSize(10) };
const random = printedRandom("verify");

/** Returns the pack of `test` with its columns changed by `change`. */
function packed(test: TestDay, change = (columns: ReturnType<typeof columnsOf>) => columns) {
  const sections = test.securities.map(({ symbol, market, orders }) => ({
    symbol,
    market,
    columns: change(columnsOf(orders)),
  }));
  return buildPackBytes(DAY, sections);
}

/** Writes `bytes` to a file and verifies it. */
function verified(bytes: Uint8Array, expected = {}) {
  const path = join(temporaryFolder(), "pack.parquet");
  writeFileSync(path, bytes);
  return verifyPack(path, expected).then(bare);
}

describe("a pack file", () => {
  const test = day({
    tradedate: DAY,
    securities: [
      randomSecurity(random, { symbol: "000001", rows: 10_001, crowd: 40 }),
      { symbol: "300750", market: "SZ", orders: [] },
      randomSecurity(random, { symbol: "600519", rows: 20_000, crowd: 3 }),
      randomSecurity(random, { symbol: "600536", rows: 1 }),
    ],
  });
  let packs: Record<DatasetName, Uint8Array<ArrayBuffer>>;
  let pack: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    pack = await packed(test);
    const packOf = (dataset: DatasetName, rows: number) => {
      const sections = (["000001", "300750"] as const).map((symbol, place) => ({
        symbol,
        market: "SZ" as const,
        columns: randomRows(random, DATASETS[dataset], { rows: rows * place, crowd: 20 }),
      }));
      return buildPackBytes(DAY, sections, undefined, dataset);
    };
    packs = { orders: pack, trades: await packOf("trades", 10_001), quotes: await packOf("quotes", 1_001) };
  });

  it("passes the verification if it is intact, and its number of rows is returned", async () => {
    expect(await verified(pack)).toMatchObject({ rows: 30_002 });
    expect(await verified(packs.trades)).toMatchObject({ rows: 10_001, index: { dataset: "trades" } });
    expect(await verified(packs.quotes)).toMatchObject({ rows: 1_001, index: { dataset: "quotes" } });
  });

  it("passes the verification even if its path contains wildcards or a folder such as symbol=000001", async () => {
    const folder = join(temporaryFolder(), "symbol=000001");
    mkdirSync(folder);
    writeFileSync(join(folder, "1.parquet"), packs.trades);
    writeFileSync(join(folder, "[1].parquet"), pack);
    expect(await verifyPack(join(folder, "[1].parquet")).then(bare)).toMatchObject({ rows: 30_002 });
  });

  it.each(DATASET_NAMES)("of %s fails verification with a flipped bit or when truncated", async (dataset) => {
    const pack = packs[dataset];
    const path = join(temporaryFolder(), "pack.parquet");
    // Half of the flips are in the last 6 KB, because the index region and the global footer are small.
    for (let round = 0; round < FLIPS[dataset]; round++) {
      const at = random.chance(0.5)
        ? random.integer(0, pack.length - 1)
        : random.integer(pack.length - 6000, pack.length - 1);
      const damaged = pack.slice();
      damaged[at] = (damaged[at] ?? 0) ^ (1 << random.integer(0, 7));
      writeFileSync(path, damaged);
      expect(bare(await verifyPack(path)), `byte ${at}`).toHaveProperty("difference");
    }
    for (let round = 0; round < CUTS[dataset]; round++) {
      const length = random.chance(0.5)
        ? random.integer(0, pack.length - 1)
        : pack.length - random.integer(1, 3000);
      writeFileSync(path, pack.subarray(0, length));
      expect(bare(await verifyPack(path)), `cut at ${length}`).toHaveProperty("difference");
    }
  });

  it("fails the verification if its footers agree on a time that no row has", async () => {
    const [{ symbol, market, orders } = { symbol: "", market: "SZ" as const, orders: [] }] = test.securities;
    const section = writeSection(DAY, { symbol, market, columns: columnsOf(orders) }, DATASETS.orders);
    const { entry, bytes, groups } = section;
    const [group] = groups;
    if (group === undefined) throw new Error("the section has no row group");
    const footerAt = bytes.length - entry.footerLength;
    const at = footerAt + Buffer.from(bytes.subarray(footerAt)).indexOf(group.lastTime);
    bytes.set(Buffer.from("235959999"), at);
    group.lastTime = "235959999";
    entry.crc = crc32(bytes);
    const path = join(temporaryFolder(), "pack.parquet");
    const writer = new PackWriter(DAY, await FileSink.create(path));
    await writer.append(section);
    await writer.finish();
    expect(bare(await verifyPack(path))).toMatchObject({
      difference: "the footer of 000001.SZ has times that differ from those of its rows",
    });
  });

  it("fails the verification with the name of the damaged block, section or footer", async () => {
    const flipped = (at: number) => {
      const damaged = pack.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      return verified(damaged);
    };
    expect(await flipped(2000)).toMatchObject({
      difference: expect.stringContaining("block 0 of 000001.SZ"),
    });
    expect(await flipped(6)).toMatchObject({
      difference: expect.stringContaining("section of 000001.SZ (byte 0)"),
    });
    expect(await flipped(pack.length - 100)).toMatchObject({
      difference: expect.stringContaining(`the global footer differs at byte ${pack.length - 100}`),
    });
  });

  it("passes the verification when it is divided into slices of one security", async () => {
    expect(await verified(pack, { mostChunks: 20 })).toMatchObject({ rows: 30_002 });
    expect(await verified(packs.quotes, { mostChunks: 1 })).toMatchObject({ rows: 1_001 });
  });

  it.each([
    ["first security", "000001.SZ", 10_000, {}],
    ["first security, in its own slice", "000001.SZ", 10_000, { mostChunks: 20 }],
    ["last security, in its own slice", "600536.SH", 0, { mostChunks: 20 }],
  ])(
    "fails the verification if the index states a different time for the last row of the %s",
    async (_, code, row, expected) => {
      const read = async (offset: number, length: number) => pack.subarray(offset, offset + length);
      const { index, regionOffset } = await locateIndex(pack.length, read);
      const entries = index.entries.map((entry) =>
        `${entry.symbol}.${entry.market}` === code ? { ...entry, lastTime: entry.lastTime + 1 } : entry,
      );
      const changed = pack.slice();
      changed.set(encodeIndexRegion({ ...index, entries }), regionOffset);
      const { lastTime = 0 } = entries.find(({ symbol }) => code.startsWith(symbol)) ?? {};
      expect(await verified(changed, expected)).toMatchObject({
        difference: expect.stringContaining(
          `row ${row} of ${code} is the last one and has the time ${lastTime - 1}; the index says that its last row has ${lastTime}`,
        ),
      });
    },
  );

  it("fails the verification if its rows do not match the fingerprints of the source", async () => {
    expect(await verified(pack, { fingerprints: [1, 0, 1, 1] })).toEqual({
      reason: "differs",
      difference: "the rows of 000001.SZ differ from the source's",
    });
  });

  it("is summarised without being decoded", async () => {
    const path = join(temporaryFolder(), "pack.parquet");
    writeFileSync(path, pack);
    const opened = bare(await openPackFile(path));
    if ("reason" in opened) throw new Error(opened.reason);
    const summary = await inspectPack(opened);
    await opened.close();
    const times = test.securities.flatMap(({ orders }) => orders.map(({ time }) => time)).sort();
    expect(summary).toMatchObject({
      tradedate: DAY,
      securities: 4,
      securitiesWithoutOrders: 1,
      rows: 30_002,
      rowGroups: 5,
      firstTime: times[0],
      lastTime: times.at(-1),
      sizeBytes: pack.length,
      largest: { code: "600519.SH", rows: 20_000 },
    });
    const columns = Object.values(summary.columnBytes).reduce((sum, bytes) => sum + bytes, 0);
    expect(columns).toBeGreaterThan(pack.length * 0.9);
    expect(columns).toBeLessThan(pack.length);
  });
});
